//! H.264 in MP4: the film that plays nearly everywhere.
//!
//! The encoder is `rusty_h264-encoder`, pure Rust (docs/film.md says why and what it costs). High
//! profile, no pictures out of order, constant quantiser with more care for what stays in view
//! and for flat areas. Colours are BT.709, limited range, 4:2:0, and the stream says so.

mod annex_b;
mod sequence;

use crate::frame_rate::FrameRate;
use crate::mp4::{Mp4, VideoTrack};
use crate::yuv::Planes;
use crate::{FilmError, FilmSettings, FilmWriter, Quality};
use rusty_h264_common::YuvPlanes;
use rusty_h264_encoder::{Encoder, EncoderConfig, Preset};
use std::path::{Path, PathBuf};

/// The largest side: beyond it lies every level of the standard that decoders know.
const LARGEST_SIDE: usize = 8192;
/// Longest time between pictures a player can jump to, seconds.
const KEY_INTERVAL_SECONDS: f64 = 5.0;
/// Pictures the encoder looks ahead. Each is held in memory (1.4 MB at 1280 x 720).
const LOOKAHEAD: u32 = 20;

/// Earlier pictures a picture may refer to. Three make a film of cloth 3 % smaller and take a quarter more time.
const REFERENCE_PICTURES: u32 = 1;

/// Begins an MP4 film.
pub(crate) fn open(path: &Path, settings: &FilmSettings) -> Result<Box<dyn FilmWriter>, FilmError> {
    settings.check("mp4", 1, LARGEST_SIDE)?;
    let mp4 = Mp4::create(path)?;
    let planes = Planes::new(settings.width, settings.height);
    let encoder =
        Encoder::new(configuration(settings, &planes)).map_err(|error| FilmError::Encode {
            path: path.to_path_buf(),
            picture: 0,
            reason: error.to_string(),
        })?;
    Ok(Box::new(H264Film {
        path: path.to_path_buf(),
        settings: settings.clone(),
        planes,
        encoder,
        mp4,
        parameters: None,
        picture_count: 0,
    }))
}

/// The encoder's settings.
fn configuration(settings: &FilmSettings, planes: &Planes) -> EncoderConfig {
    let mut configuration = EncoderConfig::new(planes.width, planes.height);
    (configuration.preset, configuration.qp) = match settings.quality {
        Quality::Draft => (Preset::Fast, 28),
        Quality::Good => (Preset::Fast, 20),
        Quality::Best => (Preset::Quality, 12),
    };
    configuration.framerate = settings.frames_per_second as f32;
    let interval = (settings.frames_per_second * KEY_INTERVAL_SECONDS).round();
    configuration.gop_size = interval.clamp(2.0, 250.0) as u32;
    configuration.lookahead = LOOKAHEAD;
    configuration.num_ref_frames = REFERENCE_PICTURES;
    // Simulations have neither cuts nor fades, and looking for them takes time.
    configuration.scenecut = 0;
    configuration.weightp = false;
    // Cameras stand still: motion by fractions of pixels and larger transforms make a film a tenth
    // smaller and take twice the time.
    configuration.transform_8x8 = settings.quality == Quality::Best;
    configuration.tune_lme_hi = None;
    configuration.level_idc = level(planes, settings.frames_per_second);
    configuration
}

/// The lowest level that admits the size and rate, times ten. The encoder raises it further when
/// its store of reference pictures needs that.
///
/// Implements: ITU-T H.264, table A-1 (columns MaxFS and MaxMBPS).
fn level(planes: &Planes, frames_per_second: f64) -> u8 {
    const LEVELS: [(u8, usize, f64); 9] = [
        (30, 1620, 40_500.0),
        (31, 3600, 108_000.0),
        (32, 5120, 216_000.0),
        (40, 8192, 245_760.0),
        (42, 8704, 522_240.0),
        (50, 22_080, 589_824.0),
        (51, 36_864, 983_040.0),
        (52, 36_864, 2_073_600.0),
        (60, 139_264, 4_177_920.0),
    ];
    let blocks = planes.width.div_ceil(16) * planes.height.div_ceil(16);
    let rate = blocks as f64 * frames_per_second;
    LEVELS
        .iter()
        .find(|(_, size, speed)| blocks <= *size && rate <= *speed)
        .map_or(62, |(level, _, _)| *level)
}

