//! Where a run goes on after it was broken off.

use crate::failure::Failure;
use crate::inputs::changed_files;
use crate::source::Source;
use pliant_io::cache::{CacheError, CacheHeader, CacheReader, CachedFrame};
use pliant_scene::Override;
use std::path::Path;

/// The cache of a run that was broken off.
#[derive(Debug)]
pub struct Resumed {
    /// The cache, with at least one frame.
    pub cache: CacheReader,
    /// Its last whole frame, from which the run goes on.
    pub last: CachedFrame,
}

/// Opens the cache of an earlier run of the same scene; `None` if there is nothing to go on from.
/// `accept_changes` goes on although files that the scene names are not what they were.
pub fn find_earlier_run(
    path: &Path,
    now: &CacheHeader,
    accept_changes: bool,
) -> Result<Option<Resumed>, Failure> {
    if !path.exists() || is_empty(path) {
        return Ok(None);
    }
    let mut cache = CacheReader::open_locked(path).map_err(Failure::Cache)?;
    check_same(path, cache.header(), now)?;
    let changes = changed_files(&cache.header().inputs, &now.inputs);
    if !changes.is_empty() && !accept_changes {
        return Err(Failure::Input(format!(
            "cannot resume {}: {}\n  hint: put the files back as they were, or go on with them as \
             they are with --accept-changes",
            path.display(),
            changes.join(", ")
        )));
    }
    let Some(last) = cache.whole_frames().next_back() else {
        return Ok(None);
    };
    let last = cache.frame(last).map_err(Failure::Cache)?;
    Ok(Some(Resumed { cache, last }))
}

/// Whether a file holds nothing: what is left of a run that was killed before it began.
fn is_empty(path: &Path) -> bool {
    path.is_file() && std::fs::metadata(path).is_ok_and(|data| data.len() == 0)
}

/// Refuses to replace a cache that holds an unfinished run, or a file that is no cache.
pub fn check_may_replace(path: &Path) -> Result<(), Failure> {
    if !path.is_file() || is_empty(path) {
        return Ok(());
    }
    let hint = |more: &str| format!("\n  hint: {more}--overwrite begins anew");
    match CacheReader::open_locked(path) {
        Err(busy @ CacheError::Busy { .. }) => Err(Failure::Cache(busy)),
        Ok(cache) if cache.is_finished() || cache.frame_count() == 0 => Ok(()),
        Ok(cache) => Err(Failure::Input(format!(
            "{} holds {} frames of a run that did not come to its end{}",
            path.display(),
            cache.whole_frames().count(),
            hint("--resume goes on from there, ")
        ))),
        Err(error) => Err(Failure::Input(format!("{error}{}", hint("")))),
    }
}

/// What a cache of this run says about it.
pub fn header(
    source: &Source,
    overrides: &[Override],
    seconds: Option<f64>,
    frames: Option<usize>,
) -> CacheHeader {
    // Absolute, so that the cache can be used from another folder; a built-in scene has none.
    let folder = match source.folder.as_os_str().is_empty() {
        true => source.folder.clone(),
        false => std::path::absolute(&source.folder).unwrap_or_else(|_| source.folder.clone()),
    };
    CacheHeader {
        name: source.name.clone(),
        file: source.file.clone(),
        text: source.text.clone(),
        folder: folder.to_string_lossy().into_owned(),
        overrides: overrides
            .iter()
            .cloned()
            .map(|(element, attribute, value)| [element, attribute, value])
            .collect(),
        seconds,
        frames,
        inputs: source
            .inputs
            .iter()
            .map(|input| input.file.clone())
            .collect(),
    }
}

fn check_same(path: &Path, then: &CacheHeader, now: &CacheHeader) -> Result<(), Failure> {
    let differs = |what: &str, hint: &str| {
        Err(Failure::Input(format!(
            "cannot resume {}: {what}\n  hint: {hint}",
            path.display()
        )))
    };
    if then.text != now.text {
        return differs(
            &format!("the scene {} is not the one that was simulated", then.file),
            "leave out --resume to begin anew, or put the scene back as it was",
        );
    }
    if then.overrides != now.overrides {
        let options: Vec<String> = then
            .overrides
            .iter()
            .map(|[element, attribute, value]| format!("--set '{element}.{attribute}={value}'"))
            .collect();
        let hint = match options.is_empty() {
            true => "it ran without --set".to_owned(),
            false => format!("it ran with {}", options.join(" ")),
        };
        return differs("it ran with other values of --set", &hint);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_scene_or_other_values_are_refused() {
        let then = CacheHeader {
            text: "a".to_owned(),
            overrides: vec![["Wind".to_owned(), "c".to_owned(), "4".to_owned()]],
            ..CacheHeader::default()
        };
        let path = Path::new("run.pliant");
        let longer = CacheHeader {
            seconds: Some(9.0),
            file: "elsewhere.xml".to_owned(),
            ..then.clone()
        };
        assert!(check_same(path, &then, &longer).is_ok());
        let other_scene = CacheHeader {
            text: "b".to_owned(),
            ..then.clone()
        };
        let message = check_same(path, &then, &other_scene)
            .unwrap_err()
            .to_string();
        assert!(message.contains("not the one"), "{message}");
        let other_values = CacheHeader {
            overrides: Vec::new(),
            ..then.clone()
        };
        let message = check_same(path, &then, &other_values)
            .unwrap_err()
            .to_string();
        assert!(message.contains("--set 'Wind.c=4'"), "{message}");
    }
}
