//! What steps change, as bytes: numbers with all their bits, lists with their lengths.

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
    #[error("in the snapshot the joint `{joint}` holds a point that no body has")]
    Joint { joint: String },
    #[error("the snapshot holds the effect of a command that this world does not take")]
    Command,
    #[error("the snapshot holds a reason that is not text")]
    NotText,
    #[error("the snapshot goes on for {extra} bytes after its end")]
    TooLong { extra: usize },
}

/// Writes what is to be saved.
#[derive(Debug, Default)]
pub struct SnapshotWriter(pub(crate) Vec<u8>);

impl SnapshotWriter {
    /// A number.
    pub fn number(&mut self, value: f64) {
        self.0.extend(value.to_bits().to_le_bytes());
    }

    /// The length of a list.
    pub fn count(&mut self, value: usize) {
        self.0.extend((value as u64).to_le_bytes());
    }

    /// Numbers without their count.
    pub fn plain_numbers(&mut self, values: &[f64]) {
        values.iter().for_each(|value| self.number(*value));
    }

    /// A list of numbers.
    pub fn numbers(&mut self, numbers: &[f64]) {
        self.count(numbers.len());
        self.plain_numbers(numbers);
    }

    /// A list of matrices.
    pub fn matrices(&mut self, matrices: &[DMat3]) {
        self.count(matrices.len());
        for matrix in matrices {
            self.plain_numbers(&matrix.to_cols_array());
        }
    }

    /// A list of yes and no.
    pub fn flags(&mut self, flags: &[bool]) {
        self.count(flags.len());
        self.0.extend(flags.iter().map(|&flag| u8::from(flag)));
    }

    /// A list of rotations.
    pub fn rotations(&mut self, rotations: &[DQuat]) {
        self.count(rotations.len());
        for rotation in rotations {
            self.plain_numbers(&rotation.to_array());
        }
    }

    /// A list of vectors.
    pub fn vectors(&mut self, vectors: &[DVec3]) {
        self.count(vectors.len());
        for vector in vectors {
            vector.to_array().into_iter().for_each(|v| self.number(v));
        }
    }
}

/// Reads what was saved, in the same order.
#[derive(Debug)]
pub struct SnapshotReader<'a> {
    snapshot: &'a [u8],
    at: usize,
    /// The body that is read, for messages.
    body: String,
}

impl<'a> SnapshotReader<'a> {
    pub(crate) fn new(snapshot: &'a [u8]) -> Self {
        let body = String::new();
        Self {
            snapshot,
            at: 0,
            body,
        }
    }

    /// Names the body that is read from now on.
    pub(crate) fn begin_body(&mut self, name: &str) {
        self.body = name.to_owned();
    }

    /// Bytes that were not read.
    pub(crate) fn left(&self) -> usize {
        self.snapshot.len() - self.at
    }

    pub(crate) fn bytes(&mut self, length: u64) -> Result<&'a [u8], SnapshotError> {
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

    /// The next number.
    pub fn number(&mut self) -> Result<f64, SnapshotError> {
        Ok(f64::from_le_bytes(self.word()?))
    }

    /// As many numbers as there is room for.
    pub fn plain_numbers(&mut self, values: &mut [f64]) -> Result<(), SnapshotError> {
        for value in values {
            *value = self.number()?;
        }
        Ok(())
    }

    /// A rotation.
    pub fn rotation(&mut self) -> Result<DQuat, SnapshotError> {
        let mut parts = [0.0; 4];
        self.plain_numbers(&mut parts)?;
        Ok(DQuat::from_array(parts))
    }

    /// One rotation for each node, or none.
    pub(crate) fn rotations(
        &mut self,
        node_count: usize,
        rotations: &mut Vec<DQuat>,
    ) -> Result<(), SnapshotError> {
        let found = self.count()?;
        if found != 0 && found != node_count as u64 {
            return Err(SnapshotError::NodeCount {
                body: self.body.clone(),
                expected: node_count,
                found,
            });
        }
        rotations.clear();
        for _ in 0..found {
            rotations.push(self.rotation()?);
        }
        Ok(())
    }

    /// The length of the list that follows.
    pub fn count(&mut self) -> Result<u64, SnapshotError> {
        Ok(u64::from_le_bytes(self.word()?))
    }

    /// A list of numbers, as long as it was.
    pub fn numbers(&mut self, numbers: &mut [f64]) -> Result<(), SnapshotError> {
        let found = self.count()?;
        if found != numbers.len() as u64 {
            return Err(SnapshotError::MemoryCount {
                body: self.body.clone(),
                expected: numbers.len(),
                found,
            });
        }
        for number in numbers {
            *number = self.number()?;
        }
        Ok(())
    }

    /// A list of matrices, as long as it was.
    pub fn matrices(&mut self, matrices: &mut [DMat3]) -> Result<(), SnapshotError> {
        let found = self.count()?;
        if found != matrices.len() as u64 {
            return Err(SnapshotError::MemoryCount {
                body: self.body.clone(),
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

    /// A list of yes and no, as long as it was.
    pub fn flags(&mut self, flags: &mut [bool]) -> Result<(), SnapshotError> {
        let found = self.count()?;
        if found != flags.len() as u64 {
            return Err(SnapshotError::MemoryCount {
                body: self.body.clone(),
                expected: flags.len(),
                found,
            });
        }
        for (flag, byte) in flags.iter_mut().zip(self.bytes(found)?) {
            *flag = *byte != 0;
        }
        Ok(())
    }

    /// A list of vectors, as long as it was.
    pub fn vectors(&mut self, vectors: &mut [DVec3]) -> Result<(), SnapshotError> {
        let found = self.count()?;
        if found != vectors.len() as u64 {
            return Err(SnapshotError::NodeCount {
                body: self.body.clone(),
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
