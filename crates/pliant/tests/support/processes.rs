//! The inelastic processes, small numbers of each, for tests over all of them.

use pliant::process::{
    FourUnit, Fracture, FractureCriterion, Heat, Maxwell, Plastic, ProcessKind, Prony, PronyBranch,
    Voigt, YieldCriterion,
};

/// One of each kind, of plasticity one for each criterion.
pub fn processes() -> Vec<ProcessKind> {
    let plastic = |criterion| {
        ProcessKind::Plastic(Plastic {
            criterion,
            limit: 0.01,
            hardening: 0.2,
            time: 0.0,
        })
    };
    vec![
        ProcessKind::Maxwell(Maxwell::uniform(0.3)),
        ProcessKind::Voigt(Voigt { times: vec![0.1] }),
        ProcessKind::FourUnit(FourUnit {
            relaxation: 1.0,
            retardation: 0.2,
            stiffness: 0.5,
        }),
        ProcessKind::Prony(Prony {
            branches: vec![PronyBranch {
                share: 0.5,
                time: 0.2,
            }],
        }),
        plastic(YieldCriterion::Deformation),
        plastic(YieldCriterion::VonMises),
        plastic(YieldCriterion::Tresca),
        ProcessKind::Fracture(Fracture {
            criterion: FractureCriterion::Elongation,
            limit: 0.05,
            spread: 0.1,
            seed: 3,
            at_once: 2,
            order: 0,
        }),
        ProcessKind::Heat(Heat {
            softening: 300.0,
            melting: 400.0,
            air_exchange: 50.0,
            air_temperature: 350.0,
            ..Heat::insulated(293.0, 10.0, 50.0)
        }),
    ]
}
