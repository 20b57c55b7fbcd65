//! Lengths and places as messages write them: a few digits, whatever the number.

use glam::DVec3;

/// The largest number that is written out.
const WRITTEN_OUT: f64 = 1e7;

/// A number of metres.
pub(super) fn metres(length: f64) -> String {
    match length.abs() < WRITTEN_OUT {
        true => format!("{length:.4}"),
        false => format!("{length:.3e}"),
    }
}

/// A place.
pub(super) fn place(at: DVec3) -> String {
    let [x, y, z] = at.to_array().map(metres);
    format!("[{x}, {y}, {z}]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_size_are_short() {
        assert_eq!(metres(-1.25), "-1.2500");
        assert_eq!(metres(1e20), "1.000e20");
        assert_eq!(
            place(DVec3::new(0.5, -1e300, 2.0)),
            "[0.5000, -1.000e300, 2.0000]"
        );
    }
}
