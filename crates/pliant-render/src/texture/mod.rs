//! Pictures laid over bodies: read from files, or made by name.

mod procedural;

pub use procedural::PROCEDURAL_NAMES;

use crate::draw_list::Texture;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits};
use pliant::Frame;
use pliant::frame::BaseColor;
use std::collections::HashMap;
use std::fs;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use thiserror::Error;

/// A texture that cannot be had.
#[derive(Debug, Error)]
pub enum TextureError {
    /// The file cannot be read.
    #[error("the texture `{}` cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is no picture of a known kind.
    #[error("the texture `{}` is no PNG, JPEG, BMP or TGA picture: {reason}", path.display())]
    NoPicture {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// Longest side of a picture, in pixels.
const LONGEST_SIDE: u32 = 16_384;
/// Largest picture in memory, in bytes.
const LARGEST: u64 = 1 << 30;

/// Textures by the name a scene gives them.
///
/// ```
/// use pliant_render::TextureStore;
/// # let folder = std::path::Path::new(".");
/// let textures = TextureStore::load(folder, ["checker", "flag"])?;
/// assert!(textures.get("flag").is_some());
/// assert!(TextureStore::load(folder, ["no-such-file.png"]).is_err());
/// # Ok::<(), pliant_render::TextureError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TextureStore {
    textures: HashMap<String, Arc<Texture>>,
}

impl TextureStore {
    /// Loads textures from files relative to `base`; the names in [`PROCEDURAL_NAMES`] are made
    /// instead. The first that cannot be had is an error.
    pub fn load<'a>(
        base: &Path,
        paths: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, TextureError> {
        Self::load_with(&|name| fs::read(base.join(name)), paths)
    }

    /// Loads textures from the bytes that `read` gives for a name; the names in
    /// [`PROCEDURAL_NAMES`] are made instead.
    pub fn load_with<'a>(
        read: &dyn Fn(&str) -> io::Result<Vec<u8>>,
        paths: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, TextureError> {
        let mut textures = HashMap::new();
        for path in paths {
            if !textures.contains_key(path) {
                let texture = match procedural::make(path) {
                    Some(texture) => texture,
                    None => decode(Path::new(path), read(path))?,
                };
                textures.insert(path.to_owned(), Arc::new(texture));
            }
        }
        Ok(Self { textures })
    }

    /// Loads what the bodies and obstacles of a frame ask for.
    pub fn for_frame(base: &Path, frame: &Frame) -> Result<Self, TextureError> {
        Self::load(base, texture_paths(frame))
    }

    /// The texture that was loaded under a name.
    pub fn get(&self, path: &str) -> Option<&Arc<Texture>> {
        self.textures.get(path)
    }

    /// Adds a texture made elsewhere.
    pub fn insert(&mut self, name: impl Into<String>, texture: Texture) {
        self.textures.insert(name.into(), Arc::new(texture));
    }
}

/// The textures that the bodies and obstacles of a frame ask for.
pub fn texture_paths(frame: &Frame) -> Vec<&str> {
    let bodies = frame.bodies.iter().map(|body| &body.appearance);
    let obstacles = frame.obstacles.iter().map(|obstacle| &obstacle.appearance);
    let mut paths: Vec<&str> = bodies
        .chain(obstacles)
        .filter_map(|appearance| match &appearance.base {
            BaseColor::Texture(path) => Some(path.as_str()),
            BaseColor::Color(_) => None,
        })
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// Bytes that a picture may have that is packed into so many: 16 MB, or what a PNG of one colour with one
/// bit per pixel packs into them.
fn largest_picture(packed: usize) -> u64 {
    (16_000_000 + 9_000 * packed as u64).min(LARGEST)
}

fn decode(path: &Path, bytes: io::Result<Vec<u8>>) -> Result<Texture, TextureError> {
    let unreadable = |source| TextureError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let no_picture = |reason: String| TextureError::NoPicture {
        path: path.to_owned(),
        reason,
    };
    let bytes = bytes.map_err(unreadable)?;
    let most = largest_picture(bytes.len());
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(unreadable)?;
    if reader.format().is_none() {
        // TGA files do not say what they are; their name has to.
        let format = ImageFormat::from_path(path)
            .map_err(|_| no_picture("neither its content nor its name is known".into()))?;
        reader.set_format(format);
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(most);
    reader.limits(limits);
    // Not every decoder asks before it makes room for the whole picture.
    let decoder = reader
        .into_decoder()
        .map_err(|error| no_picture(error.to_string()))?;
    if decoder.total_bytes() > most {
        return Err(no_picture("its header claims more than it holds".into()));
    }
    let picture = DynamicImage::from_decoder(decoder).map_err(|error| match error {
        ImageError::IoError(source) if source.kind() != io::ErrorKind::UnexpectedEof => {
            unreadable(source)
        }
        other => no_picture(other.to_string()),
    })?;
    let picture = picture.into_rgb8();
    Ok(Texture {
        width: picture.width() as usize,
        height: picture.height() as usize,
        pixels: picture.pixels().map(|pixel| pixel.0).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("pliant-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn pictures_of_every_format_are_read_relative_to_the_base() {
        let folder = folder("textures");
        let picture = RgbImage::from_fn(16, 8, |x, _| {
            Rgb(if x < 8 { [200, 30, 40] } else { [20, 60, 220] })
        });
        for name in ["a.png", "a.jpg", "a.bmp", "a.tga"] {
            picture.save(folder.join(name)).unwrap();
            let textures = TextureStore::load(&folder, [name]).unwrap();
            let texture = textures.get(name).unwrap();
            assert_eq!((texture.width, texture.height), (16, 8));
            let close = |found: [u8; 3], wanted: [u8; 3]| {
                found.iter().zip(wanted).all(|(a, b)| a.abs_diff(b) < 12)
            };
            assert!(close(texture.pixels[1], [200, 30, 40]), "{name}");
            assert!(close(texture.pixels[14], [20, 60, 220]), "{name}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_header_that_claims_more_than_the_file_holds_is_refused() {
        let mut tga = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        tga.extend(15_000_u16.to_le_bytes());
        tga.extend(15_000_u16.to_le_bytes());
        tga.extend([24, 0, 9, 9, 9]);
        let read = |_: &str| Ok(tga.clone());
        let refused = TextureStore::load_with(&read, ["a.tga"]).unwrap_err();
        assert!(refused.to_string().contains("claims more"), "{refused}");
    }

    #[test]
    fn missing_and_broken_files_are_told_apart() {
        let folder = folder("broken-textures");
        let missing = TextureStore::load(&folder, ["missing.png"]).unwrap_err();
        assert!(matches!(missing, TextureError::Unreadable { .. }));
        assert!(missing.to_string().contains("missing.png"));
        RgbImage::new(64, 64)
            .save(folder.join("whole.png"))
            .unwrap();
        let bytes = std::fs::read(folder.join("whole.png")).unwrap();
        std::fs::write(folder.join("cut.png"), &bytes[..bytes.len() / 2]).unwrap();
        std::fs::write(folder.join("text.png"), "no picture at all").unwrap();
        std::fs::write(folder.join("empty.tga"), "").unwrap();
        std::fs::write(folder.join("strange"), "no picture at all").unwrap();
        for name in ["cut.png", "text.png", "empty.tga", "strange"] {
            let error = TextureStore::load(&folder, [name]).unwrap_err();
            assert!(
                matches!(error, TextureError::NoPicture { .. }),
                "{name}: {error}"
            );
            assert!(error.to_string().contains(name));
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
