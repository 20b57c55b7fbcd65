//! Numbers, texts and lists as bytes, and back.

use glam::DVec3;

/// Writes values one after the other.
#[derive(Debug, Default)]
pub(super) struct Encoder(pub(super) Vec<u8>);

impl Encoder {
    pub(super) fn number(&mut self, value: f64) {
        self.0.extend(value.to_bits().to_le_bytes());
    }

    pub(super) fn count(&mut self, value: usize) {
        self.word(value as u64);
    }

    pub(super) fn word(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        self.0.extend(bytes);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(super) fn vector(&mut self, vector: DVec3) {
        vector.to_array().into_iter().for_each(|v| self.number(v));
    }

    pub(super) fn option<T>(&mut self, value: Option<T>, write: impl FnOnce(&mut Self, T)) {
        self.0.push(u8::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    pub(super) fn list<T>(&mut self, values: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.count(values.len());
        for value in values {
            write(self, value);
        }
    }
}

/// Reads values in the order in which they were written; `None` if they do not fit.
#[derive(Debug)]
pub(super) struct Decoder<'a>(pub(super) &'a [u8]);

impl<'a> Decoder<'a> {
    fn next_bytes(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn word(&mut self) -> Option<[u8; 8]> {
        self.next_bytes(8)?.try_into().ok()
    }

    pub(super) fn number(&mut self) -> Option<f64> {
        self.word().map(f64::from_le_bytes)
    }

    pub(super) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.whole_word()?).ok()
    }

    pub(super) fn whole_word(&mut self) -> Option<u64> {
        self.word().map(u64::from_le_bytes)
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.count()?;
        self.next_bytes(length)
    }

    pub(super) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    pub(super) fn vector(&mut self) -> Option<DVec3> {
        Some(DVec3::new(self.number()?, self.number()?, self.number()?))
    }

    pub(super) fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        match self.next_bytes(1)? {
            [0] => Some(None),
            _ => read(self).map(Some),
        }
    }

    pub(super) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.count()?;
        // A count that is not true must not reserve memory: the list grows as values are found.
        let mut values = Vec::new();
        for _ in 0..count {
            values.push(read(self)?);
        }
        Some(values)
    }

    /// The value, if nothing follows it.
    pub(super) fn end<T>(&self, value: T) -> Option<T> {
        self.0.is_empty().then_some(value)
    }
}
