//! The player: history, branches, pulls, changes and recordings, all to the bit.

mod support;

use glam::DVec3;
use pliant::Workspace;
use pliant::command::{BodyValue, Command, CommandForce};
use pliant::force::Stencil;
use pliant_session::Source;
use pliant_viewer::{Deed, HISTORY_BYTES, Outcome, Player, Recording, scene_values};
use std::path::PathBuf;
use support::{SHEET, state_after_run};

fn source(text: &str) -> Source {
    let (name, file) = ("sheet".to_owned(), "sheet.xml".to_owned());
    Source::from_text(name, file, text.to_owned(), PathBuf::new(), &[], None).unwrap()
}

fn player() -> Player {
    Player::new(source(SHEET), Vec::new(), HISTORY_BYTES)
}

fn steps(player: &mut Player, count: usize) {
    for _ in 0..count {
        assert_eq!(player.step(), Outcome::Taken);
    }
}

/// A point inside a triangle of the sheet.
const MIDDLE: Stencil = Stencil {
    nodes: [12, 13, 17],
    weights: [0.5, 0.25, 0.25],
};

fn pull(target: DVec3) -> Command {
    Command::AddForceAt {
        handle: 1,
        body: 0,
        stencil: MIDDLE,
        force: CommandForce::Spring {
            target,
            constant: 500.0,
        },
    }
}

fn change(player: &mut Player, part: &str, attribute: &str, value: &str) -> Vec<String> {
    let values = scene_values(player.text());
    let found = values
        .iter()
        .find(|entry| entry.part == part && entry.attribute == attribute)
        .unwrap();
    player.change(&found.path, attribute, value).unwrap()
}

#[test]
fn a_branch_is_a_run_restored_from_that_snapshot_to_the_bit() {
    let mut player = player();
    steps(&mut player, 8);
    player.command(pull(DVec3::new(0.5, 0.5, 3.0))).unwrap();
    steps(&mut player, 12);
    let end = player.world().state_hash();
    assert_eq!(player.history().count, 21);

    // Back, and forth through the same moments.
    player.go_to(5).unwrap();
    assert_eq!(player.world().step_count, 5);
    let snapshot = player.world().snapshot();
    for _ in 0..15 {
        player.forward().unwrap();
    }
    assert_eq!(player.world().state_hash(), end);
    assert_eq!(player.history().count, 21);

    // Another way from there: the same as a new world that is given the snapshot.
    player.go_to(5).unwrap();
    steps(&mut player, 10);
    assert_eq!(player.history().count, 16);
    let mut restored = source(SHEET).world;
    restored.restore(&snapshot).unwrap();
    let mut workspace = Workspace::new(&restored);
    for _ in 0..10 {
        restored.step(&mut workspace);
    }
    assert_eq!(player.world().state_hash(), restored.state_hash());
    assert_ne!(player.world().state_hash(), end);
    // The pull came after the branch and is not part of this run.
    assert!(player.pulls().is_empty());
    assert!(player.recording().events.is_empty());
}

#[test]
fn a_pull_moves_the_point_and_stays_when_the_run_goes_back() {
    let mut player = player();
    steps(&mut player, 5);
    let target = DVec3::new(0.6, 0.5, 2.6);
    let free = MIDDLE.point(&player.world().bodies[0].state.positions);
    player.command(pull(target)).unwrap();
    // Seen before the next step.
    assert_eq!(player.pulls().len(), 1);
    assert_eq!(player.pulls()[0].target, target);
    steps(&mut player, 60);
    let held = MIDDLE.point(&player.world().bodies[0].state.positions);
    assert!((held - target).length() < 0.5 * (free - target).length());
    player.go_to(20).unwrap();
    assert_eq!(player.pulls().len(), 1);
    player.go_to(3).unwrap();
    assert!(player.pulls().is_empty());
    player.go_to(usize::MAX).unwrap();
    player.command(Command::RemoveForce { handle: 1 }).unwrap();
    assert!(player.pulls().is_empty());
}

