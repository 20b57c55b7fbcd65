//! The force of a moving fluid on a surface: wind, water.
//!
//! ```text
//! f = c (n · (s(x, t) - v)) n          on a surface, n its unit normal
//! f = c (s(x, t) - v)_across           on a curve: the part across its tangent
//! ```
//!
//! c is the strength of the fluid, s the velocity of the stream in m/s, v that of the node. As n
//! enters twice, both sides of a surface feel the stream alike. [`Viscous`] has one c per node, in
//! N s/m, as printed: the finer the grid, the stronger the wind. [`AreaViscous`] has one per square
//! metre of a surface (N s/m³) or metre of a curve (N s/m²), so that the grid does not matter.
//!
//! Implements: \[Terzopoulos1988\] eq. 22. The force on a curve is our addition.

use super::{ForceSource, Loads, NodalForce, NodalView, Stiffness, Stream};
use crate::math::processor::for_this_processor;
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;

/// The force of a stream on each node of a body.
#[derive(Clone, Debug)]
pub struct Viscous {
    /// The strength c per node, in newton seconds per metre.
    pub strength: f64,
    /// The velocity field of the fluid.
    pub stream: Stream,
}

impl NodalForce for Viscous {
    fn source(&self) -> Option<ForceSource> {
        let velocity = self.stream.mean_velocity()?;
        Some(ForceSource::Stream { velocity })
    }

    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        if let (Stream::Constant { velocity }, false) = (&self.stream, view.curve)
            && let Some((scale, forces)) = loads.forces_alone(nodes.clone())
        {
            let [n, velocities] = [view.directions, view.velocities].map(|all| &all[nodes.clone()]);
            return add_along(n, velocities, *velocity, [scale, self.strength], forces);
        }
        add_loads(&self.stream, |_| self.strength, view, nodes, loads);
    }

    fn potential(&self, _view: &NodalView, _node: usize) -> f64 {
        0.0
    }

    fn has_potential(&self) -> bool {
        false
    }

    fn incremental_potential(&self, view: &NodalView, node: usize) -> f64 {
        incremental_potential(&self.stream, self.strength, view, node)
    }

    fn uses_normals(&self) -> bool {
        true
    }
}

/// The force of a stream on the area of a surface or the length of a curve. It acts on a body once
/// it knows what the nodes of the body stand for ([`NodalForce::over`]).
#[derive(Clone, Debug)]
pub struct AreaViscous {
    strength: f64,
    stream: Stream,
    extents: Arc<[f64]>,
}

impl AreaViscous {
    /// A stream of strength c, in N s/m³ for surfaces and N s/m² for curves, not yet of any body.
    pub fn new(strength: f64, stream: Stream) -> Self {
        Self {
            strength,
            stream,
            extents: Arc::new([]),
        }
    }

    /// The strength of a node, in newton seconds per metre.
    #[inline(always)]
    fn strength_at(&self, node: usize) -> f64 {
        self.strength * self.extents.get(node).copied().unwrap_or(f64::NAN)
    }
}

impl NodalForce for AreaViscous {
    fn source(&self) -> Option<ForceSource> {
        let velocity = self.stream.mean_velocity()?;
        Some(ForceSource::Stream { velocity })
    }

    /// No number where the force was not made [`over`](NodalForce::over) the nodes of the body.
    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        let strength = |node: usize| self.strength_at(node);
        add_loads(&self.stream, strength, view, nodes, loads);
    }

    fn potential(&self, _view: &NodalView, _node: usize) -> f64 {
        0.0
    }

    fn has_potential(&self) -> bool {
        false
    }

    fn incremental_potential(&self, view: &NodalView, node: usize) -> f64 {
        incremental_potential(&self.stream, self.strength_at(node), view, node)
    }

    fn over(&self, extents: &Arc<[f64]>) -> Option<Arc<dyn NodalForce>> {
        Some(Arc::new(Self {
            extents: Arc::clone(extents),
            ..self.clone()
        }))
    }

    fn uses_normals(&self) -> bool {
        true
    }
}

fn add_loads(
    stream: &Stream,
    strength: impl Fn(usize) -> f64,
    view: &NodalView,
    nodes: Range<usize>,
    loads: &mut Loads,
) {
    // The force falls by c per metre per second of velocity, which is c / step per metre.
    let by_velocity = if view.step > 0.0 {
        1.0 / view.step
    } else {
        0.0
    };
    // A stream that is the same everywhere is asked once.
    let uniform = match *stream {
        Stream::Constant { velocity } => Some(velocity),
        _ => None,
    };
    if let (Some(velocity), false, false) = (uniform, view.curve, loads.tells_drags()) {
        let moving = view.directions[nodes.clone()].iter();
        let moving = moving.zip(&view.velocities[nodes.clone()]);
        let each = nodes.clone().zip(moving).map(|(node, (n, of_node))| {
            let c = strength(node);
            let along = *n * n.dot(velocity - *of_node);
            (c * along, Stiffness::Along(*n, c * by_velocity))
        });
        return loads.add_each(nodes, each);
    }
    for node in nodes {
        let n = view.directions[node];
        let c = strength(node);
        let velocity = uniform.unwrap_or_else(|| stream.velocity(view.positions[node], view.time));
        let relative = velocity - view.velocities[node];
        let along = n * n.dot(relative);
        if view.curve {
            let stiffness = Stiffness::Across(n, c * by_velocity);
            loads.add_drag(node, c * (relative - along), stiffness);
        } else {
            loads.add_drag(node, c * along, Stiffness::Along(n, c * by_velocity));
        }
    }
}

for_this_processor! {
    /// Adds the forces of a stream that is the same everywhere; the factors are that of loads and c.
    fn add_along(
        directions: &[DVec3],
        velocities: &[DVec3],
        stream: DVec3,
        factors: [f64; 2],
        forces: &mut [DVec3],
    ) {
        let [scale, c] = factors;
        for ((sum, n), velocity) in forces.iter_mut().zip(directions).zip(velocities) {
            *sum += scale * (c * (*n * n.dot(stream - *velocity)));
        }
    }
}

fn incremental_potential(stream: &Stream, strength: f64, view: &NodalView, node: usize) -> f64 {
    let n = view.directions[node];
    let relative = stream.velocity(view.positions[node], view.time) - view.velocities[node];
    let along = n.dot(relative);
    let squared = if view.curve {
        relative.length_squared() - along * along
    } else {
        along * along
    };
    0.5 * strength * view.step * squared
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Wind does work: the ledger asks forces without a potential for it.
    #[test]
    fn streams_have_no_potential_whatever_they_are_given_for() {
        let stream = || Stream::Constant {
            velocity: DVec3::new(3.0, 0.0, 0.0),
        };
        let by_node = Viscous {
            strength: 1.0,
            stream: stream(),
        };
        let by_area = AreaViscous::new(1.0, stream());
        for force in [&by_node as &dyn NodalForce, &by_area] {
            assert!(!force.has_potential() && !force.is_passive(), "{force:?}");
        }
    }
}
