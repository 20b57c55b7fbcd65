//! Plots of what was measured, against time: `--plot energy.svg`.
//!
//! A quantity becomes curves (`curves.rs`), curves become lines and texts on a sheet (`chart.rs`,
//! `axis.rs`), and a sheet becomes SVG (`svg.rs`) or a PNG picture (`png.rs`).

mod axis;
mod chart;
mod curves;
mod png;
mod svg;

pub use curves::{Quantity, Run};
pub use svg::escaped;

use crate::output::prepare_file;
use chart::chart;
use pliant_io::AtomicFile;
use pliant_scene::nearest;
use pliant_session::Failure;
use std::path::{Path, PathBuf};

/// A plot that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// What is plotted.
    pub quantity: Quantity,
    /// The file: `.svg` or `.png`.
    pub path: PathBuf,
}

/// `FILE` whose name says what is plotted, or `QUANTITY=FILE`.
pub fn plot(text: &str) -> Result<Plot, String> {
    let (quantity, path) = match text.split_once('=') {
        Some((name, path)) => (named(name.trim())?, Path::new(path)),
        None => {
            let path = Path::new(text);
            (named_by(path)?, path)
        }
    };
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    if extension != "svg" && extension != "png" {
        return Err("a plot is written to a file that ends in .svg or .png".to_owned());
    }
    let path = path.to_path_buf();
    Ok(Plot { quantity, path })
}

fn named(name: &str) -> Result<Quantity, String> {
    Quantity::from_name(name).ok_or_else(|| {
        let hint = nearest(name, Quantity::ALL.map(Quantity::name))
            .map(|near| format!(" (did you mean `{near}`?)"))
            .unwrap_or_default();
        format!("there is no plot of `{name}`{hint}; there are {}", known())
    })
}

/// The quantity that is a word of the file's name: `flag-energy.svg`.
fn named_by(path: &Path) -> Result<Quantity, String> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let is_word = |quantity: &Quantity| {
        let mut words = stem.split(['-', '_', '.', ' ']);
        words.any(|word| word.eq_ignore_ascii_case(quantity.name()))
    };
    Quantity::ALL.into_iter().find(is_word).ok_or_else(|| {
        format!(
            "the name of the file does not say what to plot: name it after {}, or write \
             QUANTITY=FILE",
            known()
        )
    })
}

fn known() -> String {
    Quantity::ALL.map(Quantity::name).join(", ")
}

/// Finds out whether all plots can be made and written, before the simulation begins.
pub fn prepare(plots: &[Plot], has_volume: bool) -> Result<(), Failure> {
    for plot in plots {
        if plot.quantity == Quantity::Volume && !has_volume {
            return Err(Failure::Input(
                "there is no volume to plot: no body of the scene is closed".to_owned(),
            ));
        }
        prepare_file(&plot.path)?;
    }
    Ok(())
}

/// Writes all plots.
pub fn write(plots: &[Plot], title: &str, runs: &[Run]) -> Result<Vec<PathBuf>, Failure> {
    let mut written = Vec::new();
    for Plot { quantity, path } in plots {
        let title = format!("{title}: {}", quantity.title());
        let sheet = chart(&title, *quantity, &quantity.curves(runs));
        let is_svg = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
        if is_svg {
            AtomicFile::save(path, svg::svg(&sheet).as_bytes()).map_err(Failure::on_the_way)?;
        } else {
            png::save(path, &sheet)?;
        }
        written.push(path.clone());
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_are_named_by_their_file_or_before_an_equals_sign() {
        let by_file = plot("out/flag-energy.svg").unwrap();
        assert_eq!(by_file.quantity, Quantity::Energy);
        assert_eq!(by_file.path, Path::new("out/flag-energy.svg"));
        let by_name = plot("momentum=a.png").unwrap();
        assert_eq!(by_name.quantity, Quantity::Momentum);
        assert_eq!(by_name.path, Path::new("a.png"));
        for (wrong, message) in [
            ("a.svg", "QUANTITY=FILE"),
            ("energy.pdf", ".svg or .png"),
            ("enrgy=a.svg", "did you mean `energy`?"),
            ("energy=", ".svg or .png"),
        ] {
            let found = plot(wrong).unwrap_err();
            assert!(found.contains(message), "{wrong}: {found}");
        }
    }
}
