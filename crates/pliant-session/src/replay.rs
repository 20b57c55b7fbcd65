//! Frames out of a cache: the world is built again from the scene text, and the snapshot of each
//! frame put back into it.

use crate::failure::Failure;
use crate::inputs::changed_files;
use crate::memory::MemoryLimit;
use crate::source::Source;
use pliant::{Frame, FrameMaker, Workspace, World};
use pliant_io::cache::{CacheReader, CachedFrame, InputFile, StepSample};
use pliant_scene::Override;
use std::path::{Path, PathBuf};

/// Makes the frames of a cache again.
pub struct Replay {
    /// The scene of the cache; its world is in the state of the frame that was made last.
    pub source: Source,
    cache: CacheReader,
    frame_maker: FrameMaker,
    workspace: Workspace,
}

impl Replay {
    /// Opens a cache.
    pub fn open(path: &Path, limit: Option<MemoryLimit>) -> Result<Self, Failure> {
        let cache = CacheReader::open(path).map_err(Failure::Cache)?;
        let header = cache.header().clone();
        let overrides: Vec<Override> = header
            .overrides
            .into_iter()
            .map(|[element, attribute, value]| (element, attribute, value))
            .collect();
        let source = Source::from_text(
            header.name,
            header.file,
            header.text,
            PathBuf::from(header.folder),
            &overrides,
            limit,
        )?;
        Ok(Self {
            frame_maker: FrameMaker::new(&source.world),
            workspace: Workspace::new(&source.world),
            cache,
            source,
        })
    }

    /// What has become of the files that the scene names since the run.
    pub fn changed_files(&self) -> Vec<String> {
        let now: Vec<InputFile> = self.source.inputs.iter().map(|i| i.file.clone()).collect();
        changed_files(&self.cache.header().inputs, &now)
    }

    /// The last whole frame that is not after this one, or else the first one.
    pub fn frame_not_after(&mut self, number: usize) -> Result<Frame, Failure> {
        let mut numbers = self.cache.whole_frames();
        let first = self.cache.whole_frames().next();
        let found = numbers.rfind(|&whole| whole <= number).or(first);
        drop(numbers);
        self.frame(found.unwrap_or(number))
    }

    /// Number of frames, those that are lost included.
    pub fn frame_count(&self) -> usize {
        self.cache.frame_count()
    }

    /// The cache itself.
    pub fn cache(&self) -> &CacheReader {
        &self.cache
    }

    /// A frame by its number, counted from 0.
    pub fn frame(&mut self, number: usize) -> Result<Frame, Failure> {
        let cached = self.cache.frame(number).map_err(Failure::Cache)?;
        restore(&mut self.source.world, &cached, self.cache.path())?;
        let mut frame = self
            .frame_maker
            .frame(&self.source.world, &mut self.workspace);
        frame.number = number;
        Ok(frame)
    }

    /// The measures of all steps up to the last frame.
    pub fn samples(&mut self) -> Result<Vec<StepSample>, Failure> {
        samples(&mut self.cache)
    }
}

/// Puts the state of a frame into a world of the same scene.
pub fn restore(world: &mut World, cached: &CachedFrame, path: &Path) -> Result<(), Failure> {
    world.restore(&cached.snapshot).map_err(|error| {
        Failure::Input(format!(
            "the cache {} does not fit its own scene: {error}",
            path.display()
        ))
    })
}

/// The measures of all steps of a cache.
pub fn samples(cache: &mut CacheReader) -> Result<Vec<StepSample>, Failure> {
    let mut samples = Vec::new();
    // Those of frames that are lost are missing.
    let numbers: Vec<usize> = cache.whole_frames().collect();
    for number in numbers {
        samples.extend(cache.frame(number).map_err(Failure::Cache)?.samples);
    }
    Ok(samples)
}
