//! Options of pictures and films, the same for all commands that make them.

use clap::Args;
use pliant_render::Look;
use pliant_scene::{Scene, language};
use pliant_session::{AskedCamera, PictureSettings, Stage, Studio, asked_camera};

/// The most pixels of a side, the same as in scenes.
const LARGEST_SIDE: usize = language::LARGEST_SIDE as usize;

/// How pictures and films are to look.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Pictures and films")]
pub struct PictureArguments {
    /// Width and height in pixels [default: the scene's, else 1280x720]
    #[arg(long, value_name = "WIDTHxHEIGHT", value_parser = size)]
    pub size: Option<(usize, usize)>,
    /// shaded, wireframe, particles, threads, net, blobby or field:NAME [default: the scene's]
    #[arg(long, value_name = "NAME", value_parser = style)]
    pub style: Option<Look>,
    /// Colour bodies by a number at their nodes: speed, strain, stress
    #[arg(long, value_name = "NAME", conflicts_with = "style")]
    pub field: Option<String>,
    /// Where the eye is and what it looks at, such as 4,-5,2/0,0,1 (and /30 for the height of the
    /// view in degrees); or fit, which moves the scene's camera until all that moves fills the
    /// picture [default: the scene's]
    #[arg(long, value_name = "EYE/TARGET", value_parser = asked_camera, allow_hyphen_values = true)]
    pub camera: Option<AskedCamera>,
    /// Samples a pixel: 1 is quick, 8 is smooth
    #[arg(long, value_name = "N", default_value = "4", value_parser = samples)]
    pub samples: usize,
    /// Frames a second that a film shows [default: as many as were simulated in a second]
    #[arg(long, value_name = "N", value_parser = rate)]
    pub fps: Option<f64>,
    /// Blur what moves in films: each picture is the mean of this many moments between two frames; 1 is
    /// sharp [default: the scene's, else 4 below 50 frames a second]
    #[arg(long, value_name = "N", value_parser = motion_blur)]
    pub motion_blur: Option<usize>,
    /// Show this many moments over each other in a picture, early ones fainter
    #[arg(long, value_name = "N", value_parser = moments, conflicts_with = "frame")]
    pub strobe: Option<usize>,
    /// Show this many moments beside each other in a picture
    #[arg(long, value_name = "N", value_parser = moments, conflicts_with_all = ["frame", "strobe"])]
    pub sheet: Option<usize>,
    /// The frame that a single picture shows, counted from 0 [default: the last]
    #[arg(long, value_name = "N")]
    pub frame: Option<usize>,
    /// Let the program ffmpeg write films, which knows more formats (.webm, .mov)
    #[arg(long)]
    pub ffmpeg: bool,
}

impl PictureArguments {
    /// The same for who draws.
    pub fn settings(&self) -> PictureSettings {
        let field = self.field.clone().map(Look::Field);
        PictureSettings {
            size: self.size,
            look: field.or(self.style.clone()),
            camera: self.camera,
            samples: self.samples,
            motion_blur: self.motion_blur,
        }
    }

    /// Draws runs side by side, for films with some pictures per second.
    pub fn studio(&self, stages: Vec<Stage>, scene: &Scene, frames_per_second: f64) -> Studio {
        let settings = self.settings();
        let mut studio = Studio::new(stages, scene, &settings);
        studio.set_motion_blur(settings.film_moments(scene.picture.motion_blur, frames_per_second));
        studio
    }

    /// How many moments a single picture shows, if more than one.
    pub fn moments(&self) -> Option<usize> {
        self.strobe.or(self.sheet)
    }

    /// The option that asks for several moments.
    pub fn moments_option(&self) -> &'static str {
        match self.strobe {
            Some(_) => "--strobe",
            None => "--sheet",
        }
    }
}

fn size(text: &str) -> Result<(usize, usize), String> {
    let expected = "expected a width and a height in pixels, such as 1280x720";
    let (width, height) = text.split_once(['x', 'X']).ok_or(expected)?;
    let side = |text: &str| text.trim().parse::<usize>().map_err(|_| expected);
    let (width, height) = (side(width)?, side(height)?);
    if width == 0 || height == 0 {
        return Err("a picture has at least one pixel".to_owned());
    }
    if width > LARGEST_SIDE || height > LARGEST_SIDE {
        return Err(format!("a side has at most {LARGEST_SIDE} pixels"));
    }
    Ok((width, height))
}

fn style(text: &str) -> Result<Look, String> {
    text.parse()
        .map_err(|error: pliant_render::UnknownStyle| error.to_string())
}

fn samples(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(samples @ (1 | 4 | 8)) => Ok(samples),
        _ => Err("expected 1, 4 or 8".to_owned()),
    }
}

fn rate(text: &str) -> Result<f64, String> {
    match text.trim().parse() {
        Ok(rate) if (0.1..=1000.0).contains(&rate) => Ok(rate),
        _ => Err("expected a number of frames per second from 0.1 to 1000".to_owned()),
    }
}

fn motion_blur(text: &str) -> Result<usize, String> {
    const MOST: usize = language::MOST_MOMENTS as usize;
    match text.trim().parse() {
        Ok(moments @ 1..=MOST) => Ok(moments),
        _ => Err(format!("expected a number of moments from 1 to {MOST}")),
    }
}

fn moments(text: &str) -> Result<usize, String> {
    match text.trim().parse() {
        Ok(moments @ 2..=100) => Ok(moments),
        _ => Err("expected a number of moments from 2 to 100".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked() {
        assert_eq!(size("640x480"), Ok((640, 480)));
        for wrong in ["", "640", "0x5", "5x0", "-1x5", "9000x5", "ax5"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(style("Wireframe"), Ok(Look::Wireframe));
        assert!(style("shady").is_err());
        assert!(samples("3").is_err() && samples("8").is_ok());
        assert!(rate("0").is_err() && rate("nan").is_err() && rate("30").is_ok());
        assert!(
            motion_blur("0").is_err() && motion_blur("65").is_err() && motion_blur("4").is_ok()
        );
        assert!(moments("1").is_err() && moments("5").is_ok());
    }
}
