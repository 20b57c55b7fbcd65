//! What a snapshot holds of a joint.

use super::{BodyPoint, Joint, Taken};
use crate::bytes::{SnapshotError, SnapshotReader, SnapshotWriter};
use glam::DVec3;

impl Joint {
    pub(crate) fn save(&self, writer: &mut SnapshotWriter) {
        writer.plain_numbers(&self.state.force.to_array());
        writer.number(self.state.force_before);
        writer.number(f64::from(u8::from(self.state.is_broken)));
        match &self.state.taken {
            None => writer.count(0),
            Some(Taken::Point(point)) => {
                writer.count(1);
                writer.count(point.body);
                writer.count(point.nodes.len());
                for (node, weight) in &point.nodes {
                    writer.count(*node as usize);
                    writer.number(*weight);
                }
            }
            Some(Taken::Shift(shift)) => {
                writer.count(2);
                writer.plain_numbers(&shift.to_array());
            }
            Some(Taken::Length(length)) => {
                writer.count(3);
                writer.number(*length);
            }
        }
    }

    pub(crate) fn restore(&mut self, reader: &mut SnapshotReader) -> Result<(), SnapshotError> {
        let vector = |reader: &mut SnapshotReader| {
            let mut numbers = [0.0; 3];
            reader.plain_numbers(&mut numbers)?;
            Ok(DVec3::from_array(numbers))
        };
        self.state.force = vector(reader)?;
        self.state.force_before = reader.number()?;
        self.state.is_broken = reader.number()? != 0.0;
        self.state.taken = match reader.count()? {
            1 => {
                let body = reader.count()? as usize;
                let mut nodes = Vec::new();
                for _ in 0..reader.count()? {
                    nodes.push((reader.count()? as u32, reader.number()?));
                }
                Some(Taken::Point(BodyPoint { body, nodes }))
            }
            2 => Some(Taken::Shift(vector(reader)?)),
            3 => Some(Taken::Length(reader.number()?)),
            _ => None,
        };
        Ok(())
    }
}