#[test]
fn fixed_nodes_stay_and_are_shown_at_once() {
    let mut player = player();
    steps(&mut player, 3);
    let fix = Command::Fix { body: 0, node: 12 };
    player.command(fix).unwrap();
    assert!(player.is_fixed(0, 12) && player.frame().bodies[0].fixed[12]);
    let place = player.world().bodies[0].state.positions[12];
    player.command(pull(DVec3::new(0.5, 0.5, 9.0))).unwrap();
    steps(&mut player, 20);
    assert_eq!(player.world().bodies[0].state.positions[12], place);
    let release = Command::Release { body: 0, node: 12 };
    player.command(release).unwrap();
    assert!(!player.is_fixed(0, 12));
    steps(&mut player, 5);
    assert_ne!(player.world().bodies[0].state.positions[12], place);
}

#[test]
fn a_recording_replays_to_the_bit_through_its_file() {
    let mut player = player();
    steps(&mut player, 4);
    player.command(pull(DVec3::new(0.5, 0.5, 2.5))).unwrap();
    steps(&mut player, 6);
    let target = DVec3::new(0.1 + 0.2, 1.0 / 3.0, 2.7);
    let moved = Command::MoveTarget { handle: 1, target };
    player.command(moved).unwrap();
    let anew = change(&mut player, "Force Gravity", "g", "[0, 0, -1.62]");
    assert!(anew.is_empty());
    player.command(Command::Fix { body: 0, node: 20 }).unwrap();
    steps(&mut player, 7);
    let stiffer = Command::SetValue {
        body: 0,
        value: BodyValue::Stiffness,
        number: 3.0,
    };
    player.command(stiffer).unwrap();
    // Another formulation: positions, velocities, pulls and fixed nodes go on.
    let anew = change(&mut player, "Body Sheet", "formulation", "Hybrid");
    assert!(anew.is_empty());
    assert_eq!(player.pulls().len(), 1);
    steps(&mut player, 5);
    change(&mut player, "Body Sheet", "integrator", "SemiImplicit");
    change(&mut player, "Body Sheet", "timestep", "0.005");
    steps(&mut player, 5);
    // What waits for a step that was not taken is not part of it.
    player.command(Command::Fix { body: 0, node: 21 }).unwrap();

    let recording = player.recording();
    let read = Recording::from_json(&recording.to_json()).unwrap();
    assert_eq!(read, recording);
    let mut again = Player::replay(&read, HISTORY_BYTES).unwrap();
    while again.world().step_count < read.steps {
        assert_eq!(again.step(), Outcome::Taken);
    }
    assert_eq!(again.world().state_hash(), read.state_hash);
    assert_eq!(again.recording(), recording);
    // `pliant run` comes to the same state.
    assert_eq!(state_after_run(&read), read.state_hash);
    let mut without = read.clone();
    without
        .events
        .retain(|event| matches!(event.deed, Deed::Command(_)));
    assert_ne!(state_after_run(&without), read.state_hash);
}

#[test]
fn a_change_makes_a_difference_and_going_back_takes_it_back() {
    let mut player = player();
    steps(&mut player, 10);
    change(&mut player, "Force Gravity", "g", "[0, 0, 9.81]");
    let before = player.world().bodies[0].state.velocities[24].z;
    steps(&mut player, 30);
    assert!(player.world().bodies[0].state.velocities[24].z > before + 0.5);
    assert!(player.text().contains("[0, 0, 9.81]"));
    player.go_to(10).unwrap();
    assert!(player.text().contains("[0, 0, -9.81]"));
    steps(&mut player, 5);
    // A body with other nodes starts anew, and says so.
    assert_eq!(
        change(&mut player, "Body Sheet", "grid", "[6, 6]"),
        ["Sheet"]
    );
    assert_eq!(player.world().node_count(), 36);
    steps(&mut player, 3);
    // A mistake changes nothing.
    let values = scene_values(player.text());
    let found = values.iter().find(|entry| entry.attribute == "timestep");
    let hash = player.world().state_hash();
    let error = player
        .change(&found.unwrap().path, "timestep", "-1")
        .unwrap_err();
    assert!(error.to_string().contains("timestep"), "{error}");
    assert_eq!(player.world().state_hash(), hash);
    player.go_to(12).unwrap();
    assert_eq!(player.world().node_count(), 25);
}

