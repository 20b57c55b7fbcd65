//! Requests, notices and frames as bytes: how the window and a simulation talk that is not in the same
//! memory, such as one in a worker of the browser.
//!
//! A message is a list of numbers and texts in the order of the fields, little-endian, with the length
//! before each list. Both ends are of one version of the program, so that nothing names the fields.
//! Whatever bytes come in, reading them ends with a value or an error.

mod frames;
mod requests;
mod words;

pub use frames::{Cast, FrameReader, FrameWriter};
pub use words::{StagedText, Word};

use glam::DVec3;
use std::collections::VecDeque;
use std::path::PathBuf;

/// Why bytes are no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// They end too early.
    #[error("the message ends too early")]
    Short,
    /// There are more of them than the message takes.
    #[error("the message goes on for {0} bytes after its end")]
    Long(usize),
    /// Something in them makes no sense.
    #[error("the message has no {0} that makes sense")]
    Nonsense(&'static str),
}

/// Something that can be sent.
pub trait Wire: Sized {
    /// Appends it to a message.
    fn put(&self, out: &mut Vec<u8>);

    /// Takes it from the front of a message.
    fn get(from: &mut Bytes) -> Result<Self, WireError>;
}

/// What is left of a message.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// A whole message.
    pub fn new(message: &'a [u8]) -> Self {
        Self(message)
    }

    fn next_bytes(&mut self, count: usize) -> Result<&'a [u8], WireError> {
        let (front, rest) = self.0.split_at_checked(count).ok_or(WireError::Short)?;
        self.0 = rest;
        Ok(front)
    }

    /// The message must be over.
    pub fn end(self) -> Result<(), WireError> {
        match self.0.len() {
            0 => Ok(()),
            left => Err(WireError::Long(left)),
        }
    }
}

/// A message of one thing.
pub fn to_bytes(thing: &impl Wire) -> Vec<u8> {
    let mut out = Vec::new();
    thing.put(&mut out);
    out
}

/// The one thing of a message.
pub fn from_bytes<T: Wire>(message: &[u8]) -> Result<T, WireError> {
    let mut bytes = Bytes::new(message);
    let thing = T::get(&mut bytes)?;
    bytes.end()?;
    Ok(thing)
}

/// A struct is sent field by field.
macro_rules! wire_struct {
    ($type:ty { $($field:ident),* $(,)? }) => {
        impl $crate::wire::Wire for $type {
            fn put(&self, out: &mut Vec<u8>) {
                $($crate::wire::Wire::put(&self.$field, out);)*
            }

            fn get(from: &mut $crate::wire::Bytes) -> Result<Self, $crate::wire::WireError> {
                $(let $field = $crate::wire::Wire::get(from)?;)*
                Ok(Self { $($field),* })
            }
        }
    };
}

/// An enum is sent as the number of its variant, then field by field.
macro_rules! wire_enum {
    ($type:ty { $(
        $number:literal => $variant:ident $(($($item:ident),*))? $({$($field:ident),*})?
    ),* $(,)? }) => {
        impl $crate::wire::Wire for $type {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$variant $(($($item),*))? $({$($field),*})? => {
                        out.push($number);
                        $($($crate::wire::Wire::put($item, out);)*)?
                        $($($crate::wire::Wire::put($field, out);)*)?
                    })*
                }
            }

            fn get(from: &mut $crate::wire::Bytes) -> Result<Self, $crate::wire::WireError> {
                match <u8 as $crate::wire::Wire>::get(from)? {
                    $($number => {
                        $($(let $item = $crate::wire::Wire::get(from)?;)*)?
                        $($(let $field = $crate::wire::Wire::get(from)?;)*)?
                        Ok(Self::$variant $(($($item),*))? $({$($field),*})?)
                    })*
                    _ => Err($crate::wire::WireError::Nonsense(stringify!($type))),
                }
            }
        }
    };
}

pub(crate) use {wire_enum, wire_struct};

macro_rules! wire_number {
    ($($type:ty),*) => {$(
        impl Wire for $type {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend(self.to_le_bytes());
            }

            fn get(from: &mut Bytes) -> Result<Self, WireError> {
                let bytes = from.next_bytes(size_of::<Self>())?;
                // `take` gave as many as there must be.
                bytes.try_into().map(Self::from_le_bytes).map_err(|_| WireError::Short)
            }
        }
    )*};
}

wire_number!(u8, u32, u64, f64);

impl Wire for usize {
    fn put(&self, out: &mut Vec<u8>) {
        (*self as u64).put(out);
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        let number = u64::get(from)?;
        Self::try_from(number).map_err(|_| WireError::Nonsense("count"))
    }
}

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        match u8::get(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(WireError::Nonsense("answer")),
        }
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        out.extend(self.as_bytes());
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        let count = usize::get(from)?;
        let bytes = from.next_bytes(count)?.to_vec();
        Self::from_utf8(bytes).map_err(|_| WireError::Nonsense("text"))
    }
}

impl Wire for PathBuf {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_string_lossy().into_owned().put(out);
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        String::get(from).map(Self::from)
    }
}

impl Wire for DVec3 {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_array().put(out);
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        <[f64; 3]>::get(from).map(Self::from)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        for item in self {
            item.put(out);
        }
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        let count = usize::get(from)?;
        // A wrong count must not take all the memory there is.
        let mut items = Self::with_capacity(count.min(from.0.len() / size_of::<T>().max(1)));
        for _ in 0..count {
            items.push(T::get(from)?);
        }
        Ok(items)
    }
}

impl<T: Wire> Wire for VecDeque<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        for item in self {
            item.put(out);
        }
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        Vec::get(from).map(Self::from)
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(item) = self {
            item.put(out);
        }
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        match bool::get(from)? {
            true => T::get(from).map(Some),
            false => Ok(None),
        }
    }
}

impl<T: Wire + Copy + Default, const N: usize> Wire for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        for item in self {
            item.put(out);
        }
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        let mut items = [T::default(); N];
        for item in &mut items {
            *item = T::get(from)?;
        }
        Ok(items)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        Ok((A::get(from)?, B::get(from)?))
    }
}

impl<A: Wire, B: Wire, C: Wire> Wire for (A, B, C) {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
        self.1.put(out);
        self.2.put(out);
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        Ok((A::get(from)?, B::get(from)?, C::get(from)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_that_lies_is_refused_without_taking_memory() {
        let mut message = Vec::new();
        u64::MAX.put(&mut message);
        assert_eq!(from_bytes::<Vec<f64>>(&message), Err(WireError::Short));
        assert_eq!(from_bytes::<String>(&message), Err(WireError::Short));
        message.clear();
        (1_u64 << 40).put(&mut message);
        assert_eq!(from_bytes::<Vec<DVec3>>(&message), Err(WireError::Short));
    }

    #[test]
    fn bytes_after_the_end_are_refused() {
        let mut message = to_bytes(&vec![(1_u32, true), (2, false)]);
        let back = from_bytes::<Vec<(u32, bool)>>(&message);
        assert_eq!(back, Ok(vec![(1, true), (2, false)]));
        message.push(0);
        let long = from_bytes::<Vec<(u32, bool)>>(&message);
        assert_eq!(long, Err(WireError::Long(1)));
    }
}
