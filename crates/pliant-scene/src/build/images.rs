//! Grey pictures that vary a material: PNG and PGM.

use pliant::force::Raster;
use pliant_io::Assets;
use std::collections::HashMap;
use std::io::Cursor;
use std::path::Path;

/// Pictures larger than this are refused, in pixels.
const MOST_PIXELS: u64 = 1 << 26;

/// Reads pictures once and looks grey values up in them.
pub(super) struct GreyImages<'a> {
    assets: &'a dyn Assets,
    images: HashMap<String, Option<GreyImage>>,
    error: Option<String>,
}

struct GreyImage {
    width: usize,
    height: usize,
    /// Row after row from the top, 0 black to 1 white.
    values: Vec<f32>,
}

impl<'a> GreyImages<'a> {
    pub(super) fn new(assets: &'a dyn Assets) -> Self {
        Self {
            assets,
            images: HashMap::new(),
            error: None,
        }
    }

    /// The grey value at material coordinates: u to the right, v upwards. 1 for a picture that
    /// could not be read, which `take_error` reports.
    pub(super) fn grey(&mut self, path: &str, [u, v, _]: [f64; 3]) -> f64 {
        if !self.images.contains_key(path) {
            let image = match self.read(path) {
                Ok(image) => Some(image),
                Err(problem) => {
                    self.error = Some(problem);
                    None
                }
            };
            self.images.insert(path.to_owned(), image);
        }
        match self.images.get(path) {
            Some(Some(image)) => image.interpolate(u, v),
            _ => 1.0,
        }
    }

    /// A picture as numbers at pixels, from the lower left corner; `None` if it could not be read, which
    /// `take_error` reports.
    pub(super) fn raster(&mut self, path: &str) -> Option<Raster> {
        self.grey(path, [0.5; 3]);
        let image = self.images.get(path)?.as_ref()?;
        let rows = image.values.chunks_exact(image.width).rev();
        let values = rows.flatten().map(|value| f64::from(*value)).collect();
        Raster::new([image.width, image.height], values)
    }

    fn read(&self, name: &str) -> Result<GreyImage, String> {
        let found = self.assets.locate(name);
        let bytes = found.and_then(|found| self.assets.read(&found));
        let bytes = bytes.map_err(|error| format!("the picture `{name}` {error}"))?;
        read(Path::new(name), &bytes)
            .map_err(|problem| format!("cannot read the picture `{name}`: {problem}"))
    }

    pub(super) fn take_error(&mut self) -> Option<String> {
        self.error.take()
    }
}

impl GreyImage {
    /// Bilinear between the middles of the pixels.
    fn interpolate(&self, u: f64, v: f64) -> f64 {
        let place = |position: f64, count: usize| {
            let at = (position * count as f64 - 0.5).clamp(0.0, (count - 1) as f64);
            let low = at.floor() as usize;
            (low, (low + 1).min(count - 1), at - at.floor())
        };
        let (x0, x1, fx) = place(u, self.width);
        let (y0, y1, fy) = place(1.0 - v, self.height);
        let value = |x: usize, y: usize| f64::from(self.values[y * self.width + x]);
        let top = value(x0, y0) * (1.0 - fx) + value(x1, y0) * fx;
        let bottom = value(x0, y1) * (1.0 - fx) + value(x1, y1) * fx;
        top * (1.0 - fy) + bottom * fy
    }
}

fn read(path: &Path, bytes: &[u8]) -> Result<GreyImage, String> {
    let extension = path
        .extension()
        .map(|extension| extension.to_ascii_lowercase());
    match extension.as_ref().and_then(|extension| extension.to_str()) {
        Some("png") => read_png(bytes),
        Some("pgm") => read_pgm(bytes),
        _ => Err("expected a file that ends in .png or .pgm".to_owned()),
    }
}

