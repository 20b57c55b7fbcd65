//! Which processes a body over a mesh can have.

use super::viscoelastic::branches_of;
use crate::body::{BodyDescription, IntegratorKind};
use crate::fem::material::{positive, positive_or_zero};
use crate::fem::{FemError, MeshSettings, SolidStrain};
use crate::process::{Maxwell, ProcessKind, YieldCriterion};

/// Whether the processes of a description can work on its mesh.
pub(in crate::fem) fn check_processes(
    settings: &MeshSettings,
    description: &BodyDescription,
) -> Result<(), FemError> {
    let unsupported = |what| Err(FemError::Unsupported { what });
    if settings.inner_faces().is_some() {
        check_breakable(settings, description)?;
    }
    if description.processes.is_empty() {
        return Ok(());
    }
    match settings.model.solid().map(|solid| solid.strain) {
        None => return unsupported("processes, unless it is a solid of tetrahedra"),
        Some(SolidStrain::Warped(_)) => {
            return unsupported("processes with Warped strain; Corotated can");
        }
        Some(_) => {}
    }
    for scheduled in &description.processes {
        check_kind(settings, &scheduled.kind)?;
    }
    let branches = branches_of(&description.processes);
    let relaxing = branches.iter().map(|branch| branch.share).sum::<f64>();
    let is_plastic = |kind: &ProcessKind| matches!(kind, ProcessKind::Plastic(_));
    let mut kinds = description.processes.iter().map(|s| &s.kind);
    if relaxing > 1.0 + 1e-12 {
        return unsupported("units that relax more than all of its stiffness");
    }
    if !branches.is_empty() && kinds.any(is_plastic) {
        return unsupported("a plastic and a viscoelastic process");
    }
    if !branches.is_empty() && description.integrator == IntegratorKind::Newmark {
        return unsupported("a viscoelastic process with Newmark's integrator; Midpoint can");
    }
    Ok(())
}

fn check_kind(settings: &MeshSettings, kind: &ProcessKind) -> Result<(), FemError> {
    let unsupported = |what| Err(FemError::Unsupported { what });
    match kind {
        ProcessKind::Maxwell(maxwell) if !is_plain(maxwell) => {
            unsupported("a Maxwell process that swells or depends on the rate of strain")
        }
        ProcessKind::Maxwell(maxwell) => {
            let (expected, given) = (settings.mesh.positions.len(), maxwell.times.len());
            if given != 1 && given != expected {
                return Err(FemError::Count {
                    what: "the list of times of relaxation",
                    expected,
                    given,
                });
            }
            Ok(())
        }
        ProcessKind::Voigt(_) => {
            unsupported("a Voigt process; its damping by stiffness does the same")
        }
        ProcessKind::Heat(heat) if heat.melting.is_finite() && heat.softening.is_infinite() => {
            unsupported("a Heat process that only melts; with `softens` it softens up to `melts`")
        }
        ProcessKind::Fluid(_) => unsupported("a Fluid process: it softens and does not melt"),
        ProcessKind::Plastic(plastic) => {
            // Its stress changes when an element turns, so flow would not end.
            let solid = settings.model.solid();
            if solid.is_some_and(|solid| solid.strain == SolidStrain::Linear) {
                return unsupported("a plastic process with Linear strain; Corotated can");
            }
            if plastic.criterion == YieldCriterion::Tresca {
                return unsupported("Tresca's criterion; von Mises' it can");
            }
            positive("the yield limit", plastic.limit)?;
            positive_or_zero("hardening", plastic.hardening)?;
            positive_or_zero("the viscoplastic time", plastic.time)
        }
        ProcessKind::Fracture(fracture) => {
            if fracture.order != 0 {
                return unsupported("creases");
            }
            if settings.inner_faces().is_none() {
                return unsupported("fracture, unless it is made of separate elements (breakable)");
            }
            positive("the limit of fracture", fracture.limit)?;
            positive_or_zero("the spread of limits", fracture.spread)
        }
        ProcessKind::FourUnit(_) | ProcessKind::Prony(_) | ProcessKind::Heat(_) => Ok(()),
    }
}

fn is_plain(maxwell: &Maxwell) -> bool {
    maxwell.rate.is_infinite() && maxwell.times.iter().all(|&time| time > 0.0)
}

/// What separate elements cannot have.
fn check_breakable(settings: &MeshSettings, description: &BodyDescription) -> Result<(), FemError> {
    let unsupported = |what| Err(FemError::Unsupported { what });
    if !settings.cores.is_empty() {
        return unsupported("rigid cores if it can break");
    }
    if description.integrator == IntegratorKind::Newmark {
        return unsupported("Newmark's integrator if it can break; Midpoint can");
    }
    if description.rest_positions != settings.mesh.positions {
        return unsupported("a rest shape other than that of its mesh if it can break");
    }
    if let Some(inner_faces) = settings.inner_faces()
        && !inner_faces.all_copies_agree(&description.fixed)
    {
        return unsupported("a vertex some of whose copies are fixed and others not");
    }
    Ok(())
}
