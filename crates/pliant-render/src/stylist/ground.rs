//! Where the ground lies, decided once for a film.

use super::body_memory::bounds;
use crate::style::Ground;
use glam::DVec3;
use pliant::Frame;
use pliant::frame::TriangleMesh;

/// What is known of the ground.
#[derive(Clone, Debug, Default)]
pub struct GroundMemory {
    lowest: Option<f64>,
    /// Size of the scene as it was first seen, in metres.
    size: Option<f64>,
    told: bool,
    has_floor: bool,
    decided: Option<Option<f64>>,
}

/// Room left between the ground and what is above it, as a share of the size of the scene; more
/// where nobody said how low bodies will go.
const MARGIN: f64 = 0.02;
const UNKNOWN_MARGIN: f64 = 0.15;

impl GroundMemory {
    /// Bodies stay within these bounds.
    pub fn set_bounds(&mut self, low: DVec3, high: DVec3) {
        if low.is_finite() && high.is_finite() {
            self.lower(low.z.min(high.z));
            self.told = true;
        }
    }

    /// Takes the size of the scene from the first frame that has one.
    pub fn meet(&mut self, frame: &Frame) {
        let (low, high) = scene_bounds(frame);
        let size = (high - low).length();
        if self.size.is_none() && size.is_finite() {
            self.size = Some(size);
            self.has_floor |= has_floor(frame);
        }
    }

    /// Whether a ground would be laid by a guess of how low bodies go: nobody has said it, and no frames but the
    /// first are known.
    pub fn is_guess(&self, ground: Ground) -> bool {
        !self.told && self.wants(ground)
    }

    fn wants(&self, ground: Ground) -> bool {
        match ground {
            Ground::Auto => !self.has_floor,
            Ground::Yes => true,
            Ground::No => false,
        }
    }

    /// Bodies will be as in this frame.
    pub fn look_ahead(&mut self, frame: &Frame) {
        self.has_floor |= has_floor(frame);
        let lowest = scene_bounds(frame).0.z;
        if lowest.is_finite() {
            self.lower(lowest);
            self.told = true;
        }
    }

    fn lower(&mut self, height: f64) {
        self.lowest = Some(self.lowest.map_or(height, |lowest| lowest.min(height)));
    }

    /// Height of the ground above `origin`, if there is one. A ground that a body falls through
    /// after all is taken away for the rest of the film.
    pub fn height(&mut self, frame: &Frame, ground: Ground, origin: DVec3) -> Option<f32> {
        self.meet(frame);
        let low = scene_bounds(frame).0;
        if self.decided.is_none() && low.z.is_finite() {
            self.has_floor |= has_floor(frame);
            let wanted = self.wants(ground);
            self.lower(low.z);
            let margin = if self.told { MARGIN } else { UNKNOWN_MARGIN };
            let height = self.lowest.unwrap_or(low.z) - margin * self.size.unwrap_or(0.0);
            self.decided = Some(wanted.then_some(height));
        }
        let height = self.decided.flatten()?;
        if low.z < height {
            self.decided = Some(None);
            return None;
        }
        Some((height - origin.z) as f32)
    }
}

/// The box round all bodies and obstacles but endless planes.
fn scene_bounds(frame: &Frame) -> (DVec3, DVec3) {
    let bodies = frame.bodies.iter().flat_map(|body| &body.positions);
    let obstacles = frame
        .obstacles
        .iter()
        .filter(|obstacle| !is_plane(&obstacle.mesh))
        .flat_map(|obstacle| &obstacle.mesh.positions);
    bounds(bodies.chain(obstacles).copied())
}

/// The diagonal of the box round a scene, in metres; 1 if it is empty.
pub fn size(frame: &Frame) -> f64 {
    let (low, high) = scene_bounds(frame);
    let size = (high - low).length();
    if size > 0.0 && size.is_finite() {
        size
    } else {
        1.0
    }
}

/// The middle of a scene; the origin of the world if it is empty.
pub fn center(frame: &Frame) -> DVec3 {
    let (low, high) = scene_bounds(frame);
    let center = 0.5 * (low + high);
    if center.is_finite() {
        center
    } else {
        DVec3::ZERO
    }
}

