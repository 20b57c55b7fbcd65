//! A load that is spread over a face, an edge or the volume of a body.
//!
//! ```text
//! total F (N)               f_a = F s_a / Σ s_b
//! density q (N/m², N/m, N/m³)   f_a = q s_a
//! pressure p (Pa)           f_a = -p n_a
//! ```
//!
//! s_a and n_a are what the node a stands for ([`LoadedPart`]). Directions and sizes are those at
//! rest, so that the load is constant and has the potential E = -Σ f_a · x_a. A pressure that turns
//! with a closed surface is [`Pressure`](super::Pressure).

use super::{LoadedPart, Loads, NodalForce, NodalView, NodeShare, OverSurface, Stiffness};
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;

crate::choice! {
    /// What a load is spread over.
    pub enum Over {
        /// The faces of a surface or of the boundary of a solid.
        Face,
        /// A curve, the rim of a surface, or edges that lie in no loaded face.
        Edge,
        /// The volume of a solid.
        Volume,
    }
}

/// How large a load is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// All of it together, in newtons.
    Total(DVec3),
    /// Per square metre, metre or cubic metre, in newtons.
    Density(DVec3),
    /// Against the outward normal at rest, in pascals; for faces.
    Pressure(f64),
}

/// A load that acts on a body once it knows the part that it is spread over
/// ([`NodalForce::over_part`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistributedLoad {
    /// What it is spread over.
    pub over: Over,
    /// How large it is.
    pub amount: Amount,
}

impl DistributedLoad {
    /// The forces at the nodes of a part, or why there are none.
    pub fn spread(&self, part: &LoadedPart) -> Result<NodalLoads, &'static str> {
        let (shares, nothing): (&[NodeShare], _) = match self.over {
            Over::Face => (&part.faces, "no whole face of it lies there"),
            Over::Edge => (
                &part.edges,
                "no whole edge of it lies there that is not one of a loaded face",
            ),
            Over::Volume => (&part.volume, "nothing of it there has a volume"),
        };
        let size: f64 = shares.iter().map(|share| share.size).sum();
        if size <= 0.0 {
            return Err(nothing);
        }
        let mut forces = vec![DVec3::ZERO; part.node_count];
        for share in shares {
            forces[share.node] += match self.amount {
                Amount::Total(force) => share.size / size * force,
                Amount::Density(density) => share.size * density,
                Amount::Pressure(pressure) => -pressure * share.normal,
            };
        }
        Ok(NodalLoads::new(forces))
    }
}

impl NodalForce for DistributedLoad {
    /// No number: the load acts once it is [`over_part`](NodalForce::over_part) of a body. A body that
    /// it is bound to before that is refused (`BodyError`).
    fn add_loads(&self, _view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        for node in nodes {
            loads.add(node, DVec3::NAN, Stiffness::None);
        }
    }

    fn potential(&self, _view: &NodalView, _node: usize) -> f64 {
        f64::NAN
    }

    fn needs_part(&self) -> bool {
        true
    }

    fn over_part(&self, part: &LoadedPart) -> Option<OverSurface> {
        let spread = self.spread(part);
        Some(spread.map(|loads| Arc::new(loads) as Arc<dyn NodalForce>))
    }
}

/// A constant force at each node.
#[derive(Clone, Debug)]
pub struct NodalLoads {
    forces: Arc<[DVec3]>,
}

impl NodalLoads {
    /// One force for each node of a body, in newtons.
    pub fn new(forces: impl Into<Arc<[DVec3]>>) -> Self {
        Self {
            forces: forces.into(),
        }
    }

    /// The force on each node, in newtons.
    pub fn forces(&self) -> &[DVec3] {
        &self.forces
    }
}

impl NodalForce for NodalLoads {
    fn is_dead(&self) -> bool {
        true
    }

    fn add_loads(&self, _view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        for node in nodes {
            loads.add(node, self.forces[node], Stiffness::None);
        }
    }

    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        -self.forces[node].dot(view.positions[node])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_densities_and_pressures() {
        let share = |node, size| NodeShare {
            node,
            size,
            normal: size * DVec3::Z,
        };
        let part = LoadedPart {
            node_count: 4,
            faces: vec![share(1, 0.5), share(3, 1.5)],
            ..LoadedPart::default()
        };
        let spread = |amount| {
            let over = Over::Face;
            let load = DistributedLoad { over, amount };
            load.spread(&part).unwrap().forces().to_vec()
        };
        let total = spread(Amount::Total(8.0 * DVec3::X));
        assert_eq!(total[1], 2.0 * DVec3::X);
        assert_eq!(total[3], 6.0 * DVec3::X);
        assert_eq!(total[0], DVec3::ZERO);
        assert_eq!(spread(Amount::Density(2.0 * DVec3::Y))[3], 3.0 * DVec3::Y);
        assert_eq!(spread(Amount::Pressure(4.0))[1], -2.0 * DVec3::Z);
        let edge = DistributedLoad {
            over: Over::Edge,
            amount: Amount::Total(DVec3::X),
        };
        assert!(edge.spread(&part).is_err());
    }

    /// A load that no body has been asked about gives no number and does not panic; bodies refuse it.
    #[test]
    fn a_load_without_a_part_is_no_number() {
        let load = DistributedLoad {
            over: Over::Face,
            amount: Amount::Pressure(1.0),
        };
        let zeros = [DVec3::ZERO; 2];
        let view = NodalView {
            positions: &zeros,
            velocities: &zeros,
            masses: &[1.0; 2],
            directions: &[],
            curve: false,
            time: 0.0,
            step: 0.1,
            window: [0.0, 0.1],
        };
        let mut loads = Loads::new(2, false);
        load.add_loads(&view, 0..2, &mut loads);
        assert!(loads.forces.iter().all(|force| force.is_nan()));
    }
}
