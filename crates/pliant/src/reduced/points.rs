//! Forces on single nodes that depend on where the nodes end: contact with friction, and springs that are
//! too hard for the step.
//!
//! ```text
//! x = x0 + W f                                     W: how the body yields
//! contact   0 <= f_n  ⊥  g0 + n·(W f) >= 0,   |f_t| <= μ f_n against the slip
//! spring    f = f0 - S (d0 + W f)
//! ```
//!
//! They are found one after the other, round after round (projected Gauss and Seidel), which converges for
//! symmetric positive W.

use glam::{DMat3, DVec3};

/// How nodes of a body yield to forces on them.
pub(super) trait Compliance {
    /// The displacement of a node by a unit force on it, in metres per newton.
    fn of_node(&self, node: usize) -> DMat3;

    /// The displacement of a node by all forces so far, in metres.
    fn displacement(&self, node: usize) -> DVec3;

    /// Adds a force on a node, in newtons.
    fn push(&mut self, node: usize, force: DVec3);

    /// Gets ready for forces on a node.
    fn prepare(&mut self, _node: usize) {}
}

/// What a point obeys.
#[derive(Clone, Copy, Debug)]
pub(super) enum Law {
    /// It stays on one side of a surface.
    Contact {
        /// The obstacle.
        obstacle: usize,
        /// Unit normal.
        normal: DVec3,
        /// Distance without any displacement, in metres.
        gap: f64,
        /// The way that it has slid without any displacement, in metres.
        slip: DVec3,
        /// Coulomb's coefficient.
        friction: f64,
    },
    /// A spring holds it.
    Spring {
        /// Stiffness, in newtons per metre.
        stiffness: DMat3,
        /// Where it is without any displacement, from where the force was evaluated, in metres.
        offset: DVec3,
        /// The force there, in newtons.
        constant: DVec3,
    },
}

/// A node with a force on it that is found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) node: usize,
    pub(super) law: Law,
    /// The force, in newtons.
    pub(super) force: DVec3,
    compliance: DMat3,
}

impl Point {
    pub(super) fn new(node: usize, law: Law, compliance: &impl Compliance) -> Self {
        Self {
            node,
            law,
            force: DVec3::ZERO,
            compliance: compliance.of_node(node),
        }
    }

    /// What friction has taken, in joules: its force times the mean of the way that the node would have gone with
    /// the velocity of the beginning of the step and of its slip with all displacements, which is its impulse times
    /// the mean velocity. Where nothing has inertia there is no such way: the slip alone counts.
    pub(super) fn friction_loss(&self, onward: Option<DVec3>, displacement: DVec3) -> f64 {
        match self.law {
            Law::Contact { normal, slip, .. } => {
                let friction = self.force - normal * normal.dot(self.force);
                let slip = slip + displacement;
                let way = onward.map_or(slip, |onward| 0.5 * (onward + slip));
                -friction.dot(way)
            }
            Law::Spring { .. } => 0.0,
        }
    }

    /// The force that the law asks for where all others are as they are.
    fn answer(&self, displacement: DVec3) -> DVec3 {
        match self.law {
            Law::Spring {
                stiffness,
                offset,
                constant,
            } => {
                let left = self.force - constant + stiffness * (offset + displacement);
                let yielding = DMat3::IDENTITY + stiffness * self.compliance;
                self.force - yielding.inverse() * left
            }
            Law::Contact {
                normal,
                gap,
                slip,
                friction,
                ..
            } => {
                let yields = normal.dot(self.compliance * normal);
                if yields <= 0.0 {
                    return self.force;
                }
                let distance = gap + normal.dot(displacement);
                let pressure = (self.force.dot(normal) - distance / yields).max(0.0);
                let mut force = pressure * normal;
                if friction > 0.0 && pressure > 0.0 {
                    let along = |v: DVec3| v - normal * normal.dot(v);
                    let compliance = self.compliance;
                    let trace = compliance.x_axis.x + compliance.y_axis.y + compliance.z_axis.z;
                    let wanted = along(self.force)
                        - along(slip + displacement) / (trace - yields).max(yields);
                    force += wanted.clamp_length_max(friction * pressure);
                }
                force
            }
        }
    }
}

/// Goes over the points until none of them moves by more than `tolerance`, in metres, or `rounds` are done;
/// says how many it took.
pub(super) fn relax(
    points: &mut [Point],
    compliance: &mut impl Compliance,
    tolerance: f64,
    rounds: usize,
) -> usize {
    for round in 1..=rounds {
        let mut largest: f64 = 0.0;
        for point in points.iter_mut() {
            let force = point.answer(compliance.displacement(point.node));
            let change = force - point.force;
            if change != DVec3::ZERO {
                compliance.push(point.node, change);
                largest = largest.max((point.compliance * change).length());
                point.force = force;
            }
        }
        if largest <= tolerance {
            return round;
        }
    }
    rounds
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two nodes that yield by themselves and a little together.
    struct Pair([DVec3; 2]);

    impl Compliance for Pair {
        fn of_node(&self, _node: usize) -> DMat3 {
            DMat3::from_diagonal(DVec3::splat(2.0))
        }

        fn displacement(&self, node: usize) -> DVec3 {
            2.0 * self.0[node] + 0.5 * self.0[1 - node]
        }

        fn push(&mut self, node: usize, force: DVec3) {
            self.0[node] += force;
        }
    }

    fn contact(gap: f64, slip: DVec3, friction: f64) -> Law {
        Law::Contact {
            obstacle: 0,
            normal: DVec3::Z,
            gap,
            slip,
            friction,
        }
    }

    #[test]
    fn contacts_push_and_never_pull() {
        let mut pair = Pair([DVec3::ZERO; 2]);
        let laws = [
            contact(-1.0, DVec3::ZERO, 0.0),
            contact(-0.1, DVec3::ZERO, 0.0),
        ];
        let mut points: Vec<Point> = (0..2).map(|n| Point::new(n, laws[n], &pair)).collect();
        relax(&mut points, &mut pair, 1e-14, 200);
        // The first pushes by 1/2, which lifts the second by 1/4: it needs nothing.
        assert!((points[0].force.z - 0.5).abs() < 1e-12, "{points:?}");
        assert_eq!(points[1].force.z, 0.0);
    }

    #[test]
    fn friction_holds_up_to_its_limit() {
        for (friction, expected) in [(1.0, 0.05), (0.05, 0.025)] {
            let mut pair = Pair([DVec3::ZERO; 2]);
            let law = contact(-1.0, 0.1 * DVec3::X, friction);
            let mut points = [Point::new(0, law, &pair)];
            relax(&mut points, &mut pair, 1e-14, 500);
            assert!((points[0].force.x + expected).abs() < 1e-9, "{points:?}");
        }
    }

    /// Two springs against the solution of the linear system.
    #[test]
    fn springs_balance() {
        let mut pair = Pair([DVec3::ZERO; 2]);
        let law = |k: f64| Law::Spring {
            stiffness: DMat3::from_diagonal(DVec3::splat(k)),
            offset: DVec3::X,
            constant: DVec3::ZERO,
        };
        let mut points = [
            Point::new(0, law(1e6), &pair),
            Point::new(1, law(3.0), &pair),
        ];
        relax(&mut points, &mut pair, 1e-16, 500);
        for (point, k) in points.iter().zip([1e6, 3.0]) {
            let left = point.force + k * (DVec3::X + pair.displacement(point.node));
            assert!(left.length() < 1e-6, "{left}");
        }
    }
}
