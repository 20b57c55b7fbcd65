//! Appearances as other programs want them: linear colours, and images found from another folder.

use pliant::frame::{Appearance, BaseColor, Finish};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The colour of what has an image that cannot be shown.
const GREY: [f64; 3] = [0.7; 3];

/// The colour in linear light, as shaders count. A scene names colours as a screen shows them
/// (sRGB). White under an image, grey where an image cannot be laid on.
pub(crate) fn linear_color(appearance: &Appearance, image_shown: bool) -> [f32; 3] {
    let color = match &appearance.base {
        BaseColor::Color(color) => *color,
        BaseColor::Texture(_) if image_shown => [1.0; 3],
        BaseColor::Texture(_) => GREY,
    };
    color.map(|value| {
        let value = value.clamp(0.0, 1.0);
        let linear = if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        };
        linear as f32
    })
}

/// What a thing is made of; rough and opaque unless the scene says otherwise.
pub(crate) fn finish(appearance: &Appearance) -> Finish {
    appearance.finish.unwrap_or(Finish {
        roughness: 0.7,
        ..Finish::PLAIN
    })
}

/// How a file in `folder` refers to an image that the scene names from the working folder or from the
/// root: by a relative path with forward slashes, so that both can be moved together. An image that does
/// not exist is named as in the scene.
pub(crate) fn image_reference(image: &str, folder: &Path) -> String {
    let plain = image.replace(char::is_control, "_");
    let (Ok(image), Ok(folder)) = (fs::canonicalize(image), fs::canonicalize(folder)) else {
        return plain;
    };
    relative_path(&image, &folder)
        .and_then(|path| path.to_str().map(|text| text.replace('\\', "/")))
        .unwrap_or(plain)
}

/// The way from a folder to a file, both given from the root.
fn relative_path(file: &Path, folder: &Path) -> Option<PathBuf> {
    let (file, folder): (Vec<_>, Vec<_>) =
        (file.components().collect(), folder.components().collect());
    // Two drives have no way between them.
    if file.first()? != folder.first()? {
        return None;
    }
    let shared = file.iter().zip(&folder).take_while(|(a, b)| a == b).count();
    let up = folder[shared..].iter().map(|_| Component::ParentDir);
    Some(up.chain(file[shared..].iter().copied()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_linear() {
        let grey = linear_color(&Appearance::color([0.5, 0.02, 7.0]), false);
        assert!((grey[0] - 0.214_041).abs() < 1e-6);
        assert!((grey[1] - 0.02 / 12.92).abs() < 1e-6);
        assert_eq!(grey[2], 1.0);
        let texture = Appearance::texture("a.png");
        assert_eq!(linear_color(&texture, true), [1.0; 3]);
        assert!(linear_color(&texture, false)[0] < 0.5);
    }

    #[test]
    fn images_are_found_from_the_folder_of_the_file() {
        let way = relative_path(Path::new("/a/b/images/x.png"), Path::new("/a/b/out/c"));
        assert_eq!(way.unwrap(), Path::new("../../images/x.png"));
        assert_eq!(
            image_reference("no such.png", Path::new(".")),
            "no such.png"
        );
        // Tests run in the folder of the crate.
        assert_eq!(
            image_reference("Cargo.toml", Path::new("src")),
            "../Cargo.toml"
        );
        let absolute = fs::canonicalize("Cargo.toml").unwrap();
        assert_eq!(
            image_reference(absolute.to_str().unwrap(), Path::new("src")),
            "../Cargo.toml"
        );
    }
}
