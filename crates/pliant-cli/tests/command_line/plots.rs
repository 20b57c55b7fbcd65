//! `--plot`: energies and more against time.

use crate::folder::{Folder, png_size};
use std::fs;

#[test]
fn plots_have_axes_units_and_curves() {
    let folder = Folder::with_sheet("plots", r#"timestep="0.01""#);
    let run = [
        "run",
        "sheet.xml",
        "--out",
        "r.pliant",
        "--frames",
        "13",
        "--plot",
        "energy.svg",
    ];
    let more = ["--plot", "contacts=many.svg", "--plot", "momentum.png"];
    let ran = folder.pliant(&[&run[..], &more].concat()).exits(0);
    assert!(ran.out.contains("wrote energy.svg"), "{}", ran.out);
    let energy = fs::read_to_string(folder.path("energy.svg")).unwrap();
    for text in [
        "since the start (J)",
        "time (s)",
        ">kinetic<",
        ">total<",
        "sheet",
        ">0.0<",
        ">0.4<",
    ] {
        assert!(energy.contains(text), "{text}");
    }
    let contacts = fs::read_to_string(folder.path("many.svg")).unwrap();
    assert!(contacts.contains("contacts of nodes"));
    let (width, height) = png_size(&fs::read(folder.path("momentum.png")).unwrap());
    assert!(width > 900 && height > 500);
    // The cache holds every step, so that the same plot comes out of it.
    folder
        .pliant(&["render", "r.pliant", "--plot", "again-energy.svg"])
        .exits(0);
    let again = fs::read_to_string(folder.path("again-energy.svg")).unwrap();
    assert_eq!(again, energy);
}
