//! PNG pictures: one, or a numbered row of them.

use crate::{FilmError, FilmSettings, FilmWriter, Quality};
use pliant_io::AtomicFile;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The largest side the format holds.
const LARGEST_SIDE: usize = i32::MAX as usize;

/// Writes one picture (four bytes per pixel, rows from the top) as PNG. A picture without
/// transparency is stored without alpha.
pub fn save_png(path: &Path, width: usize, height: usize, rgba: &[u8]) -> Result<(), FilmError> {
    let settings = FilmSettings::new(width, height, 1.0);
    settings.check("png", 1, LARGEST_SIDE)?;
    settings.check_picture(path, 0, rgba)?;
    save(path, &settings, 0, rgba)
}

fn save(
    path: &Path,
    settings: &FilmSettings,
    picture: usize,
    rgba: &[u8],
) -> Result<(), FilmError> {
    let data = encode(settings, rgba).map_err(|error| FilmError::Encode {
        path: path.to_path_buf(),
        picture,
        reason: error.to_string(),
    })?;
    let mut file = AtomicFile::create(path)?;
    file.write_all(&data).map_err(FilmError::write(path))?;
    file.commit()?;
    Ok(())
}

/// A picture as the bytes of a PNG file.
fn encode(settings: &FilmSettings, rgba: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let is_opaque = rgba.chunks_exact(4).all(|pixel| pixel[3] == 255);
    let kind = if is_opaque {
        png::ColorType::Rgb
    } else {
        png::ColorType::Rgba
    };
    let compression = match settings.quality {
        Quality::Draft => png::Compression::Fastest,
        Quality::Good => png::Compression::Fast,
        Quality::Best => png::Compression::Balanced,
    };
    let (width, height) = (settings.width as u32, settings.height as u32);
    if is_opaque {
        encode_samples(width, height, kind, compression, &without_alpha(rgba))
    } else {
        encode_samples(width, height, kind, compression, rgba)
    }
}

/// Samples as the bytes of a PNG file.
pub(crate) fn encode_samples(
    width: u32,
    height: u32,
    kind: png::ColorType,
    compression: png::Compression,
    samples: &[u8],
) -> Result<Vec<u8>, png::EncodingError> {
    let mut data = Vec::new();
    let mut encoder = png::Encoder::new(&mut data, width, height);
    encoder.set_color(kind);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(compression);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(samples)?;
    writer.finish()?;
    Ok(data)
}

/// Red, green and blue of a picture.
pub(crate) fn without_alpha(rgba: &[u8]) -> Vec<u8> {
    rgba.chunks_exact(4)
        .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
        .collect()
}

/// Begins a row of PNG pictures: `frames/name.png` gives `frames/name_00000.png`,
/// `frames/name_00001.png` and so on. The folder must exist. Files of an earlier, longer row stay.
pub fn png_sequence(
    path: &Path,
    settings: &FilmSettings,
) -> Result<Box<dyn FilmWriter>, FilmError> {
    settings.check("png", 1, LARGEST_SIDE)?;
    let sequence = PngSequence {
        path: path.to_path_buf(),
        settings: settings.clone(),
        written: Vec::new(),
    };
    AtomicFile::check_writable(&sequence.file(0))?;
    Ok(Box::new(sequence))
}

/// A row of pictures in the making.
struct PngSequence {
    path: PathBuf,
    settings: FilmSettings,
    written: Vec<PathBuf>,
}

impl PngSequence {
    /// The file of a picture.
    fn file(&self, picture: usize) -> PathBuf {
        let mut name = self.path.file_stem().unwrap_or_default().to_os_string();
        name.push(format!("_{picture:05}.png"));
        self.path.with_file_name(name)
    }
}

impl FilmWriter for PngSequence {
    fn add(&mut self, rgba: &[u8]) -> Result<(), FilmError> {
        let picture = self.written.len();
        self.settings.check_picture(&self.path, picture, rgba)?;
        let file = self.file(picture);
        save(&file, &self.settings, picture, rgba)?;
        self.written.push(file);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<PathBuf>, FilmError> {
        if self.written.is_empty() {
            return Err(FilmError::Empty { path: self.path });
        }
        Ok(self.written)
    }
}
