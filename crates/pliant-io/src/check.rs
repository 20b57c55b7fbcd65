//! Refuses frames that would make files no program can read: numbers that are not finite, lists of
//! different lengths, indices that point nowhere.

use crate::IoError;
use glam::DVec3;
use pliant::frame::{Appearance, BaseColor, Frame, FrameBody, FrameObstacle};

/// Checks everything in a frame.
pub(crate) fn check_frame(frame: &Frame) -> Result<(), IoError> {
    let checker = |owner| Checker {
        frame: frame.number,
        owner,
    };
    if !frame.time.is_finite() {
        return Err(checker("frame").non_finite("time", 0));
    }
    for body in &frame.bodies {
        checker(&body.name).body(body)?;
    }
    for obstacle in &frame.obstacles {
        checker(&obstacle.name).obstacle(obstacle)?;
    }
    Ok(())
}

struct Checker<'a> {
    frame: usize,
    owner: &'a str,
}

impl Checker<'_> {
    fn body(&self, body: &FrameBody) -> Result<(), IoError> {
        let count = body.positions.len();
        self.vectors("position", &body.positions, count)?;
        self.vectors("velocity", &body.velocities, count)?;
        self.vectors("elastic force", &body.elastic_forces, count)?;
        self.vectors("external force", &body.external_forces, count)?;
        self.length("fixed", body.fixed.len(), count)?;
        let topology = &*body.topology;
        let coordinates = &topology.material_coordinates;
        // A body without material coordinates is legitimate: it has no texture.
        if !coordinates.is_empty() {
            self.length("material coordinates", coordinates.len(), count)?;
        }
        if let Some(index) = coordinates
            .iter()
            .position(|entry| entry.iter().any(|value| !value.is_finite()))
        {
            return Err(self.non_finite("material coordinates", index));
        }
        for field in &body.fields {
            self.length(field.name, field.values.len(), count)?;
            if let Some(index) = field.values.iter().position(|value| !value.is_finite()) {
                return Err(self.non_finite(field.name, index));
            }
        }
        if !body.particle_radius.is_finite() {
            return Err(self.non_finite("particle radius", 0));
        }
        self.indices("point", topology.points.as_chunks::<1>().0, count)?;
        self.indices("line", &topology.lines, count)?;
        self.indices("triangle", &topology.triangles, count)?;
        self.indices("hexahedron", &topology.hexahedra, count)?;
        self.indices("tetrahedron", &topology.tetrahedra, count)?;
        self.appearance(&body.appearance)
    }

    fn obstacle(&self, obstacle: &FrameObstacle) -> Result<(), IoError> {
        let mesh = &*obstacle.mesh;
        self.vectors("position", &mesh.positions, mesh.positions.len())?;
        self.indices("triangle", &mesh.triangles, mesh.positions.len())?;
        self.appearance(&obstacle.appearance)
    }

    fn vectors(
        &self,
        quantity: &'static str,
        values: &[DVec3],
        count: usize,
    ) -> Result<(), IoError> {
        self.length(quantity, values.len(), count)?;
        match values.iter().position(|value| !value.is_finite()) {
            Some(index) => Err(self.non_finite(quantity, index)),
            None => Ok(()),
        }
    }

    fn length(&self, quantity: &str, length: usize, count: usize) -> Result<(), IoError> {
        if length == count {
            return Ok(());
        }
        Err(self.inconsistent(format!("{count} nodes but {length} values of {quantity}")))
    }

    fn indices<const N: usize>(
        &self,
        cell: &str,
        cells: &[[u32; N]],
        count: usize,
    ) -> Result<(), IoError> {
        let lost = |corners: &[u32; N]| corners.iter().any(|&corner| corner as usize >= count);
        match cells.iter().position(lost) {
            Some(index) => {
                Err(self.inconsistent(format!("{cell} {index} has a corner beyond {count} nodes")))
            }
            None => Ok(()),
        }
    }

    fn appearance(&self, appearance: &Appearance) -> Result<(), IoError> {
        match &appearance.base {
            BaseColor::Color(color) if color.iter().any(|value| !value.is_finite()) => {
                Err(self.non_finite("colour", 0))
            }
            _ => Ok(()),
        }
    }

    fn non_finite(&self, quantity: &'static str, index: usize) -> IoError {
        IoError::NonFinite {
            frame: self.frame,
            owner: self.owner.to_owned(),
            quantity,
            index,
        }
    }

    fn inconsistent(&self, reason: String) -> IoError {
        IoError::Inconsistent {
            frame: self.frame,
            owner: self.owner.to_owned(),
            reason,
        }
    }
}
