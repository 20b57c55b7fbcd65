//! Where a picture differs from the one before.

/// A part of a picture, pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rectangle {
    /// First column.
    pub left: usize,
    /// First row.
    pub top: usize,
    /// Columns, at least 1.
    pub width: usize,
    /// Rows, at least 1.
    pub height: usize,
}

impl Rectangle {
    /// All of a picture.
    pub fn whole(width: usize, height: usize) -> Self {
        Self {
            left: 0,
            top: 0,
            width,
            height,
        }
    }

    /// The smallest rectangle that holds every changed pixel, `bytes` bytes each. Without a
    /// change it is the first pixel, since no format has empty pictures.
    pub fn of_change(before: &[u8], after: &[u8], width: usize, bytes: usize) -> Self {
        let row = width * bytes;
        let mut rows = before
            .chunks_exact(row)
            .zip(after.chunks_exact(row))
            .enumerate()
            .filter(|(_, (before, after))| before != after);
        let Some((top, first)) = rows.next() else {
            return Self::whole(1, 1);
        };
        let (mut left, mut right) = (width, 0);
        let mut bottom = top;
        for (y, (before, after)) in std::iter::once((top, first)).chain(rows) {
            bottom = y;
            let differs = |(a, b): (&u8, &u8)| a != b;
            if let Some(at) = before.iter().zip(after).position(differs) {
                left = left.min(at / bytes);
            }
            if let Some(at) = before.iter().zip(after).rposition(differs) {
                right = right.max(at / bytes);
            }
        }
        Self {
            left,
            top,
            width: right + 1 - left,
            height: bottom + 1 - top,
        }
    }

    /// The same part with even corners, within a picture of the width and height.
    pub fn with_even_corner(self) -> Self {
        let (shift_x, shift_y) = (self.left % 2, self.top % 2);
        Self {
            left: self.left - shift_x,
            top: self.top - shift_y,
            width: self.width + shift_x,
            height: self.height + shift_y,
        }
    }

    /// Copies the part out of a picture.
    pub fn cut(&self, picture: &[u8], width: usize, bytes: usize) -> Vec<u8> {
        let mut part = Vec::with_capacity(self.width * self.height * bytes);
        for y in self.top..self.top + self.height {
            part.extend(&picture[(y * width + self.left) * bytes..][..self.width * bytes]);
        }
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rectangle_holds_the_change_and_no_more() {
        let before = vec![0; 5 * 4 * 2];
        let mut after = before.clone();
        assert_eq!(
            Rectangle::of_change(&before, &after, 5, 2),
            Rectangle::whole(1, 1)
        );
        after[(5 + 3) * 2 + 1] = 1;
        after[(2 * 5 + 1) * 2] = 1;
        let found = Rectangle::of_change(&before, &after, 5, 2);
        let expected = Rectangle {
            left: 1,
            top: 1,
            width: 3,
            height: 2,
        };
        assert_eq!(found, expected);
        let part = found.cut(&after, 5, 2);
        assert_eq!(part, [0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]);
        let even = found.with_even_corner();
        assert_eq!((even.left, even.top, even.width, even.height), (0, 0, 4, 3));
    }
}