#[test]
fn a_reset_keeps_values_and_drops_pulls() {
    let mut player = player();
    let start = player.world().state_hash();
    steps(&mut player, 5);
    player.command(pull(DVec3::new(0.5, 0.5, 3.0))).unwrap();
    let stiffer = Command::SetValue {
        body: 0,
        value: BodyValue::Stiffness,
        number: 4.0,
    };
    player.command(stiffer).unwrap();
    change(&mut player, "Force Gravity", "g", "[0, 0, -2]");
    steps(&mut player, 5);
    player.reset().unwrap();
    assert_eq!((player.world().step_count, player.history().count), (0, 1));
    assert_eq!(player.world().state_hash(), start);
    assert!(player.pulls().is_empty() && player.text().contains("[0, 0, -2]"));
    assert_eq!(player.value(0, BodyValue::Stiffness), Some(4.0));
    steps(&mut player, 6);
    let recording = player.recording();
    let mut again = Player::replay(&recording, HISTORY_BYTES).unwrap();
    steps(&mut again, 6);
    assert_eq!(again.world().state_hash(), player.world().state_hash());
}

#[test]
fn a_history_that_is_full_forgets_the_beginning_and_goes_on_to_the_bit() {
    let bytes = player().world().snapshot().len();
    let mut small = Player::new(source(SHEET), Vec::new(), 6 * bytes);
    let mut large = player();
    steps(&mut small, 30);
    steps(&mut large, 30);
    let span = small.history();
    assert!(span.count < 7 && span.bytes <= 6 * bytes);
    small.go_to(0).unwrap();
    let step = small.world().step_count;
    assert!(step > 20);
    steps(&mut small, 30 - step);
    assert_eq!(small.world().state_hash(), large.world().state_hash());
}

#[test]
fn a_stopped_step_leaves_the_world_as_it_was() {
    let mut player = player();
    steps(&mut player, 3);
    player.command(pull(DVec3::new(0.5, 0.5, 3.0))).unwrap();
    let hash = player.world().state_hash();
    let stop = player.stop_flag();
    // Somebody keeps on stopping while a step is tried.
    let ended = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let other = std::sync::Arc::clone(&ended);
    let thread = std::thread::spawn(move || {
        while !other.load(std::sync::atomic::Ordering::Relaxed) {
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    });
    let outcomes: Vec<Outcome> = (0..200).map(|_| player.step()).collect();
    ended.store(true, std::sync::atomic::Ordering::Relaxed);
    thread.join().unwrap();
    let taken = outcomes
        .iter()
        .filter(|outcome| **outcome == Outcome::Taken)
        .count();
    assert!(
        outcomes
            .iter()
            .all(|outcome| !matches!(outcome, Outcome::Failed(_)))
    );
    assert_eq!(player.world().step_count, 3 + taken);
    if taken == 0 {
        assert_eq!(player.world().state_hash(), hash);
    }
    assert_eq!(player.pulls().len(), 1);
    steps(&mut player, 1);
}

#[test]
fn what_was_replaced_at_the_start_is_in_the_text_and_can_be_changed() {
    let gravity = ["Gravity", "g", "[0, 0, 5]"].map(str::to_owned).into();
    let overrides = vec![gravity];
    let (name, file) = ("sheet".to_owned(), "sheet.xml".to_owned());
    let folder = PathBuf::new();
    let source = Source::from_text(name, file, SHEET.to_owned(), folder, &overrides, None);
    let mut player = Player::new(source.unwrap(), overrides, HISTORY_BYTES);
    // The scene that is saved has it.
    assert!(player.text().contains("[0, 0, 5]"));
    steps(&mut player, 5);
    let rise = |player: &Player| player.world().bodies[0].state.velocities[24].z;
    let before = rise(&player);
    assert!(before > 0.0);
    change(&mut player, "Force Gravity", "g", "[0, 0, -90]");
    steps(&mut player, 5);
    assert!(rise(&player) < before - 1.0, "{before} {}", rise(&player));
    let recording = player.recording();
    assert_eq!(state_after_run(&recording), recording.state_hash);
}
