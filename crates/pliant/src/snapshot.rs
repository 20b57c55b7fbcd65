//! The changing part of a world as bytes, to be saved and restored exactly.
//!
//! A snapshot holds what steps change (time, positions, velocities, the frame, reference shape and
//! weights of hybrid bodies, the length of the next step, why a body was frozen) and nothing of what a scene describes. Restored into a world built from
//! the same scene, it continues bit for bit as the original.

use crate::World;
use crate::body::State;
use glam::{DMat3, DQuat, DVec3};
use thiserror::Error;

/// Why a snapshot cannot be restored.
#[derive(Debug, Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SnapshotError {
    #[error("the snapshot ends early, at byte {at}")]
    Truncated { at: usize },
    #[error("the snapshot is of a world with {found} bodies, this one has {expected}")]
    BodyCount { expected: usize, found: u64 },
    #[error("body `{body}` has {expected} nodes, in the snapshot it has {found}")]
    NodeCount {
        body: String,
        expected: usize,
        found: u64,
    },
    #[error("the processes of body `{body}` remember {expected} numbers, in the snapshot {found}")]
    MemoryCount {
        body: String,
        expected: usize,
        found: u64,
    },
    #[error("the snapshot holds a reason that is not text")]
    NotText,
    #[error("the snapshot goes on for {extra} bytes after its end")]
    TooLong { extra: usize },
}

impl World {
    /// What steps change, as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut writer = Writer(Vec::new());
        writer.number(self.time);
        writer.count(self.step_count);
        writer.count(self.bodies.len());
        self.write_bodies(&mut writer);
        writer.0
    }

    /// What steps change in the bodies, as bytes.
    pub(crate) fn body_bytes(&self) -> Vec<u8> {
        let mut writer = Writer(Vec::new());
        self.write_bodies(&mut writer);
        writer.0
    }

    fn write_bodies(&self, writer: &mut Writer) {
        for body in &self.bodies {
            writer.vectors(&body.state.positions);
            writer.vectors(&body.state.velocities);
            writer.plain_numbers(&body.state.rotation.to_array());
            writer.rotations(&body.state.piece_rotations);
            writer.vectors(&body.state.controls);
            writer.vectors(&body.state.control_velocities);
            if let Some(material) = &body.hybrid {
                writer.vectors(material.reference());
                writer.vectors(material.anchor());
                material
                    .weights()
                    .lists()
                    .for_each(|w| writer.plain_numbers(w));
            }
            writer.number(body.step_share);
            if let Some(inelastic) = &body.inelastic {
                writer.numbers(&inelastic.flows);
                writer.numbers(&inelastic.stiffness_shares);
                inelastic.memories.iter().for_each(|m| writer.numbers(m));
                writer.numbers(&inelastic.thermal.temperatures);
                writer.flags(&inelastic.thermal.molten);
                writer.flags(&inelastic.thermal.melted);
            }
            if let Some(inelastic) = &body.mesh_inelastic {
                writer.matrices(&inelastic.plastic_inverses);
                writer.numbers(&inelastic.plastic_strains);
                let layers = inelastic.viscous_inverses.iter();
                layers.for_each(|layer| writer.matrices(layer));
                writer.numbers(&inelastic.temperatures);
                writer.flags(&inelastic.broken);
            }
            let reason = body.quarantine.as_deref().unwrap_or_default();
            writer.count(reason.len());
            writer.0.extend(reason.as_bytes());
        }
    }

    /// Puts a snapshot back. On an error the world is as it was.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), SnapshotError> {
        let mut reader = Reader { snapshot, at: 0 };
        let time = reader.number()?;
        let step_count = reader.count()?;
        let found = reader.count()?;
        if found != self.bodies.len() as u64 {
            let expected = self.bodies.len();
            return Err(SnapshotError::BodyCount { expected, found });
        }
        let mut restored = self.bodies.clone();
        for body in &mut restored {
            let description = body.description().clone();
            let name = description.name.to_string();
            reader.vectors(&name, &mut body.state.positions)?;
            reader.vectors(&name, &mut body.state.velocities)?;
            body.state.rotation = reader.rotation()?;
            reader.rotations(&name, description.grid.node_count(), &mut body.state)?;
            reader.vectors(&name, &mut body.state.controls)?;
            reader.vectors(&name, &mut body.state.control_velocities)?;
            if let Some(material) = &mut body.hybrid {
                let (mut reference, mut anchor) =
                    (material.reference().to_vec(), material.anchor().to_vec());
                let mut weights = material.weights().clone();
                reader.vectors(&name, &mut reference)?;
                reader.vectors(&name, &mut anchor)?;
                for list in weights.lists_mut() {
                    reader.plain_numbers(list)?;
                }
                material.restore(reference, anchor, weights);
            }
            body.step_share = reader.number()?;
            if let Some(inelastic) = &mut body.inelastic {
                reader.numbers(&name, &mut inelastic.flows)?;
                reader.numbers(&name, &mut inelastic.stiffness_shares)?;
                for memory in &mut inelastic.memories {
                    reader.numbers(&name, memory)?;
                }
                reader.numbers(&name, &mut inelastic.thermal.temperatures)?;
                reader.flags(&name, &mut inelastic.thermal.molten)?;
                reader.flags(&name, &mut inelastic.thermal.melted)?;
                inelastic.find_what_follows(&description);
            }
            if let Some(inelastic) = &mut body.mesh_inelastic {
                reader.matrices(&name, &mut inelastic.plastic_inverses)?;
                reader.numbers(&name, &mut inelastic.plastic_strains)?;
                for layer in &mut inelastic.viscous_inverses {
                    reader.matrices(&name, layer)?;
                }
                reader.numbers(&name, &mut inelastic.temperatures)?;
                reader.flags(&name, &mut inelastic.broken)?;
                inelastic.find_what_follows(&description);
            }
            let length = reader.count()?;
            let reason =
                std::str::from_utf8(reader.bytes(length)?).map_err(|_| SnapshotError::NotText)?;
            body.quarantine = (!reason.is_empty()).then(|| reason.to_owned());
        }
        let extra = snapshot.len() - reader.at;
        if extra > 0 {
            return Err(SnapshotError::TooLong { extra });
        }
        self.time = time;
        self.step_count = step_count as usize;
        self.bodies = restored;
        Ok(())
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, value: f64) {
        self.0.extend(value.to_bits().to_le_bytes());
    }

    fn count(&mut self, value: usize) {
        self.0.extend((value as u64).to_le_bytes());
    }

    fn plain_numbers(&mut self, values: &[f64]) {
        values.iter().for_each(|value| self.number(*value));
    }

    fn numbers(&mut self, numbers: &[f64]) {
        self.count(numbers.len());
        self.plain_numbers(numbers);
    }

    fn matrices(&mut self, matrices: &[DMat3]) {
        self.count(matrices.len());
        for matrix in matrices {
            self.plain_numbers(&matrix.to_cols_array());
        }
    }

    fn flags(&mut self, flags: &[bool]) {
        self.count(flags.len());
        self.0.extend(flags.iter().map(|&flag| u8::from(flag)));
    }

    fn rotations(&mut self, rotations: &[DQuat]) {
        self.count(rotations.len());
        for rotation in rotations {
            self.plain_numbers(&rotation.to_array());
        }
    }

    fn vectors(&mut self, vectors: &[DVec3]) {
        self.count(vectors.len());
        for vector in vectors {
            vector.to_array().into_iter().for_each(|v| self.number(v));
        }
    }
}

