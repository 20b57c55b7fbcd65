//! Rigid cores: nodes of a mesh that move together as a bone does.
//!
//! A core is no new body: its nodes keep their masses and forces, and follow four control points (see
//! `affine.rs`), so that soft and rigid parts move as one system, without a step's delay between
//! them.
//!
//! Implements: \[Mueller2002\] sect. 4.4 (the bone of Fig. 9 and 10).

use glam::{DQuat, DVec3};

/// Nodes that move as a rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidCore {
    /// The nodes, each in one core at most.
    pub nodes: Vec<u32>,
    /// How it may move.
    pub motion: CoreMotion,
}

impl RigidCore {
    /// Whether its nodes exist, are in no other core and can turn, and its motion makes sense.
    pub(crate) fn check(&self, node_count: usize, taken: &mut [bool]) -> Result<(), &'static str> {
        if self.nodes.is_empty() {
            return Err("a rigid core has no nodes");
        }
        for &node in &self.nodes {
            if node as usize >= node_count {
                return Err("a rigid core names a node beyond the last");
            }
            if std::mem::replace(&mut taken[node as usize], true) {
                return Err("a node is named twice in rigid cores");
            }
        }
        let sound = match &self.motion {
            CoreMotion::Free => true,
            CoreMotion::Hinge { point, axis } => {
                point.is_finite() && (axis.length() - 1.0).abs() < 1e-9
            }
            CoreMotion::Turning { point, axis, speed } => {
                let unit = (axis.length() - 1.0).abs() < 1e-9;
                point.is_finite() && unit && speed.is_finite()
            }
            CoreMotion::Screw {
                point,
                axis,
                speeds,
                until,
            } => {
                let unit = (axis.length() - 1.0).abs() < 1e-9;
                point.is_finite() && unit && speeds.iter().all(|s| s.is_finite()) && !until.is_nan()
            }
            CoreMotion::Path(path) => {
                let rises = path.windows(2).all(|pair| pair[0].time < pair[1].time);
                let finite = path.iter().all(|pose| {
                    pose.rotation.is_finite() && pose.pivot.is_finite() && pose.shift.is_finite()
                });
                !path.is_empty() && rises && finite
            }
        };
        if sound {
            return Ok(());
        }
        Err("the motion of a rigid core needs a unit axis, or a path of rising times")
    }
}

/// How a core may move.
#[derive(Clone, Debug, PartialEq)]
pub enum CoreMotion {
    /// In every way.
    Free,
    /// Turn about an axis.
    Hinge {
        /// A point of the axis, in metres.
        point: DVec3,
        /// Its direction, a unit vector.
        axis: DVec3,
    },
    /// Turn about an axis at a constant speed, whatever stands in the way: a motor.
    Turning {
        /// A point of the axis, in metres.
        point: DVec3,
        /// Its direction, a unit vector.
        axis: DVec3,
        /// In radians per second.
        speed: f64,
    },
    /// Turn about an axis and move along it at constant speeds until a time: a motor on a slide.
    Screw {
        /// A point of the axis, in metres.
        point: DVec3,
        /// Its direction, a unit vector.
        axis: DVec3,
        /// In radians per second and in metres per second.
        speeds: [f64; 2],
        /// In seconds.
        until: f64,
    },
    /// Follow poses in time, with straight lines and even turns between them.
    Path(Vec<CorePose>),
}

impl CoreMotion {
    /// Where a core that is driven is at a time, relative to where it is at rest; nothing if it moves
    /// by itself.
    pub(crate) fn pose_at(&self, time: f64) -> Option<CorePose> {
        match self {
            Self::Free | Self::Hinge { .. } => None,
            Self::Turning { point, axis, speed } => Some(CorePose {
                time,
                rotation: DQuat::from_axis_angle(*axis, (speed * time) % std::f64::consts::TAU),
                pivot: *point,
                shift: DVec3::ZERO,
            }),
            Self::Screw {
                point,
                axis,
                speeds,
                until,
            } => {
                let [turn, advance] = speeds.map(|speed| speed * time.min(*until));
                let turn = turn % std::f64::consts::TAU;
                Some(CorePose {
                    time,
                    rotation: DQuat::from_axis_angle(*axis, turn),
                    pivot: *point,
                    shift: advance * *axis,
                })
            }
            Self::Path(path) => CorePose::at(path, time),
        }
    }
}

/// The largest turn that a straight line stands for, in radians.
const WIDEST_TURN: f64 = 1.0;

/// How far what leads a core may stray from a straight line, by the size of the body.
const STRAYED: f64 = 0.05;