fn check_size(width: u64, height: u64) -> Result<(), String> {
    if width == 0 || height == 0 || width.saturating_mul(height) > MOST_PIXELS {
        return Err(format!("a picture of {width} x {height} pixels"));
    }
    Ok(())
}

fn read_png(bytes: &[u8]) -> Result<GreyImage, String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let info = reader.info();
    check_size(u64::from(info.width), u64::from(info.height))?;
    let size = reader
        .output_buffer_size()
        .ok_or_else(|| "too large".to_owned())?;
    let mut pixels = vec![0; size];
    let frame = reader
        .next_frame(&mut pixels)
        .map_err(|error| error.to_string())?;
    let channels = frame.color_type.samples();
    let colours = if channels >= 3 { 3 } else { 1 };
    let values = pixels[..frame.buffer_size()]
        .chunks_exact(channels)
        .map(|pixel| {
            let sum: u32 = pixel[..colours].iter().map(|&value| u32::from(value)).sum();
            sum as f32 / (255 * colours) as f32
        })
        .collect();
    Ok(GreyImage {
        width: frame.width as usize,
        height: frame.height as usize,
        values,
    })
}

/// Plain (P2) and raw (P5) portable grey maps of up to 8 bits.
fn read_pgm(bytes: &[u8]) -> Result<GreyImage, String> {
    let broken = || "a damaged PGM picture".to_owned();
    let mut position = 0;
    let mut word = || -> Option<&[u8]> {
        loop {
            while bytes.get(position)?.is_ascii_whitespace() {
                position += 1;
            }
            if bytes[position] != b'#' {
                break;
            }
            while *bytes.get(position)? != b'\n' {
                position += 1;
            }
        }
        let start = position;
        while position < bytes.len() && !bytes[position].is_ascii_whitespace() {
            position += 1;
        }
        Some(&bytes[start..position])
    };
    let kind = word().ok_or_else(broken)?.to_owned();
    let mut number = || -> Result<u64, String> {
        std::str::from_utf8(word().ok_or_else(broken)?)
            .ok()
            .and_then(|text| text.parse().ok())
            .ok_or_else(broken)
    };
    let (width, height, white) = (number()?, number()?, number()?);
    check_size(width, height)?;
    if white == 0 || white > 255 {
        return Err("expected a PGM picture of 8 bits".to_owned());
    }
    let count = (width * height) as usize;
    let grey = |value: u64| value.min(white) as f32 / white as f32;
    let values = match kind.as_slice() {
        b"P2" => (0..count)
            .map(|_| number().map(grey))
            .collect::<Result<_, _>>()?,
        b"P5" => bytes
            .get(position + 1..position + 1 + count)
            .ok_or_else(broken)?
            .iter()
            .map(|&value| grey(u64::from(value)))
            .collect(),
        _ => return Err(broken()),
    };
    Ok(GreyImage {
        width: width as usize,
        height: height as usize,
        values,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grey_map_is_read_with_its_first_row_at_the_top() {
        for bytes in [
            &b"P2 # plain\n2 2\n255\n0 255\n255 0\n"[..],
            &b"P5 2 2 255\n\x00\xff\xff\x00"[..],
        ] {
            let image = read(Path::new("map.pgm"), bytes).unwrap();
            assert_eq!(image.interpolate(0.0, 1.0), 0.0);
            assert_eq!(image.interpolate(1.0, 1.0), 1.0);
            assert_eq!(image.interpolate(0.0, 0.0), 1.0);
            assert_eq!(image.interpolate(0.5, 0.5), 0.5);
        }
    }

    #[test]
    fn damaged_pictures_are_refused() {
        for (name, bytes) in [
            ("short.pgm", &b"P5 20 20 255\n\x00"[..]),
            ("empty.pgm", &b""[..]),
            ("huge.pgm", &b"P5 999999999 999999999 255\n"[..]),
            ("not.png", &b"no picture"[..]),
        ] {
            assert!(read(Path::new(name), bytes).is_err(), "{name}");
        }
    }
}
