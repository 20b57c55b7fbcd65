//! The pull of an image on curves.

use super::{Attribute, Kind, Range};
use crate::diagnostics::{Problem, Reporter};
use crate::parse::Values;
use crate::scene::{ForceFile, ImageFile};
use pliant::force::{ImageError, ImageForce, ImageSettings, Raster};

/// What describes an image and its pull.
pub(super) const IMAGE: &[Attribute] = &[
    Attribute::optional(
        "file",
        Kind::File(&["png", "pgm"]),
        "The image, relative to the scene file; `#` stands for the digits of a number where there are \
         several `frames`.",
    ),
    Attribute::or(
        "frames",
        Kind::Count {
            least: 1,
            most: 10_000,
        },
        "1",
        "How many images follow each other, `rate` of them per second; the first file has the number 0.",
    ),
    Attribute::optional(
        "rule",
        Kind::Rule,
        "The brightness of the image instead of a `file`, by u to the right and v upwards, from 0 to 1, \
         and w, the time in seconds.",
    ),
    Attribute::or(
        "pixels",
        Kind::Grid,
        "[128, 128]",
        "Into how many pixels a `rule` is divided: width and height.",
    ),
    Attribute::or(
        "corner",
        Kind::Vector,
        "[0, 0, 0]",
        "Where the lower left corner of the image is; it lies in a plane of constant z.",
    ),
    Attribute::required(
        "width",
        Kind::Number(Range::POSITIVE),
        "The width of the image, in metres.",
    ),
    Attribute::or(
        "edge",
        Kind::Number(Range::ANY),
        "1",
        "How much edges pull, in J/m: the depth of the valley along the steepest edge.",
    ),
    Attribute::or(
        "line",
        Kind::Number(Range::ANY),
        "0",
        "The weight of brightness, in J/m: negative pulls to bright lines, positive to dark ones.",
    ),
    Attribute::or(
        "termination",
        Kind::Number(Range::ANY),
        "0",
        "The weight of the curvature of lines of equal brightness, in J per metre and 1/pixel: pulls to \
         ends and corners.",
    ),
    Attribute::or(
        "balloon",
        Kind::Number(Range::ANY),
        "0",
        "A push to the right of the curve, outwards if it turns anticlockwise, in N/m; negative inwards.",
    ),
    Attribute::or(
        "blur",
        Kind::Number(Range::NOT_NEGATIVE),
        "1.5",
        "The standard deviation of the Gaussian that blurs the image, in pixels.",
    ),
    Attribute::optional(
        "wide",
        Kind::Number(Range::POSITIVE),
        "The blur at the start, in pixels, which draws from afar; it narrows until `focus`.",
    ),
    Attribute::or(
        "focus",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "When the blur has become `blur`, in seconds.",
    ),
    Attribute::or(
        "until",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "How long a `rule` changes, in seconds; 0 if it does not.",
    ),
    Attribute::or(
        "rate",
        Kind::Number(Range::POSITIVE),
        "10",
        "How many images are made or read per second while it changes.",
    ),
];

/// The settings of an image, but for the size of its pixels.
fn settings(values: &Values<'_>) -> ImageSettings {
    let blur = values.number("blur");
    ImageSettings {
        corner: values.vector("corner"),
        pixel: values.number("width"),
        line: values.number("line"),
        edge: values.number("edge"),
        termination: values.number("termination"),
        balloon: values.number("balloon"),
        blur: [values.optional_number("wide").unwrap_or(blur), blur],
        focus: values.number("focus"),
        until: values.number("until"),
        rate: values.number("rate"),
    }
}

/// The picture that a force takes from files, if it does.
pub(super) fn picture_of(values: &Values<'_>) -> Option<ForceFile> {
    let file = values.text("file")?.to_owned();
    let frames = values.count("frames") as usize;
    let mut settings = settings(values);
    settings.until = (frames - 1) as f64 / settings.rate;
    Some(ForceFile::Image(ImageFile {
        file,
        frames,
        settings,
    }))
}

/// The pull of an image by a formula; `None` where it comes from a file.
pub(super) fn make_image(
    reporter: &mut Reporter,
    values: &Values<'_>,
) -> Result<Option<ImageForce>, ImageError> {
    let (rule, file) = (values.rule("rule"), values.text("file"));
    if rule.is_some() == file.is_some() {
        let problem = Problem::new("expected either `rule` or `file`");
        values.wrong(reporter, "rule", problem);
        return Ok(None);
    }
    let several = values.count("frames") > 1;
    if let Some(file) = file
        && several != file.contains('#')
    {
        let problem = Problem::new(
            "several `frames` need a `file` with # for their numbers, and one has none",
        )
        .with_hint("such as file=\"walk-##.png\" frames=\"24\"");
        values.wrong(reporter, "frames", problem);
    }
    let Some(rule) = rule else { return Ok(None) };
    let size = match values.indices("pixels") {
        Some(&[width, height]) if (4..=4096).contains(&width) && (4..=4096).contains(&height) => {
            [width as usize, height as usize]
        }
        _ => {
            let problem = Problem::new("expected a width and a height from 4 to 4096 pixels");
            values.wrong(reporter, "pixels", problem);
            return Ok(None);
        }
    };
    let mut settings = settings(values);
    let [width, height] = size.map(|count| count as f64);
    settings.pixel /= width;
    let picture =
        |time: f64| Raster::from_fn(size, |x, y| rule.evaluate([x / width, y / height, time]));
    ImageForce::new(settings, picture).map(Some)
}
