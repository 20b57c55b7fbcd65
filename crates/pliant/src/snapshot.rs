//! The changing part of a world as bytes, to be saved and restored exactly.
//!
//! A snapshot holds what steps change (time, positions, velocities, rotations, the memory of each
//! body's formulation, the length of the next step, why a body was frozen, forces of joints, ranges of contact of what
//! has begun close, what commands have changed) and nothing of what a scene describes. Restored into a world built from the same scene, it continues bit for bit as the
//! original.

use crate::bytes::{SnapshotError, SnapshotReader, SnapshotWriter};
use crate::command::Interventions;
use crate::world::World;

impl World {
    /// What steps change, as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut writer = SnapshotWriter::default();
        writer.number(self.time);
        writer.count(self.step_count);
        writer.count(self.bodies.len());
        self.write_bodies(&mut writer);
        self.joints.iter().for_each(|joint| joint.save(&mut writer));
        if let Some(contact) = &self.contact {
            contact.save(&mut writer);
        }
        self.commands.effect().save(&mut writer);
        writer.0
    }

    /// A number that differs if any bit differs of what steps change in bodies: positions, velocities,
    /// rotations, flows, temperatures, what is broken, what commands have changed (FNV-1a of the
    /// snapshot without time).
    pub fn state_hash(&self) -> u64 {
        let mut writer = SnapshotWriter::default();
        self.write_bodies(&mut writer);
        self.joints.iter().for_each(|joint| joint.save(&mut writer));
        let is_lowered = |lowered: &Vec<_>| !lowered.is_empty();
        if let Some(contact) = &self.contact
            && contact.lowered.as_ref().is_some_and(is_lowered)
        {
            contact.save(&mut writer);
        }
        if !self.commands.effect().is_empty() {
            self.commands.effect().save(&mut writer);
        }
        let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
        for byte in writer.0 {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        hash
    }

    fn write_bodies(&self, writer: &mut SnapshotWriter) {
        for body in &self.bodies {
            writer.vectors(&body.state.positions);
            writer.vectors(&body.state.velocities);
            writer.plain_numbers(&body.state.rotation.to_array());
            writer.rotations(&body.state.piece_rotations);
            writer.vectors(&body.state.controls);
            writer.vectors(&body.state.control_velocities);
            writer.number(body.step_share);
            if body.description().scheme().may_drift() {
                writer.number(body.drift.created);
                writer.number(body.drift.most_in_motion);
            }
            body.memory_parts().for_each(|part| part.save(writer));
            let reason = body.quarantine.as_deref().unwrap_or_default();
            writer.count(reason.len());
            writer.0.extend(reason.as_bytes());
        }
    }

    /// Puts a snapshot back. On an error the world is as it was.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<(), SnapshotError> {
        let mut reader = SnapshotReader::new(snapshot);
        let time = reader.number()?;
        let step_count = reader.count()?;
        let found = reader.count()?;
        if found != self.bodies.len() as u64 {
            let expected = self.bodies.len();
            return Err(SnapshotError::BodyCount { expected, found });
        }
        let mut restored = self.bodies.clone();
        for body in &mut restored {
            reader.begin_body(&body.description().name);
            let node_count = body.node_count();
            let state = &mut body.state;
            reader.vectors(&mut state.positions)?;
            reader.vectors(&mut state.velocities)?;
            state.rotation = reader.rotation()?;
            reader.rotations(node_count, &mut state.piece_rotations)?;
            reader.vectors(&mut state.controls)?;
            reader.vectors(&mut state.control_velocities)?;
            body.step_share = reader.number()?;
            if body.description().scheme().may_drift() {
                body.drift.created = reader.number()?;
                body.drift.most_in_motion = reader.number()?;
            }
            body.restore_memory(&mut reader)?;
            let length = reader.count()?;
            let reason =
                std::str::from_utf8(reader.bytes(length)?).map_err(|_| SnapshotError::NotText)?;
            body.quarantine = (!reason.is_empty()).then(|| reason.to_owned());
        }
        let mut joints = self.joints.clone();
        for joint in &mut joints {
            joint.restore(&mut reader)?;
            if !joint.points().all(|point| point.is_of(&restored)) {
                let joint = joint.name.to_string();
                return Err(SnapshotError::Joint { joint });
            }
        }
        let mut contact = self.contact.clone();
        if let Some(contact) = &mut contact {
            contact.restore(&mut reader)?;
        }
        let effect = Interventions::read(&mut reader, &restored)?;
        let extra = reader.left();
        if extra > 0 {
            return Err(SnapshotError::TooLong { extra });
        }
        self.time = time;
        self.step_count = step_count as usize;
        self.bodies = restored;
        self.joints = joints;
        self.contact = contact;
        self.commands.forget();
        self.commands.effect.replace(effect, &mut self.bodies);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{Body, BodyDescription};
    use crate::elastic::Weights;
    use crate::grid::Grid;
    use crate::workspace::Workspace;
    use glam::DVec3;

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
