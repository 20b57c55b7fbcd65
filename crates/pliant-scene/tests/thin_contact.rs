//! Contact of a quarter of the thickness takes at most twice the iterations, and nearly always comes to its end (it did
//! not in hundreds of solves where stiffness did not grow as the range gets thin).

use pliant::Workspace;
use pliant_scene::{build, parse};
use std::path::Path;

/// Newton iterations, solves without an end and shortened steps of the first half of a second and a little more of the
/// scene in which rigid and soft bodies fall into a sheet, with another thickness.
fn effort(thickness: &str) -> [usize; 3] {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    let text = std::fs::read_to_string(folder.join("soft-and-rigid.xml")).unwrap();
    assert!(text.contains("thickness=\"0.004\" friction"));
    let text = text.replace(
        "thickness=\"0.004\" friction",
        &format!("thickness=\"{thickness}\" friction"),
    );
    let scene = parse(&text, "thin.xml").unwrap_or_else(|errors| panic!("{errors}"));
    let mut world = build(&scene, "thin.xml", &folder).unwrap_or_else(|errors| panic!("{errors}"));
    let mut workspace = Workspace::new(&world);
    let mut sums = [0; 3];
    for _ in 0..65 {
        let report = world.step(&mut workspace);
        assert_eq!((report.quarantined, report.non_finite), (0, 0));
        assert!(report.energy_created < 1e-6, "{}", report.energy_created);
        let taken = [
            report.newton_iterations,
            report.unconverged_solves,
            report.shortened_steps,
        ];
        for (sum, taken) in sums.iter_mut().zip(taken) {
            *sum += taken;
        }
    }
    sums
}

#[test]
fn thin_contact_is_as_good_as_thick_contact() {
    let [usual, ..] = effort("0.004");
    let thickness = "0.001";
    let [newton, unconverged, shortened] = effort(thickness);
    assert!(
        newton < 2 * usual,
        "{thickness} m: {newton} iterations, {usual} with 0.004 m"
    );
    assert!(
        unconverged <= 3 && shortened < 20,
        "{thickness} m: {unconverged} solves without an end, {shortened} shortened steps"
    );
}
