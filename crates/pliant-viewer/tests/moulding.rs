//! Heating, cooling and tearing by hand: what the desk makes of it, and that it replays to the bit.

mod support;

use glam::DVec3;
use pliant::body::Blade;
use pliant::command::{BodyValue, Command};
use pliant_viewer::desk::Desk;
use pliant_viewer::{Deed, HISTORY_BYTES, Notice, Player, Recording, Request};
use std::sync::Arc;
use support::{SHEET, state_after_run};

fn desk(text: &str) -> Desk {
    let mut desk = Desk::new(HISTORY_BYTES, Arc::default());
    desk.carry_out(Request::OpenText {
        name: "sheet.xml".to_owned(),
        text: text.to_owned(),
        overrides: Vec::new(),
        files: Vec::new(),
    });
    desk
}

fn steps(desk: &mut Desk, count: usize) {
    for _ in 0..count {
        desk.step();
    }
}

fn player(desk: &Desk) -> &Player {
    desk.player().unwrap()
}

/// What was refused so far.
fn refusals(desk: &mut Desk) -> Vec<String> {
    let refused = |notice| match notice {
        Notice::Refused(message) | Notice::Mistake(message) => Some(message),
        _ => None,
    };
    desk.take_notices()
        .into_iter()
        .filter_map(refused)
        .collect()
}

/// A recording, written and read again, ends with the same bits.
fn check_replay(desk: &Desk) -> Recording {
    let recording = player(desk).recording();
    let read = Recording::from_json(&recording.to_json()).unwrap();
    assert_eq!(read, recording);
    let mut again = Player::replay(&read, HISTORY_BYTES).unwrap();
    for _ in 0..read.steps {
        again.step();
    }
    assert_eq!(again.world().state_hash(), read.state_hash);
    assert_eq!(again.text(), player(desk).text());
    assert_eq!(state_after_run(&read), read.state_hash);
    recording
}

/// A stroke from the eye through two places.
fn stroke(from: DVec3, to: DVec3) -> Request {
    let eye = DVec3::new(0.5, -6.0, 2.0);
    let beyond = |place: DVec3| eye + 1e3 * (place - eye);
    Request::Cut(Blade {
        corners: [eye, beyond(from), beyond(to)],
    })
}

#[test]
fn a_stroke_tears_a_sheet_that_has_no_process_and_replays_to_the_bit() {
    let mut desk = desk(SHEET);
    steps(&mut desk, 30);
    let node = player(&desk).world().bodies[0].state.positions[12];
    // Across the whole sheet, above its middle, in three parts.
    let level = |x: f64| DVec3::new(x, node.y, node.z + 0.06);
    for [from, to] in [[-1.0, 0.3], [0.3, 0.6], [0.6, 2.0]] {
        desk.carry_out(stroke(level(from), level(to)));
        steps(&mut desk, 2);
    }
    assert_eq!(refusals(&mut desk), Vec::<String>::new());
    let body = &player(&desk).world().bodies[0];
    assert_eq!(body.broken_count(), 5);
    let before = body.state.positions[22].z;
    steps(&mut desk, 40);
    // The lower part falls: more than half of what a free fall of 0.4 s would be.
    let after = player(&desk).world().bodies[0].state.positions[22].z;
    assert!(after < before - 0.4, "{before} {after}");
    let recording = check_replay(&desk);
    let inserts = |event: &&pliant_viewer::Event| matches!(event.deed, Deed::Insert { .. });
    assert_eq!(recording.events.iter().filter(inserts).count(), 1);
    // The scene as it stands is a scene that can be torn.
    assert!(player(&desk).text().contains("Fracture"));
}

#[test]
fn a_stroke_beside_everything_changes_nothing() {
    let mut desk = desk(SHEET);
    steps(&mut desk, 5);
    desk.carry_out(stroke(DVec3::new(0.0, 0.0, 9.0), DVec3::new(1.0, 0.0, 9.0)));
    steps(&mut desk, 1);
    assert!(player(&desk).recording().events.is_empty());
    assert_eq!(player(&desk).text(), SHEET);
}

