//! Planar scenes: Flatland opens flat, with the velocity of the centre of mass and the strobe.

use super::step;
use super::user::User;
use eframe::egui::{Key, Modifiers, vec2};

#[test]
fn flatland_opens_flat_and_shows_where_it_was_and_goes() {
    for name in ["flatland-elastic", "flatland-bounce"] {
        let mut user = User::with_scene(name);
        user.until("a start", |app| app.is_running() && step(app) > 2);
        user.see(Vec::new(), Modifiers::NONE);
        assert!(user.app.is_planar, "{name}");
        // The view faces the plane x, z.
        let camera = user.app.orbit.camera;
        let sight = (camera.target - camera.eye).normalize();
        assert!(sight.y.abs() > 1.0 - 1e-9, "{name}: {sight}");
        // The velocity of the centre of mass, in numbers.
        let shown = user.app.shown.as_ref().unwrap();
        let speed = shown.centres[0].velocity.length();
        let short = super::super::overlay::short(speed);
        let body = shown.frame.bodies[0].name.to_string();
        assert!(
            user.says(&format!("{body}: {short} m/s")),
            "{name}: {:?}",
            user.texts
        );
        assert!(user.says(&format!("moves at {short} m/s")), "{name}");
    }
}

#[test]
fn the_strobe_draws_where_the_curve_was() {
    let mut user = User::with_scene("flatland-elastic");
    user.until("a start", |app| app.is_running() && step(app) > 2);
    let past = |app: &super::App| app.trail.0.len();
    user.until("a trail", |app| past(app) >= 3);
    user.press(Key::Space);
    user.until("a pause", |app| !app.is_running());
    user.wait();
    assert!(user.says("Strobe"));
    let without = user.lines;
    user.press(Key::T);
    user.see(Vec::new(), Modifiers::NONE);
    let moments = &user.app.trail.0;
    let links: usize = moments
        .iter()
        .map(|past| past.bodies[0].1.lines.len())
        .sum();
    assert!(
        links > 20 && user.lines >= without + links,
        "{} {without} {links}",
        user.lines
    );
    // The button does the same.
    user.click("Strobe");
    user.wait();
    assert_eq!(user.lines, without);
    // A flag is not planar and has no strobe.
    let mut other = User::with_scene("flag");
    other.until("a start", |app| step(app) > 2);
    other.see(Vec::new(), Modifiers::NONE);
    assert!(!other.app.is_planar && !other.says("Strobe"));
}

#[test]
fn a_drag_beside_the_curve_shifts_the_view_and_home_faces_the_plane() {
    let mut user = User::with_scene("flatland-elastic");
    user.until("a start", |app| app.is_running() && step(app) > 2);
    user.press(Key::Space);
    user.until("a pause", |app| !app.is_running());
    user.see(Vec::new(), Modifiers::NONE);
    user.click("Pull");
    let camera = user.app.orbit.camera;
    let corner = user.app.picture_rect.left_bottom() + vec2(30.0, -30.0);
    user.drag(corner, corner + vec2(40.0, -20.0));
    let shifted = user.app.orbit.camera;
    let turned = (shifted.target - shifted.eye) - (camera.target - camera.eye);
    assert!(turned.length() < 1e-9 && (shifted.eye - camera.eye).length() > 1e-3);
    // With the tool that turns it is turned; Home faces the plane again.
    user.click("Rotate");
    user.drag(corner, corner + vec2(60.0, -40.0));
    let sight = |user: &User| {
        let camera = user.app.orbit.camera;
        (camera.target - camera.eye).normalize().y.abs()
    };
    assert!(sight(&user) < 0.99);
    user.press(Key::Home);
    assert!(sight(&user) > 1.0 - 1e-9);
}
