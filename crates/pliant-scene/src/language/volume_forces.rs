//! The pull of a volume on surfaces.

use super::{Attribute, Kind, Range};
use crate::diagnostics::{Problem, Reporter};
use crate::parse::Values;
use crate::scene::{ForceFile, VolumeFile};
use glam::DVec3;
use pliant::force::{ImageError, VolumeForce, VolumeSettings, Voxels};

/// What describes a volume and its pull.
pub(super) const VOLUME: &[Attribute] = &[
    Attribute::optional(
        "file",
        Kind::File(&["png", "pgm"]),
        "A stack of images, relative to the scene file, with `#` for the digits of the number, from 0 at \
         the bottom; each lies in a plane of constant z and shows x to the right and y upwards.",
    ),
    Attribute::or(
        "slices",
        Kind::Count {
            least: 4,
            most: 4096,
        },
        "4",
        "How many images there are.",
    ),
    Attribute::optional(
        "rule",
        Kind::Rule,
        "The brightness instead of a `file`, by u, v and w along x, y and z, from 0 to 1.",
    ),
    Attribute::or(
        "voxels",
        Kind::Grid,
        "[48, 48, 48]",
        "Into how many voxels a `rule` is divided along x, y and z; they are cubes.",
    ),
    Attribute::or(
        "corner",
        Kind::Vector,
        "[0, 0, 0]",
        "Where the lowest corner of the volume is.",
    ),
    Attribute::required(
        "width",
        Kind::Number(Range::POSITIVE),
        "The extent of the volume along x, in metres.",
    ),
    Attribute::or(
        "edge",
        Kind::Number(Range::ANY),
        "1",
        "How much edges pull, in J/m²: the depth of the valley along the steepest edge.",
    ),
    Attribute::or(
        "line",
        Kind::Number(Range::ANY),
        "0",
        "The weight of brightness, in J/m²: negative pulls to what is bright, positive to what is dark.",
    ),
    Attribute::or(
        "balloon",
        Kind::Number(Range::ANY),
        "0",
        "A push outwards, in Pa; negative inwards.",
    ),
    Attribute::or(
        "blur",
        Kind::Number(Range::NOT_NEGATIVE),
        "1",
        "The standard deviation of the Gaussian that blurs the volume, in voxels.",
    ),
    Attribute::optional(
        "wide",
        Kind::Number(Range::POSITIVE),
        "The blur at the start, in voxels, which draws from afar; it narrows until `focus`.",
    ),
    Attribute::or(
        "focus",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "When the blur has become `blur`, in seconds.",
    ),
];

/// The settings of a volume, but for the size of its voxels.
fn settings(values: &Values<'_>) -> VolumeSettings {
    let blur = values.number("blur");
    VolumeSettings {
        corner: values.vector("corner"),
        voxel: values.number("width"),
        line: values.number("line"),
        edge: values.number("edge"),
        balloon: values.number("balloon"),
        blur: [values.optional_number("wide").unwrap_or(blur), blur],
        focus: values.number("focus"),
    }
}

/// The stack of images that a force takes from files, if it does.
pub(super) fn stack_of(values: &Values<'_>) -> Option<ForceFile> {
    let file = values.text("file")?.to_owned();
    Some(ForceFile::Volume(VolumeFile {
        file,
        slices: values.count("slices") as usize,
        settings: settings(values),
    }))
}

/// The pull of a volume by a formula; `None` where it comes from files.
pub(super) fn make_volume(
    reporter: &mut Reporter,
    values: &Values<'_>,
) -> Result<Option<VolumeForce>, ImageError> {
    let (rule, file) = (values.rule("rule"), values.text("file"));
    if rule.is_some() == file.is_some() {
        let problem = Problem::new("expected either `rule` or `file`");
        values.wrong(reporter, "rule", problem);
        return Ok(None);
    }
    if let Some(file) = file
        && !(file.contains('#') && values.is_given("slices"))
    {
        let problem = Problem::new("a stack needs `slices` and a `file` with # for their numbers")
            .with_hint("such as file=\"scan-##.png\" slices=\"40\"");
        values.wrong(reporter, "file", problem);
    }
    let Some(rule) = rule else { return Ok(None) };
    let size = match values.indices("voxels") {
        Some(&[x, y, z]) if [x, y, z].iter().all(|count| (4..=512).contains(count)) => {
            [x as usize, y as usize, z as usize]
        }
        _ => {
            let problem = Problem::new("expected three numbers of voxels from 4 to 512");
            values.wrong(reporter, "voxels", problem);
            return Ok(None);
        }
    };
    let mut settings = settings(values);
    settings.voxel /= size[0] as f64;
    let extent = DVec3::from_array(size.map(|count| count as f64));
    let field = Voxels::from_fn(size, |at| rule.evaluate((at / extent).to_array()));
    VolumeForce::new(settings, &field).map(Some)
}
