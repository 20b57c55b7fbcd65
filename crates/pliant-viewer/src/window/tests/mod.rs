//! The window without a display and without an adapter: keys, buttons and the mouse drive the program
//! as a user does, and what it says is read from what it would draw.

mod fingers;
mod panels;
mod planar;
mod user;

use super::App;
use crate::request::Request;
use eframe::egui::{self, Event, Key, Modifiers};
use std::time::{Duration, Instant};
use user::User;

fn step(app: &App) -> usize {
    app.shown.as_ref().map_or(0, |shown| shown.step)
}

#[test]
fn space_and_arrows_run_pause_and_step() {
    let mut user = User::with_scene("flag");
    user.until("a start", |app| app.is_running() && step(app) > 3);
    assert!(user.says("Pause") && user.says("A flag waving"));
    assert!(user.says("Take hold of it"));
    user.press(Key::Space);
    user.until("a pause", |app| !app.is_running());
    let paused = step(&user.app);
    user.press(Key::ArrowRight);
    user.until("a step", |app| step(app) == paused + 1);
    user.press(Key::ArrowLeft);
    user.press(Key::ArrowLeft);
    user.until("two steps back", |app| step(app) == paused - 1);
    user.press(Key::R);
    user.until("a reset", |app| step(app) == 0);
    user.see(Vec::new(), Modifiers::NONE);
    user.click("Start");
    user.until("a start", App::is_running);
    user.press(Key::Plus);
    user.until("double speed", |app| {
        app.shown.as_ref().unwrap().speed == 2.0
    });
    user.press(Key::Q);
    let closes = |command: &egui::ViewportCommand| matches!(command, egui::ViewportCommand::Close);
    assert!(user.commands.iter().any(closes));
}

#[test]
fn help_lists_every_key_and_looks_are_switched() {
    let mut user = User::with_scene("flag");
    user.press(Key::F1);
    for binding in crate::keys::BINDINGS {
        assert!(user.says(binding.meaning), "{}", binding.name);
    }
    user.press(Key::F1);
    user.see(Vec::new(), Modifiers::NONE);
    assert!(!user.says("write a screenshot"));
    user.press(Key::D);
    user.see(Vec::new(), Modifiers::NONE);
    assert!(user.says("Particles and forces"));
    user.press(Key::D);
    user.press(Key::W);
    user.see(Vec::new(), Modifiers::NONE);
    assert!(user.says("Wireframe"));
    user.press(Key::F);
    user.see(Vec::new(), Modifiers::NONE);
    assert!(user.says("frames per second"));
}

#[test]
fn control_and_drag_pulls_the_point_under_the_pointer() {
    let mut user = User::with_scene("flag");
    user.until("a start", |app| app.is_running() && step(app) > 2);
    user.see(Vec::new(), Modifiers::NONE);
    let body = user.app.shown.as_ref().unwrap().frame.bodies[0].clone();
    // A node in the middle of the flag.
    let point = body.positions[15 + 31 * 10];
    let place = user.place_in_picture(point);
    let control = Modifiers::COMMAND | Modifiers::CTRL;
    user.button(place, true, control);
    let there = place + egui::vec2(-80.0, 60.0);
    for share in 1..=8 {
        let at = place.lerp(there, share as f32 / 8.0);
        user.see(vec![Event::PointerMoved(at)], control);
        std::thread::sleep(Duration::from_millis(10));
    }
    let start = Instant::now();
    while user.app.shown.as_ref().unwrap().pulls.is_empty() {
        assert!(start.elapsed() < Duration::from_secs(20), "no pull came");
        user.see(Vec::new(), control);
        std::thread::sleep(Duration::from_millis(2));
    }
    let pull = user.app.shown.as_ref().unwrap().pulls[0];
    assert_eq!(pull.stencil.problem(), None);
    let target = user.place_in_picture(pull.target);
    assert!((target - there).length() < 40.0, "{target} {there}");
    user.button(there, false, control);
    user.until("the end of the pull", |app| {
        app.shown.as_ref().unwrap().pulls.is_empty()
    });
}