/// Whether a mesh is the square that stands for an endless plane.
pub fn is_plane(mesh: &TriangleMesh) -> bool {
    mesh.positions.len() == 4 && mesh.triangles.len() == 2
}

fn has_floor(frame: &Frame) -> bool {
    frame
        .obstacles
        .iter()
        .any(|obstacle| is_floor(&obstacle.mesh))
}

/// Whether a mesh is a plane on which things can stand.
pub fn is_floor(mesh: &TriangleMesh) -> bool {
    let normal = |&[a, b, c]: &[u32; 3]| -> Option<DVec3> {
        let at = |node: u32| mesh.positions.get(node as usize).copied();
        let (a, b, c) = (at(a)?, at(b)?, at(c)?);
        (b - a).cross(c - a).try_normalize()
    };
    is_plane(mesh)
        && mesh
            .triangles
            .iter()
            .all(|triangle| normal(triangle).is_some_and(|n| n.z > 0.7))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stylist::test_frames::{obstacle, sheet};
    use pliant::obstacle::{ImplicitSurface, Plane};

    #[test]
    fn the_ground_lies_below_everything_and_stays() {
        let mut frame = sheet(4, 4);
        let mut memory = GroundMemory::default();
        let height = memory.height(&frame, Ground::Auto, DVec3::ZERO).unwrap();
        assert!(height < 0.0);
        for position in &mut frame.bodies[0].positions {
            position.z += 1.0;
        }
        assert_eq!(
            memory.height(&frame, Ground::Auto, DVec3::ZERO),
            Some(height)
        );
        let above = memory.height(&frame, Ground::Auto, DVec3::new(0.0, 0.0, 5.0));
        assert_eq!(above, Some((f64::from(height) - 5.0) as f32));
        // Through the ground: no ground from now on.
        frame.bodies[0].positions[3].z = -10.0;
        assert_eq!(memory.height(&frame, Ground::Auto, DVec3::ZERO), None);
        frame.bodies[0].positions[3].z = 0.0;
        assert_eq!(memory.height(&frame, Ground::Auto, DVec3::ZERO), None);
    }

    #[test]
    fn a_guess_is_needed_where_nothing_is_known() {
        let mut frame = sheet(4, 4);
        let met = |frame: &Frame| {
            let mut memory = GroundMemory::default();
            memory.meet(frame);
            memory
        };
        assert!(met(&frame).is_guess(Ground::Auto));
        assert!(!met(&frame).is_guess(Ground::No));
        let mut known = met(&frame);
        known.set_bounds(DVec3::splat(-3.0), DVec3::splat(3.0));
        assert!(!known.is_guess(Ground::Auto));
        let mut seen = met(&frame);
        seen.look_ahead(&frame);
        assert!(!seen.is_guess(Ground::Auto));
        let plane = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
        frame.obstacles.push(obstacle(plane.mesh(1.0, 8)));
        assert!(!met(&frame).is_guess(Ground::Auto));
        assert!(met(&frame).is_guess(Ground::Yes));
    }

    #[test]
    fn bounds_lower_it_and_floors_replace_it() {
        let mut frame = sheet(4, 4);
        let mut memory = GroundMemory::default();
        memory.set_bounds(DVec3::splat(-3.0), DVec3::splat(3.0));
        let height = memory.height(&frame, Ground::Auto, DVec3::ZERO).unwrap();
        assert!(height < -3.0 && height > -3.2);
        let plane = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
        frame.obstacles.push(obstacle(plane.mesh(1.0, 8)));
        let height = |ground| GroundMemory::default().height(&frame, ground, DVec3::ZERO);
        assert_eq!(height(Ground::Auto), None);
        assert!(height(Ground::Yes).is_some());
        assert_eq!(height(Ground::No), None);
        let empty = Frame::default();
        assert_eq!(
            GroundMemory::default().height(&empty, Ground::Yes, DVec3::ZERO),
            None
        );
    }
}