impl CoreMotion {
    /// Whether what drives a core turns it so far between two times, or leads it so far astray, that the
    /// straight lines from its beginning to its end are not its way: whole turns would be lost, and there
    /// and back would be no motion at all.
    pub(crate) fn strays(&self, [start, end]: [f64; 2], size: f64) -> bool {
        let turn = match self {
            Self::Free | Self::Hinge { .. } => 0.0,
            Self::Turning { speed, .. } => speed.abs() * (end - start),
            Self::Screw { speeds, until, .. } => {
                speeds[0].abs() * (end.min(*until) - start).max(0.0)
            }
            Self::Path(path) => {
                let within = path
                    .iter()
                    .filter(|pose| start < pose.time && pose.time < end);
                let ends = [start, end].map(|time| CorePose::at(path, time));
                let [Some(first), Some(last)] = ends else {
                    return false;
                };
                let along = last.shift - first.shift;
                let (mut before, mut turn) = (first, 0.0);
                for pose in within.chain([&last]) {
                    let share = (pose.shift - first.shift).dot(along);
                    let share = share / along.length_squared().max(f64::MIN_POSITIVE);
                    let nearest = first.shift + share.clamp(0.0, 1.0) * along;
                    if pose.shift.distance(nearest) > STRAYED * size {
                        return true;
                    }
                    turn += before.rotation.angle_between(pose.rotation);
                    before = *pose;
                }
                turn
            }
        };
        turn > WIDEST_TURN
    }
}

/// Where a core is at a time, relative to where it is at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorePose {
    /// When, in seconds.
    pub time: f64,
    /// How it is turned about `pivot`.
    pub rotation: DQuat,
    /// The point of the rest shape about which it turns, in metres.
    pub pivot: DVec3,
    /// How far it has moved, in metres.
    pub shift: DVec3,
}

impl CorePose {
    /// Where a point of the rest shape is.
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.pivot + self.shift + self.rotation * (point - self.pivot)
    }

    /// Where a path is at a time: held before its first and after its last pose.
    pub fn at(path: &[CorePose], time: f64) -> Option<CorePose> {
        let after = path.partition_point(|pose| pose.time <= time);
        if after == 0 || after == path.len() {
            return path.get(after.saturating_sub(1)).copied();
        }
        let (from, to) = (path[after - 1], path[after]);
        let share = (time - from.time) / (to.time - from.time);
        // A smooth start and end of each part: no jerk where the path bends.
        let share = share * share * (3.0 - 2.0 * share);
        Some(CorePose {
            time,
            rotation: from.rotation.slerp(to.rotation, share),
            pivot: from.pivot.lerp(to.pivot, share),
            shift: from.shift.lerp(to.shift, share),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn a_way_that_is_not_straight_is_known() {
        let pose = |time, angle: f64, x| CorePose {
            time,
            rotation: DQuat::from_rotation_z(angle),
            pivot: DVec3::ZERO,
            shift: x * DVec3::X,
        };
        // A whole turn in a tenth of a second, in four parts; then there and back.
        let mut path: Vec<CorePose> = (0..5)
            .map(|k| pose(0.025 * f64::from(k), FRAC_PI_2 * f64::from(k), 0.0))
            .collect();
        path.extend([
            pose(0.2, 0.0, 0.0),
            pose(0.25, 0.0, 1.0),
            pose(0.3, 0.0, 0.0),
        ]);
        let path = CoreMotion::Path(path);
        assert!(path.strays([0.0, 0.1], 1.0));
        assert!(!path.strays([0.0, 0.01], 1.0));
        assert!(path.strays([0.2, 0.3], 1.0));
        assert!(!path.strays([0.2, 0.25], 1.0));
        let motor = CoreMotion::Turning {
            point: DVec3::ZERO,
            axis: DVec3::Z,
            speed: -100.0,
        };
        assert!(motor.strays([1.0, 1.02], 1.0) && !motor.strays([1.0, 1.005], 1.0));
    }

    #[test]
    fn a_path_is_held_at_its_ends_and_goes_between() {
        let pose = |time, angle: f64, x| CorePose {
            time,
            rotation: DQuat::from_rotation_z(angle),
            pivot: DVec3::X,
            shift: x * DVec3::X,
        };
        let path = [pose(1.0, 0.0, 0.0), pose(3.0, 1.0, 4.0)];
        let at = |time| CorePose::at(&path, time).unwrap();
        assert_eq!(at(0.0), path[0]);
        assert_eq!(at(9.0), path[1]);
        let middle = at(2.0);
        assert!((middle.shift.x - 2.0).abs() < 1e-14);
        assert!(middle.rotation.angle_between(DQuat::from_rotation_z(0.5)) < 1e-7);
        assert_eq!(middle.apply(DVec3::X), 3.0 * DVec3::X);
        assert_eq!(CorePose::at(&[], 0.0), None);
    }
}