#[test]
fn a_warm_sheet_is_moulded_and_a_cold_one_springs_back() {
    let place = DVec3::new(0.5, 0.5, 2.0);
    let heat = |seconds| Request::Heat {
        body: 0,
        place,
        seconds,
    };
    let mut desk = desk(SHEET);
    steps(&mut desk, 3);
    // Cold already: nothing but a word.
    desk.carry_out(heat(-0.02));
    assert!(player(&desk).recording().events.is_empty());
    // Warm: it becomes thermoplastic.
    desk.carry_out(heat(0.02));
    desk.carry_out(heat(0.02));
    assert!(player(&desk).text().contains("Maxwell"));
    steps(&mut desk, 40);
    let flowed = |desk: &Desk| {
        let flows = player(desk).world().bodies[0]
            .inelastic()
            .unwrap()
            .flows
            .clone();
        flows.iter().map(|flow| flow.abs()).sum::<f64>()
    };
    let warm = flowed(&desk);
    assert!(warm > 0.0);
    desk.carry_out(heat(-0.02));
    steps(&mut desk, 1);
    let cooled = flowed(&desk);
    steps(&mut desk, 20);
    assert_eq!(flowed(&desk), cooled);
    assert_eq!(player(&desk).value(0, BodyValue::Warmth), Some(0.0));
    desk.carry_out(heat(0.02));
    steps(&mut desk, 20);
    assert_ne!(flowed(&desk), cooled);
    assert_eq!(refusals(&mut desk), Vec::<String>::new());
    check_replay(&desk);
}

#[test]
fn a_body_that_conducts_heat_is_heated_where_the_hand_is() {
    let hot = SHEET.replace(
        "<Bind type=\"Force\"",
        "<Process type=\"Heat\" temperature=\"293\" conductivity=\"0.001\" capacity=\"1000\" \
         softens=\"350\" melts=\"500\" /><Bind type=\"Force\"",
    );
    let mut desk = desk(&hot);
    steps(&mut desk, 2);
    let places = &player(&desk).world().bodies[0].state.positions;
    let place = places[12];
    for _ in 0..5 {
        desk.carry_out(Request::Heat {
            body: 0,
            place,
            seconds: 0.03,
        });
        steps(&mut desk, 1);
    }
    assert_eq!(refusals(&mut desk), Vec::<String>::new());
    let temperatures = player(&desk).world().bodies[0].temperatures();
    assert!(temperatures[12] > 310.0, "{}", temperatures[12]);
    assert!(
        (temperatures[24] - 293.0).abs() < 1.0,
        "{}",
        temperatures[24]
    );
    let recording = check_replay(&desk);
    let heats =
        |event: &&pliant_viewer::Event| matches!(event.deed, Deed::Command(Command::Heat { .. }));
    assert_eq!(recording.events.iter().filter(heats).count(), 5);
}

#[test]
fn a_stroke_across_two_bodies_keeps_what_the_other_remembers() {
    // A second sheet that has flowed: a change of the first must not make it forget.
    let second = SHEET
        .split_once("<Body")
        .and_then(|(_, rest)| rest.split_once("</Body>"))
        .unwrap()
        .0
        .replace("id=\"Sheet\"", "id=\"Warm\"")
        .replace("pos=\"[0, ", "pos=\"[5, ")
        .replace("pos=\"[1, ", "pos=\"[6, ")
        .replace(
            "<Bind type=\"Force\"",
            "<Process type=\"Maxwell\" time=\"0.2\" /><Bind type=\"Force\"",
        );
    let two = SHEET.replace("</Body>", &format!("</Body><Body{second}</Body>"));
    let mut desk = desk(&two);
    steps(&mut desk, 20);
    let flows = player(&desk).world().bodies[1]
        .inelastic()
        .unwrap()
        .flows
        .clone();
    assert!(flows.iter().any(|flow| *flow != 0.0));
    let node = player(&desk).world().bodies[0].state.positions[12];
    let level = |x: f64| DVec3::new(x, node.y, node.z + 0.06);
    desk.carry_out(stroke(level(0.1), level(0.9)));
    assert_eq!(refusals(&mut desk), Vec::<String>::new());
    let kept = &player(&desk).world().bodies[1].inelastic().unwrap().flows;
    assert_eq!(*kept, flows);
}