#[test]
fn a_stroke_with_the_tool_tears_the_flag() {
    let mut user = User::with_scene("flag");
    user.until("a start", |app| app.is_running() && step(app) > 2);
    user.press(Key::Space);
    user.until("a pause", |app| !app.is_running());
    user.see(Vec::new(), Modifiers::NONE);
    user.click("Tear");
    let body = user.app.shown.as_ref().unwrap().frame.bodies[0].clone();
    let place = user.place_in_picture(body.positions[15 + 31 * 10]);
    let (from, to) = (place - egui::vec2(0.0, 40.0), place + egui::vec2(0.0, 40.0));
    user.button(from, true, Modifiers::NONE);
    for share in 1..=8 {
        let at = from.lerp(to, share as f32 / 8.0);
        user.see(vec![Event::PointerMoved(at)], Modifiers::NONE);
    }
    user.button(to, false, Modifiers::NONE);
    user.press(Key::ArrowRight);
    let torn = |app: &App| {
        let body = &app.shown.as_ref().unwrap().frame.bodies[0];
        body.topology.broken_links.len()
    };
    user.until("a tear", |app| torn(app) > 2);
    user.see(Vec::new(), Modifiers::NONE);
    assert!(user.says("Flag is ready to be torn"));
}

#[test]
fn a_click_with_control_fixes_a_particle_while_paused() {
    let mut user = User::with_scene("flag");
    user.until("a start", App::is_running);
    user.press(Key::Space);
    user.until("a pause", |app| !app.is_running());
    user.see(Vec::new(), Modifiers::NONE);
    let node = 15 + 31 * 10;
    let positions = &user.app.shown.as_ref().unwrap().frame.bodies[0].positions;
    let place = user.place_in_picture(positions[node]);
    let control = Modifiers::COMMAND | Modifiers::CTRL;
    let fixed = |app: &App| {
        let fixed = &app.shown.as_ref().unwrap().frame.bodies[0].fixed;
        fixed.iter().filter(|is_fixed| **is_fixed).count()
    };
    let before = fixed(&user.app);
    user.button(place, true, control);
    user.button(place, false, control);
    user.until("a fixed particle", |app| fixed(app) == before + 1);
    assert!(user.app.shown.as_ref().unwrap().frame.bodies[0].fixed[node]);
    user.button(place, true, control);
    user.button(place, false, control);
    user.until("a free particle", |app| fixed(app) == before);
}

#[test]
fn the_gallery_shows_all_scenes_and_opens_one() {
    let mut user = User::new(None);
    user.see(Vec::new(), Modifiers::NONE);
    user.see(Vec::new(), Modifiers::NONE);
    assert!(user.says("choose a scene") && user.says("carpet"));
    user.click("flag");
    user.until("the flag", |app| {
        app.shown.is_some() && app.scene.name == "flag"
    });
    user.until("a start", App::is_running);
}

