//! Processes of a scene as processes of the engine.

use crate::expression::Expression;
use crate::scene::{Branch, Breaks, Heat, Process, ProcessKind, Yield};
use pliant::Grid;
use pliant::inelastic::{self, Fracture, FractureCriterion, Maxwell, Plastic, Voigt};
use pliant::inelastic::{FourUnit, Prony, PronyBranch, Scheduled, YieldCriterion};

/// The process of the engine, or what is wrong with its field.
pub(super) fn engine_process(process: &Process, grid: &Grid) -> Result<Scheduled, String> {
    let kind = match process.kind {
        ProcessKind::Maxwell {
            time,
            ref field,
            rate,
            power,
            swell,
        } => inelastic::ProcessKind::Maxwell(Maxwell {
            times: times(time, field.as_ref(), grid)?,
            rate,
            power,
            limit: swell,
        }),
        ProcessKind::Voigt { time, ref field } => inelastic::ProcessKind::Voigt(Voigt {
            times: times(time, field.as_ref(), grid)?,
        }),
        ProcessKind::FourUnit {
            relaxation,
            retardation,
            stiffness,
        } => inelastic::ProcessKind::FourUnit(FourUnit {
            relaxation,
            retardation,
            stiffness,
        }),
        ProcessKind::Prony { ref branches } => {
            let unit = |branch: &Branch| PronyBranch {
                share: branch.share,
                time: branch.time,
            };
            inelastic::ProcessKind::Prony(Prony {
                branches: branches.iter().map(unit).collect(),
            })
        }
        ProcessKind::Plastic {
            criterion,
            limit,
            hardening,
            delay,
        } => inelastic::ProcessKind::Plastic(Plastic {
            criterion: match criterion {
                Yield::Deformation => YieldCriterion::Deformation,
                Yield::VonMises => YieldCriterion::VonMises,
                Yield::Tresca => YieldCriterion::Tresca,
            },
            limit,
            hardening,
            time: delay,
        }),
        ProcessKind::Fracture {
            criterion,
            limit,
            spread,
            seed,
            count,
            order,
        } => inelastic::ProcessKind::Fracture(Fracture {
            criterion: match criterion {
                Breaks::Elongation => FractureCriterion::Elongation,
                Breaks::Stress => FractureCriterion::Stress,
            },
            limit,
            spread,
            seed: u64::from(seed),
            at_once: count as usize,
            order: order as u8,
        }),
        ProcessKind::Heat(ref heat) => inelastic::ProcessKind::Heat(engine_heat(heat, grid)?),
        ProcessKind::Fluid(fluid) => inelastic::ProcessKind::Fluid(inelastic::Fluid {
            attraction: fluid.attraction,
            viscosity: fluid.viscosity,
            conduction: fluid.warms,
            molten: vec![fluid.molten],
            ..inelastic::Fluid::new(fluid.spacing, fluid.repulsion)
        }),
    };
    Ok(Scheduled {
        kind,
        from: process.from,
        until: process.until,
    })
}

/// A time for each node, or one for all.
fn times(time: f64, field: Option<&Expression>, grid: &Grid) -> Result<Vec<f64>, String> {
    let Some(field) = field else {
        return Ok(vec![time]);
    };
    grid.nodes()
        .map(|node| {
            let factor = field.evaluate(grid.material_coordinates(node));
            if factor.is_finite() && factor > 0.0 {
                Ok(time * factor)
            } else {
                Err(format!(
                    "the field of the time is {factor} at particle {node:?}; it must be positive"
                ))
            }
        })
        .collect()
}

fn engine_heat(heat: &Heat, grid: &Grid) -> Result<inelastic::Heat, String> {
    let temperatures = match &heat.warmth {
        None => vec![heat.temperature],
        Some(warmth) => grid
            .nodes()
            .map(|node| heat.temperature + warmth.evaluate(grid.material_coordinates(node)))
            .collect(),
    };
    let conductivities = match &heat.conducts {
        None => vec![[heat.conductivity; 3]],
        Some(factor) => grid
            .nodes()
            .map(|node| [heat.conductivity * factor.evaluate(grid.material_coordinates(node)); 3])
            .collect(),
    };
    // Without a temperature of softening it is soft only when it melts.
    if heat.softens.is_finite() && heat.softens > heat.melts {
        return Err(format!(
            "it softens at {} K, above its melting point of {} K",
            heat.softens, heat.melts
        ));
    }
    Ok(inelastic::Heat {
        temperatures,
        conductivities,
        contact_exchange: heat.exchange,
        contact_distance: heat.near,
        air_exchange: heat.air,
        air_temperature: heat.ambient,
        softening: heat.softens,
        soft_share: heat.soft.max(1e-6),
        melting: heat.melts,
        solidifies: heat.solidifies,
        ..inelastic::Heat::insulated(heat.temperature, heat.conductivity, heat.capacity)
    })
}