struct Reader<'a> {
    snapshot: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, length: u64) -> Result<&'a [u8], SnapshotError> {
        let rest = &self.snapshot[self.at..];
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let Some(bytes) = rest.get(..length) else {
            return Err(SnapshotError::Truncated { at: self.at });
        };
        self.at += length;
        Ok(bytes)
    }

    fn word(&mut self) -> Result<[u8; 8], SnapshotError> {
        let mut word = [0; 8];
        word.copy_from_slice(self.bytes(8)?);
        Ok(word)
    }

    fn number(&mut self) -> Result<f64, SnapshotError> {
        Ok(f64::from_le_bytes(self.word()?))
    }

    fn plain_numbers(&mut self, values: &mut [f64]) -> Result<(), SnapshotError> {
        for value in values {
            *value = self.number()?;
        }
        Ok(())
    }

    fn rotation(&mut self) -> Result<DQuat, SnapshotError> {
        let mut parts = [0.0; 4];
        self.plain_numbers(&mut parts)?;
        Ok(DQuat::from_array(parts))
    }

    /// The rotations of pieces: one for each node, or none.
    fn rotations(
        &mut self,
        body: &str,
        node_count: usize,
        state: &mut State,
    ) -> Result<(), SnapshotError> {
        let found = self.count()?;
        if found != 0 && found != node_count as u64 {
            return Err(SnapshotError::NodeCount {
                body: body.to_owned(),
                expected: node_count,
                found,
            });
        }
        state.piece_rotations.clear();
        for _ in 0..found {
            state.piece_rotations.push(self.rotation()?);
        }
        Ok(())
    }

    fn count(&mut self) -> Result<u64, SnapshotError> {
        Ok(u64::from_le_bytes(self.word()?))
    }

    fn numbers(&mut self, body: &str, numbers: &mut [f64]) -> Result<(), SnapshotError> {
        let found = self.count()?;
        if found != numbers.len() as u64 {
            return Err(SnapshotError::MemoryCount {
                body: body.to_owned(),
                expected: numbers.len(),
                found,
            });
        }
        for number in numbers {
            *number = self.number()?;
        }
        Ok(())
    }

    fn matrices(&mut self, body: &str, matrices: &mut [DMat3]) -> Result<(), SnapshotError> {
        let found = self.count()?;
        if found != matrices.len() as u64 {
            return Err(SnapshotError::MemoryCount {
                body: body.to_owned(),
                expected: matrices.len(),
                found,
            });
        }
        for matrix in matrices {
            let mut entries = [0.0; 9];
            self.plain_numbers(&mut entries)?;
            *matrix = DMat3::from_cols_array(&entries);
        }
        Ok(())
    }

    fn flags(&mut self, body: &str, flags: &mut [bool]) -> Result<(), SnapshotError> {
        let found = self.count()?;
        if found != flags.len() as u64 {
            return Err(SnapshotError::MemoryCount {
                body: body.to_owned(),
                expected: flags.len(),
                found,
            });
        }
        for (flag, byte) in flags.iter_mut().zip(self.bytes(found)?) {
            *flag = *byte != 0;
        }
        Ok(())
    }

    fn vectors(&mut self, body: &str, vectors: &mut [DVec3]) -> Result<(), SnapshotError> {
        let found = self.count()?;
        if found != vectors.len() as u64 {
            return Err(SnapshotError::NodeCount {
                body: body.to_owned(),
                expected: vectors.len(),
                found,
            });
        }
        for vector in vectors {
            *vector = DVec3::new(self.number()?, self.number()?, self.number()?);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::Weights;
    use crate::{Body, BodyDescription, Grid, Workspace};

    fn world() -> World {
        let grid = Grid::new(&[4], &[false]);
        let rest: Vec<DVec3> = (0..4).map(|i| f64::from(i) * DVec3::X).collect();
        let rope = BodyDescription::new("rope", grid, rest, Weights::uniform(4, 9.0, 1.0, 0.0));
        let mut body = Body::new(rope).unwrap();
        body.state.velocities[1] = DVec3::new(0.3, 0.0, -2.0);
        World {
            bodies: vec![body],
            ..World::default()
        }
    }

    #[test]
    fn a_restored_world_goes_on_as_the_original() {
        let mut original = world();
        let mut workspace = Workspace::new(&original);
        for _ in 0..7 {
            original.step(&mut workspace);
        }
        original.bodies[0].step_share = 0.25;
        let snapshot = original.snapshot();

        let mut restored = world();
        restored.restore(&snapshot).unwrap();
        assert_eq!(restored.snapshot(), snapshot);
        let mut fresh = Workspace::new(&restored);
        for _ in 0..20 {
            original.step(&mut workspace);
            restored.step(&mut fresh);
            assert_eq!(original.snapshot(), restored.snapshot());
        }
        assert_eq!(original.time, restored.time);
    }

    #[test]
    fn a_reason_to_be_frozen_is_kept() {
        let mut frozen = world();
        frozen.bodies[0].quarantine = Some("über".to_owned());
        let mut restored = world();
        restored.restore(&frozen.snapshot()).unwrap();
        assert_eq!(restored.bodies[0].quarantine.as_deref(), Some("über"));
    }

    #[test]
    fn what_does_not_fit_is_refused_and_changes_nothing() {
        let mut world = world();
        let snapshot = world.snapshot();
        let hash = world.state_hash();
        for end in 0..snapshot.len() {
            assert!(world.restore(&snapshot[..end]).is_err(), "{end}");
        }
        let longer = [snapshot.clone(), vec![0]].concat();
        assert_eq!(
            world.restore(&longer),
            Err(SnapshotError::TooLong { extra: 1 })
        );
        let none = World::default().snapshot();
        assert!(matches!(
            world.restore(&none),
            Err(SnapshotError::BodyCount { .. })
        ));
        let mut hostile = snapshot;
        hostile[24..32].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(matches!(
            world.restore(&hostile),
            Err(SnapshotError::NodeCount { .. })
        ));
        assert_eq!(world.state_hash(), hash);
    }
}
