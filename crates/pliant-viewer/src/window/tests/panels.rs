//! What is done in the panel at the right: the grid of the material, sliders, plots.

use super::user::User;
use super::{App, step};
use eframe::egui::{Color32, Modifiers, Pos2, Rect, vec2};
use std::time::Duration;

/// The nodes of the flag: 31 along its lower edge, 21 rows.
const COLUMNS: usize = 31;
const ROWS: usize = 21;

/// Where the points of the grid are seen in the panel.
fn grid(user: &User) -> Vec<(Pos2, Color32)> {
    let panel = user.app.picture_rect.right();
    let is_point = |radius: f32| radius == 1.8 || radius == 3.5;
    let discs = user.discs.iter();
    discs
        .filter(|(place, radius, _)| place.x > panel && is_point(*radius))
        .map(|(place, _, color)| (*place, *color))
        .collect()
}

/// Where a node is seen in the grid.
fn place_of(user: &User, column: usize, row: usize) -> Pos2 {
    let all = grid(user);
    assert_eq!(all.len(), COLUMNS * ROWS);
    let around = Rect::from_points(&all.iter().map(|(place, _)| *place).collect::<Vec<_>>());
    let across = column as f32 / (COLUMNS - 1) as f32;
    let up = row as f32 / (ROWS - 1) as f32;
    around.left_bottom() + vec2(across * around.width(), -up * around.height())
}

/// The columns and rows of the nodes that are fixed.
fn fixed(app: &App) -> Vec<(usize, usize)> {
    let fixed = &app.shown.as_ref().unwrap().frame.bodies[0].fixed;
    let nodes = fixed.iter().enumerate().filter(|(_, is_fixed)| **is_fixed);
    nodes
        .map(|(node, _)| (node % COLUMNS, node / COLUMNS))
        .collect()
}

#[test]
fn points_of_the_grid_are_fixed_and_released_by_click_and_by_rectangle() {
    let mut user = User::with_scene("flag");
    user.pause();
    user.open_sections(&["Grid of the material"]);
    // The flag is held along its pole, at the left of the grid.
    let pole: Vec<(usize, usize)> = (0..ROWS).map(|row| (0, row)).collect();
    assert_eq!(fixed(&user.app), pole);
    let red: Vec<Pos2> = grid(&user)
        .into_iter()
        .filter(|(_, color)| color.r() > 150 && color.g() < 80)
        .map(|(place, _)| place)
        .collect();
    assert_eq!(red.len(), ROWS);
    let left = place_of(&user, 0, 0).x;
    assert!(red.iter().all(|place| (place.x - left).abs() < 0.5));

    // A click fixes the point under it, another one releases it.
    let at = place_of(&user, 15, 10);
    user.click_at(at);
    user.until("a fixed point", |app| fixed(app).contains(&(15, 10)));
    assert_eq!(fixed(&user.app).len(), ROWS + 1);
    user.see(Vec::new(), Modifiers::NONE);
    user.click_at(at);
    user.until("a free point", |app| fixed(app) == pole);

    // A rectangle does so with all in it: three columns and four rows in the upper right corner.
    let half = vec2(3.0, 3.0);
    let from = place_of(&user, 28, 17) + vec2(-half.x, half.y);
    let to = place_of(&user, 30, 20) + vec2(half.x, -half.y);
    user.drag(from, to);
    user.until("fixed points", |app| fixed(app).len() == ROWS + 12);
    let is_in = |&(column, row): &(usize, usize)| column == 0 || (column >= 28 && row >= 17);
    assert!(fixed(&user.app).iter().all(is_in));
    user.see(Vec::new(), Modifiers::NONE);
    user.drag(to, from);
    user.until("free points", |app| fixed(app) == pole);

    // Some of those in a rectangle are fixed: then all become fixed. One that holds none does nothing.
    let from = place_of(&user, 0, 0) + vec2(-half.x, half.y);
    let to = place_of(&user, 2, 0) + vec2(half.x, -half.y);
    user.drag(from, to);
    user.until("fixed points", |app| fixed(app).len() == ROWS + 2);
    let between = place_of(&user, 20, 10) + vec2(2.5, 2.5);
    user.drag(between, between + vec2(1.0, 1.0));
    user.wait();
    assert_eq!(fixed(&user.app).len(), ROWS + 2);
}

