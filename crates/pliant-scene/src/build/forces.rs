//! Forces of a scene as forces of the engine.

use super::Builder;
use crate::scene::{ForceKind, Stream};
use glam::DVec3;
use pliant::force::stream::{Gust, Shear, StreamError, Vortex};
use pliant::force::{self, Gravity, Gyro, NodalForce, Spring, Thruster, Viscous};
use std::sync::Arc;

impl Builder<'_> {
    /// All forces, in the order of the scene; `None` where one was refused.
    pub(super) fn forces(&mut self) -> Vec<Option<Arc<dyn NodalForce>>> {
        let scene = self.scene;
        scene
            .forces
            .iter()
            .map(|force| match engine_force(&force.kind) {
                Ok(engine_force) => Some(engine_force),
                Err(error) => {
                    let element = format!("<Force id=\"{}\">", force.id);
                    self.refuse(force.location, element, error, None);
                    None
                }
            })
            .collect()
    }
}

/// The part of a force that one of `count` nodes gets: equal parts of springs and thrusters, so that
/// together they are as strong as one; springs end `offset` from where one alone would.
pub(super) fn shared_force(kind: &ForceKind, count: usize, offset: DVec3) -> ForceKind {
    let share = 1.0 / count as f64;
    match *kind {
        ForceKind::Spring {
            stiffness,
            anchor,
            from,
            until,
            to,
        } => ForceKind::Spring {
            stiffness: share * stiffness,
            anchor: anchor + offset,
            from,
            until,
            to: to.map(|to| to + offset),
        },
        ForceKind::Thruster { force, from, until } => ForceKind::Thruster {
            force: share * force,
            from,
            until,
        },
        other => other,
    }
}

pub(super) fn engine_force(kind: &ForceKind) -> Result<Arc<dyn NodalForce>, StreamError> {
    Ok(match *kind {
        ForceKind::Gravity { acceleration } => Arc::new(Gravity { acceleration }),
        ForceKind::Spring {
            stiffness,
            anchor,
            from,
            until,
            to,
        } => Arc::new(Spring {
            constant: stiffness,
            start: anchor,
            end: to.unwrap_or(anchor),
            from,
            until,
        }),
        ForceKind::Thruster { force, from, until } => Arc::new(Thruster { force, from, until }),
        ForceKind::Gyro {
            acceleration,
            from,
            until,
        } => Arc::new(Gyro {
            acceleration,
            from,
            until,
        }),
        ForceKind::Viscous { strength, stream } => Arc::new(Viscous {
            strength,
            stream: engine_stream(stream)?,
        }),
    })
}

fn engine_stream(stream: Stream) -> Result<force::Stream, StreamError> {
    Ok(match stream {
        Stream::Constant { velocity } => force::Stream::Constant { velocity },
        Stream::Gust {
            velocity,
            gust,
            period,
            seed,
        } => force::Stream::Gust(Gust::new(velocity, gust, period, u64::from(seed))?),
        Stream::Vortex {
            velocity,
            centre,
            axis,
            circulation,
            core,
        } => force::Stream::Sum(vec![
            force::Stream::Constant { velocity },
            force::Stream::Vortex(Vortex::new(centre, axis, circulation, core)?),
        ]),
        Stream::Shear {
            velocity,
            centre,
            axis,
            thickness,
        } => force::Stream::Shear(Shear::new(centre, axis, velocity, thickness)?),
    })
}
