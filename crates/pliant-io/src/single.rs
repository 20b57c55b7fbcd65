//! Numbers in single precision, as most formats store them.

use crate::IoError;
use glam::DVec3;

/// Vectors in single precision, which a number above 3e38 does not survive.
pub(crate) fn single_vectors(
    vectors: &[DVec3],
    owner: (usize, &str),
    quantity: &'static str,
) -> Result<Vec<[f32; 3]>, IoError> {
    let values: Vec<[f32; 3]> = vectors
        .iter()
        .map(|vector| vector.to_array().map(|value| value as f32))
        .collect();
    check_single(values.iter().copied(), owner, quantity)?;
    Ok(values)
}

/// Refuses numbers that have become infinite in single precision.
pub(crate) fn check_single<const N: usize>(
    mut values: impl Iterator<Item = [f32; N]>,
    (frame, owner): (usize, &str),
    quantity: &'static str,
) -> Result<(), IoError> {
    match values.position(|value| value.iter().any(|number| !number.is_finite())) {
        None => Ok(()),
        Some(index) => Err(IoError::NonFinite {
            frame,
            owner: owner.to_owned(),
            quantity,
            index,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_single_precision_cannot_hold_is_refused() {
        let vectors = [DVec3::X, DVec3::new(0.0, 1e39, 0.0)];
        let error = single_vectors(&vectors, (4, "rope"), "position").unwrap_err();
        let message = error.to_string();
        for part in ["frame 4", "rope", "position", "index 1"] {
            assert!(message.contains(part), "{message}");
        }
        let values = single_vectors(&vectors[..1], (4, "rope"), "position").unwrap();
        assert_eq!(values, [[1.0, 0.0, 0.0]]);
    }
}