/// The handle of the slider with a name.
fn handle(user: &User, name: &str) -> Pos2 {
    let label = user.place_of(name);
    let label = label.unwrap_or_else(|| panic!("no {name} in {:?}", user.texts));
    let panel = user.app.picture_rect.right();
    let is_handle = |rect: &Rect| rect.width() < 16.0 && rect.width() < rect.height();
    let found = user.boxes.iter().find(|rect| {
        let middle = rect.center();
        is_handle(rect) && (middle.y - label.y).abs() < 6.0 && (panel..label.x).contains(&middle.x)
    });
    found.unwrap_or_else(|| panic!("no slider {name}")).center()
}

fn value(app: &App, part: &str, attribute: &str) -> String {
    let mut values = app.scene.values.iter();
    let found = values.find(|entry| entry.part == part && entry.attribute == attribute);
    found.unwrap().value.clone().unwrap_or_default()
}

#[test]
fn sliders_change_gravity_wind_and_material_while_it_runs() {
    let mut user = User::with_scene("flag");
    user.until("a start", |app| app.is_running() && step(app) > 3);
    user.open_sections(&["Values of the scene"]);
    let before = step(&user.app);
    let at = handle(&user, "g z");
    let tip =
        |app: &App| app.shown.as_ref().unwrap().frame.bodies[0].velocities[COLUMNS * ROWS - 1];
    user.drag(at, at + vec2(30.0, 0.0));
    let gravity = |app: &App| crate::numbers(&value(app, "Force Gravity", "g")).unwrap();
    user.until("another gravity", |app| gravity(app)[2] > -5.0);
    assert_eq!(gravity(&user.app)[..2], [0.0, 0.0]);
    // The state goes on, and time with it.
    user.until("more steps", |app| step(app) > before + 3);
    assert!(tip(&user.app).is_finite());

    // It takes effect before the slider is let go.
    user.wait();
    let at = handle(&user, "c");
    let wind = |app: &App| value(app, "Force Wind", "c").parse::<f64>().unwrap();
    assert_eq!(wind(&user.app), 3.0);
    user.button(at, true, Modifiers::NONE);
    let there = at + vec2(25.0, 0.0);
    user.see(
        vec![eframe::egui::Event::PointerMoved(there)],
        Modifiers::NONE,
    );
    user.until("another wind", |app| wind(app) > 6.0);
    user.button(there, false, Modifiers::NONE);
    // The slider stays where the hand has left it.
    user.wait();
    std::thread::sleep(Duration::from_millis(50));
    user.wait();
    assert!((handle(&user, "c").x - there.x).abs() < 4.0);

    // A tensor has one slider for all its entries.
    user.click("Force Gravity");
    user.wait();
    user.click("Force Wind");
    user.wait();
    user.click("Body Flag");
    user.wait();
    let at = handle(&user, "tension ×");
    user.drag(at, at + vec2(20.0, 0.0));
    let tension = |app: &App| crate::numbers(&value(app, "Body Flag", "tension")).unwrap();
    user.until("another tension", |app| tension(app)[0] > 60.0);
    let found = tension(&user.app);
    assert!(
        (found[0] / found[1] - 2.0).abs() < 1e-9 && found[0] == found[3],
        "{found:?}"
    );
}

#[test]
fn the_plots_show_energies_stages_and_the_volume_of_what_has_one() {
    let mut user = User::with_scene("flag");
    user.until("some steps", |app| app.is_running() && step(app) > 10);
    user.open_sections(&["Energy and effort"]);
    for title in [
        "energy (J)",
        "per step (J)",
        "iterations per step",
        "ms per step",
    ] {
        assert!(user.says(title), "{title}");
    }
    for curve in [
        "kinetic ",
        "elastic ",
        "created ",
        "Newton ",
        "assembly ",
        "solver ",
        "contact ",
    ] {
        assert!(user.says(curve), "{curve}");
    }
    assert!(!user.says("volume"), "a flag has none");
    let last = |app: &App| *app.shown.as_ref().unwrap().samples.0.back().unwrap();
    let sample = last(&user.app);
    let stages: f64 = sample.stages.iter().sum();
    assert!(
        stages > 0.0 && stages <= 1.05 * sample.milliseconds,
        "{sample:?}"
    );

    let mut user = User::with_scene("tube-drop");
    user.until("some steps", |app| step(app) > 2);
    user.pause();
    user.open_sections(&["Energy and effort"]);
    assert!(user.says("volume (m³)"));
    let sample = last(&user.app);
    assert!(sample.volume > 0.0);
    let written = format!("volume {}", super::super::overlay::short(sample.volume));
    assert!(user.says(&written), "{written} {:?}", user.texts);
}
