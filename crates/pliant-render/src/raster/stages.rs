//! How long each part of the drawing takes, added up over all threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
#[cfg(not(target_arch = "wasm32"))]
use std::time::Instant;
#[cfg(target_arch = "wasm32")]
use web_time::Instant;

/// A part of the drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Triangles and spheres are brought into the view and sorted into tiles.
    Prepare,
    /// Maps of depths seen from the lamps.
    Shadows,
    /// How much of the sky is hidden.
    Occlusion,
    /// What is nearest at each sample.
    Visibility,
    /// Colours of what is seen.
    Shading,
    /// Transparent things and lines.
    Blending,
}

impl Stage {
    /// All parts, in their order.
    pub const ALL: [Self; 6] = [
        Self::Prepare,
        Self::Shadows,
        Self::Occlusion,
        Self::Visibility,
        Self::Shading,
        Self::Blending,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prepare => "triangles",
            Self::Shadows => "shadow maps",
            Self::Occlusion => "occlusion",
            Self::Visibility => "visibility",
            Self::Shading => "shading",
            Self::Blending => "blending",
        }
    }
}

/// Time that each part has taken, added up over all threads. Parts that run beside each other on
/// one thread's share of work may count a little of each other's time.
#[derive(Debug, Default)]
pub struct StageTimes {
    nanoseconds: [AtomicU64; 6],
}

impl StageTimes {
    /// Time of one part so far.
    pub fn of(&self, stage: Stage) -> Duration {
        Duration::from_nanos(self.nanoseconds[stage as usize].load(Ordering::Relaxed))
    }
}

/// A clock that may be absent: pictures are drawn where there is none.
#[derive(Clone, Copy)]
pub(super) struct Clock<'a>(pub Option<&'a StageTimes>);

impl Clock<'_> {
    /// Does something and adds the time it takes to a part.
    pub fn time<T>(self, stage: Stage, work: impl FnOnce() -> T) -> T {
        let Some(times) = self.0 else {
            return work();
        };
        let start = Instant::now();
        let result = work();
        let passed = start.elapsed().as_nanos() as u64;
        times.nanoseconds[stage as usize].fetch_add(passed, Ordering::Relaxed);
        result
    }
}