/// Sequence and picture parameter sets, which MP4 keeps apart from the pictures.
struct Parameters {
    sequence: Vec<u8>,
    picture: Vec<u8>,
}

/// An MP4 film in the making.
struct H264Film {
    path: PathBuf,
    settings: FilmSettings,
    planes: Planes,
    encoder: Encoder,
    mp4: Mp4,
    parameters: Option<Parameters>,
    picture_count: usize,
}

impl H264Film {
    fn failed(&self, reason: impl ToString) -> FilmError {
        FilmError::Encode {
            path: self.path.clone(),
            picture: self.picture_count,
            reason: reason.to_string(),
        }
    }

    /// Moves the encoder's output, which holds any number of pictures, to the container.
    fn store(&mut self, stream: &[u8]) -> Result<(), FilmError> {
        for unit in annex_b::units(stream) {
            match annex_b::kind(unit) {
                annex_b::SEQUENCE_PARAMETERS | annex_b::PICTURE_PARAMETERS => {
                    self.store_parameters(unit)?;
                }
                kind @ (annex_b::PICTURE | annex_b::KEY_PICTURE) => {
                    if !annex_b::begins_picture(unit) {
                        return Err(self.failed("the encoder cut a picture in slices"));
                    }
                    let length = u32::try_from(unit.len()).map_err(|_| FilmError::TooLarge {
                        path: self.path.clone(),
                        reason: "a picture of 4 GiB",
                    })?;
                    let length = length.to_be_bytes();
                    self.mp4
                        .add_sample(&[&length, unit], kind == annex_b::KEY_PICTURE)?;
                }
                // Supplemental information and delimiters: MP4 needs neither.
                _ => {}
            }
        }
        Ok(())
    }

    fn store_parameters(&mut self, unit: &[u8]) -> Result<(), FilmError> {
        let is_sequence = annex_b::kind(unit) == annex_b::SEQUENCE_PARAMETERS;
        let unit = if is_sequence {
            let rate = FrameRate::new(self.settings.frames_per_second);
            sequence::with_description(unit, rate)
                .ok_or_else(|| self.failed("the encoder's sequence parameters are unknown"))?
        } else {
            unit.to_vec()
        };
        let parameters = self.parameters.get_or_insert_with(|| Parameters {
            sequence: Vec::new(),
            picture: Vec::new(),
        });
        let kept = if is_sequence {
            &mut parameters.sequence
        } else {
            &mut parameters.picture
        };
        if kept.is_empty() {
            *kept = unit;
        } else if *kept != unit {
            return Err(self.failed("the encoder changed its parameters on the way"));
        }
        Ok(())
    }
}

impl FilmWriter for H264Film {
    fn add(&mut self, rgba: &[u8]) -> Result<(), FilmError> {
        self.settings
            .check_picture(&self.path, self.picture_count, rgba)?;
        self.planes
            .convert(rgba, self.settings.width, self.settings.height);
        let planes = &self.planes;
        let view = YuvPlanes {
            width: planes.width,
            height: planes.height,
            y: &planes.luma,
            u: &planes.blue,
            v: &planes.red,
            stride_y: planes.width,
            stride_c: planes.width / 2,
        };
        let stream = self
            .encoder
            .encode_planes(&view)
            .map_err(|error| self.failed(error))?;
        self.picture_count += 1;
        self.store(&stream)
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<PathBuf>, FilmError> {
        if self.picture_count == 0 {
            return Err(FilmError::Empty { path: self.path });
        }
        let stream = self
            .encoder
            .try_flush()
            .map_err(|error| self.failed(error))?;
        self.store(&stream)?;
        if self.mp4.sample_count() != self.picture_count {
            return Err(self.failed(format!(
                "the encoder made {} pictures of {}",
                self.mp4.sample_count(),
                self.picture_count
            )));
        }
        let Some(parameters) = &self.parameters else {
            return Err(self.failed("the encoder gave no parameters"));
        };
        let entry = sequence::sample_entry(&self.planes, &parameters.sequence, &parameters.picture)
            .ok_or_else(|| self.failed("the encoder's parameters are unknown"))?;
        self.mp4.finish(&VideoTrack {
            width: self.planes.width,
            height: self.planes.height,
            rate: FrameRate::new(self.settings.frames_per_second).in_fine_ticks(),
            sample_entry: entry,
        })?;
        Ok(vec![self.path])
    }
}