#[test]
fn a_mistake_is_shown_with_its_place() {
    let folder = std::env::temp_dir().join(format!("pliant-window-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("wrong.xml");
    std::fs::write(&file, "<EDMConfig id=\"a\">\n  <Blob />\n</EDMConfig>").unwrap();
    let named = file.to_string_lossy().into_owned();
    let mut user = User::new(Some(Request::Open(named, Vec::new())));
    let start = Instant::now();
    while !user.says("wrong.xml:2:3") {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{:?}",
            user.texts
        );
        user.see(Vec::new(), Modifiers::NONE);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(user.says("The scene has a mistake"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn two_variants_go_in_step_and_are_pulled_together() {
    let mut user = User::with_scene("flag");
    user.until("a start", |app| app.is_running() && step(app) > 3);
    user.see(Vec::new(), Modifiers::NONE);
    let values = std::sync::Arc::clone(&user.app.scene.values);
    let choice = values
        .iter()
        .find(|value| value.attribute == "formulation")
        .expect("a choice of formulations");
    let choice = crate::SceneValue {
        value: Some("Hybrid".to_owned()),
        ..choice.clone()
    };
    let context = user.context.clone();
    user.app.compare(&context, choice);
    let times = |app: &App| {
        let second = app.second.as_ref()?.shown.as_ref()?;
        Some([app.shown.as_ref()?.time, second.time])
    };
    user.until("both", |app| {
        times(app).is_some_and(|times| times[0] > 0.1 && times[1] > 0.1)
    });
    let time_step = user.app.scene.time_step;
    for _ in 0..60 {
        user.see(Vec::new(), Modifiers::NONE);
        let [one, other] = times(&user.app).unwrap();
        // On the way from one common moment to the next they may differ.
        assert!((one - other).abs() < 0.1 + 4.0 * time_step, "{one} {other}");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(user.says("formulation Hybrid") && user.says("as it stands"));
    // What is done to the picture at the left is done to both.
    let body = user.app.shown.as_ref().unwrap().frame.bodies[0].clone();
    let place = user.place_in_picture(body.positions[15 + 31 * 10]);
    let control = Modifiers::COMMAND | Modifiers::CTRL;
    user.button(place, true, control);
    let start = Instant::now();
    let pulls = |app: &App| {
        let second = app.second.as_ref().and_then(|second| second.shown.as_ref());
        let counts =
            [app.shown.as_ref(), second].map(|shown| shown.map_or(0, |shown| shown.pulls.len()));
        counts.iter().sum::<usize>()
    };
    while pulls(&user.app) < 2 {
        assert!(start.elapsed() < Duration::from_secs(20), "no pulls came");
        user.see(Vec::new(), control);
        std::thread::sleep(Duration::from_millis(2));
    }
    user.button(place, false, control);
    user.see(Vec::new(), Modifiers::NONE);
    user.click("Show one");
    assert!(user.app.second.is_none());
    let before = step(&user.app);
    user.until("more steps", |app| step(app) > before + 20);
}

#[test]
fn a_film_is_begun_and_ended_by_a_key() {
    let mut user = User::with_scene("flag");
    user.until("a start", |app| app.is_running() && step(app) > 3);
    user.press(Key::M);
    user.see(Vec::new(), Modifiers::NONE);
    assert!(user.says("End film"));
    let before = user.commands.len();
    let start = step(&user.app);
    user.until("some steps", |app| step(app) > start + 20);
    let takes =
        |command: &&egui::ViewportCommand| matches!(command, egui::ViewportCommand::Screenshot(_));
    // 20 steps of 0.02 s are 12 pictures, those that were late counted once.
    let taken = user.commands[before..].iter().filter(takes).count();
    assert!((3..=16).contains(&taken), "{taken}");
    user.press(Key::M);
    user.see(Vec::new(), Modifiers::NONE);
    assert!(!user.says("End film"));
}

#[test]
fn a_comparison_can_be_asked_for_at_the_start() {
    let mut user = User::new(Some(Request::Open("flag".to_owned(), Vec::new())));
    user.app.asked_comparison = Some(("formulation".to_owned(), "Hybrid".to_owned()));
    user.until("both", |app| {
        let second = app.second.as_ref().and_then(|second| second.shown.as_ref());
        second.is_some_and(|shown| shown.time > 0.1)
    });
    user.see(Vec::new(), Modifiers::NONE);
    assert!(user.says("formulation Hybrid") && user.says("as it stands"));
    // What the scene does not have is said.
    let mut user = User::new(Some(Request::Open("flag".to_owned(), Vec::new())));
    user.app.asked_comparison = Some(("colour".to_owned(), "Red".to_owned()));
    user.until("a frame", |app| app.shown.is_some());
    user.wait();
    assert!(user.says("the scene has no choice of `colour`") && user.app.second.is_none());
}

#[test]
fn whatever_a_key_does_a_button_does_too() {
    let mut user = User::with_scene("flag");
    user.until("a start", |app| app.is_running() && step(app) > 3);
    user.press(Key::Space);
    user.until("a pause", |app| !app.is_running());
    user.see(Vec::new(), Modifiers::NONE);
    user.click("More");
    user.wait();
    for binding in crate::keys::BINDINGS {
        assert!(user.says(binding.meaning), "{}", binding.name);
    }
    assert!(user.says("drag zooms") && user.says("drag shifts the view"));
    let paused = step(&user.app);
    user.click("one step forward");
    user.until("a step", |app| step(app) == paused + 1);
    user.click("More");
    user.wait();
    user.click("frames per second");
    user.wait();
    assert!(user.app.switches.frame_rate);
    user.click("More");
    user.wait();
    user.click("show or hide the panels");
    user.wait();
    assert!(!user.says("Energy and effort"));
}
