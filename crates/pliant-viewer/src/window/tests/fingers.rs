//! What fingers do.

use super::step;
use super::user::User;
use eframe::egui::{Event, Modifiers, Pos2, TouchDeviceId, TouchId, TouchPhase, vec2};

/// A finger of a number.
fn finger(number: u64, phase: TouchPhase, pos: Pos2) -> Event {
    Event::Touch {
        device_id: TouchDeviceId(0),
        id: TouchId(number),
        phase,
        pos,
        force: None,
    }
}

/// What a window makes of the first finger beside the touch itself.
fn pressed(pos: Pos2, pressed: bool) -> [Event; 2] {
    [
        Event::PointerMoved(pos),
        Event::PointerButton {
            pos,
            button: eframe::egui::PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        },
    ]
}

#[test]
fn one_finger_pulls_and_a_second_zooms_without_leaving_a_pull() {
    let mut user = User::with_scene("flag");
    user.until("a start", |app| app.is_running() && step(app) > 2);
    user.see(Vec::new(), Modifiers::NONE);
    let positions = &user.app.shown.as_ref().unwrap().frame.bodies[0].positions;
    let place = user.place_in_picture(positions[15 + 31 * 10]);
    let mut first = vec![finger(1, TouchPhase::Start, place)];
    first.extend(pressed(place, true));
    user.see(first, Modifiers::NONE);
    user.until("a pull", |app| {
        !app.shown.as_ref().unwrap().pulls.is_empty()
    });

    let far = |user: &User| {
        let camera = user.app.orbit.camera;
        (camera.eye - camera.target).length()
    };
    let before = far(&user);
    let other = place + vec2(60.0, 0.0);
    user.see(vec![finger(2, TouchPhase::Start, other)], Modifiers::NONE);
    for step in 1..=8 {
        let at = other + vec2(10.0 * step as f32, 0.0);
        user.see(vec![finger(2, TouchPhase::Move, at)], Modifiers::NONE);
    }
    assert!(far(&user) < 0.8 * before, "{before} {}", far(&user));
    user.until("the end of the pull", |app| {
        app.shown.as_ref().unwrap().pulls.is_empty()
    });
    let mut last = vec![
        finger(2, TouchPhase::End, other),
        finger(1, TouchPhase::End, place),
    ];
    last.extend(pressed(place, false));
    user.see(last, Modifiers::NONE);
    user.wait();
    assert!(user.app.shown.as_ref().unwrap().pulls.is_empty());
}
