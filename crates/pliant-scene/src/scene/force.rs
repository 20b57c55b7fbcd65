//! External forces.

use crate::diagnostics::Location;
use glam::DVec3;

/// A force that bodies and particles can bind.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Its name.
    pub id: String,
    /// Where it stands in the file.
    pub location: Location,
    /// What it does.
    pub kind: ForceKind,
}

/// What a force does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ForceKind {
    /// A constant acceleration `g`, in m/s².
    Gravity {
        /// The acceleration.
        acceleration: DVec3,
    },
    /// A spring of rest length zero to a point.
    Spring {
        /// `k`, in N/m.
        stiffness: f64,
        /// `r0`, the fixed end.
        anchor: DVec3,
        /// When it begins to act, in seconds.
        from: f64,
        /// When it lets go, in seconds; infinite if never.
        until: f64,
        /// Where the end has moved to, evenly, at `until`; `None` if it stays.
        to: Option<DVec3>,
    },
    /// A constant force on each bound particle, for some time.
    Thruster {
        /// The force, in newtons.
        force: DVec3,
        /// When it starts, in seconds.
        from: f64,
        /// When it stops, in seconds; infinite if never.
        until: f64,
    },
    /// An angular acceleration about the centre of mass of the body, for some time.
    Gyro {
        /// The angular acceleration, in rad/s².
        acceleration: DVec3,
        /// When it starts, in seconds.
        from: f64,
        /// When it stops, in seconds; infinite if never.
        until: f64,
    },
    /// The push of a stream, c (n · (u - v)) n.
    Viscous {
        /// `c`, the strength of the fluid.
        strength: f64,
        /// The velocity field u of the stream.
        stream: Stream,
    },
}

/// The velocity field of a stream; `velocity` is the attribute `u`, in m/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stream {
    /// The same everywhere and always.
    Constant {
        /// The velocity.
        velocity: DVec3,
    },
    /// The velocity plus `gust` times a smooth random function of time between -1 and 1.
    Gust {
        /// The mean velocity.
        velocity: DVec3,
        /// The velocity a full gust adds.
        gust: DVec3,
        /// The time between gusts, in seconds.
        period: f64,
        /// Chooses the random function.
        seed: u32,
    },
    /// The velocity plus a flow round an axis.
    Vortex {
        /// The velocity of the whole.
        velocity: DVec3,
        /// A point on the axis.
        centre: DVec3,
        /// Unit vector along the axis.
        axis: DVec3,
        /// Circulation, in m²/s.
        circulation: f64,
        /// Radius inside which the speed falls to zero.
        core: f64,
    },
    /// The velocity times tanh(d / thickness), d being the distance from the layer.
    Shear {
        /// The velocity far above the layer; far below it is the opposite.
        velocity: DVec3,
        /// A point in the middle of the layer.
        centre: DVec3,
        /// Unit normal of the layer.
        axis: DVec3,
        /// Thickness of the layer.
        thickness: f64,
    },
}
