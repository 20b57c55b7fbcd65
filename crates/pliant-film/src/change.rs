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

    /// The same part with its corner moved to an even column and row, as some formats want it.
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

/// What of a picture to code after the one before: four bytes per pixel.
pub(crate) struct Change {
    /// Where.
    pub rectangle: Rectangle,
    /// The pixels there.
    pub pixels: Vec<u8>,
    /// Whether to lay the pixels over the old ones (those that did not change are transparent,
    /// which codes well) or in their place.
    pub is_over: bool,
}

impl Change {
    /// All of a picture.
    pub fn whole(rgba: &[u8], width: usize) -> Self {
        Self {
            rectangle: Rectangle::whole(width, rgba.len() / 4 / width),
            pixels: rgba.to_vec(),
            is_over: false,
        }
    }

    /// The change from a picture to the next, in the rectangle of the change with an even corner.
    pub fn between(before: &[u8], after: &[u8], width: usize) -> Self {
        let rectangle = Rectangle::of_change(before, after, width, 4).with_even_corner();
        let mut pixels = rectangle.cut(after, width, 4);
        // A transparent pixel laid over another would let it shine through.
        let is_over = pixels.chunks_exact(4).all(|pixel| pixel[3] == 255);
        if is_over {
            let old = rectangle.cut(before, width, 4);
            for (new, old) in pixels.chunks_exact_mut(4).zip(old.chunks_exact(4)) {
                if new == old {
                    new.fill(0);
                }
            }
        }
        Self {
            rectangle,
            pixels,
            is_over,
        }
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

    #[test]
    fn a_change_laid_over_gives_the_next_picture() {
        let before: Vec<u8> = [10, 20, 30, 255].repeat(12);
        let mut after = before.clone();
        after[5 * 4] = 99;
        let change = Change::between(&before, &after, 4);
        assert!(change.is_over);
        assert_eq!(change.rectangle.left % 2 + change.rectangle.top % 2, 0);
        assert_eq!(change.pixels.iter().filter(|v| **v != 0).count(), 4);
        // Transparency in the picture itself forbids it.
        after[5 * 4 + 3] = 100;
        let change = Change::between(&before, &after, 4);
        assert!(!change.is_over);
        assert_eq!(change.pixels, change.rectangle.cut(&after, 4, 4));
    }
}
