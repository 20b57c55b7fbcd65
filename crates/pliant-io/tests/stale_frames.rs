//! A shorter run into the folder of a longer one leaves no frames of the longer one behind.

mod frames;

use frames::{folder, frame, frame_with_obstacle_at};
use pliant_io::sink_for;
use std::fs;
use std::path::Path;

fn write(path: &Path, count: usize) {
    let mut sink = sink_for(path).unwrap();
    for number in 0..count {
        sink.write(&frame(number)).unwrap();
    }
    sink.finish().unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn frames_of_a_longer_run_are_removed_and_nothing_else() {
    let folder = folder("stale");
    write(&folder, 6);
    write(&folder.join("other.obj"), 4);
    // Files of others: by name like a frame, after a gap, with more digits, with another ending.
    let kept = [
        "frame_00006.obj",
        "frame_00008.vtu",
        "frame_00005.txt",
        "frame_5.obj",
        "notes.txt",
    ];
    for name in kept {
        fs::write(folder.join(name), "mine").unwrap();
    }
    write(&folder, 2);
    let mut expected: Vec<String> = kept.iter().map(|name| (*name).to_owned()).collect();
    for number in 0..2 {
        expected.push(format!("frame_{number:05}.obj"));
        expected.push(format!("frame_{number:05}.vtu"));
    }
    for number in 0..4 {
        expected.push(format!("other_{number:05}.obj"));
    }
    for name in ["frames.mtl", "frames.pvd", "obstacles.vtu", "other.mtl"] {
        expected.push(name.to_owned());
    }
    expected.sort();
    assert_eq!(names(&folder), expected);
    for name in kept {
        assert_eq!(fs::read(folder.join(name)).unwrap(), b"mine");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_run_that_wrote_no_frame_removes_none() {
    let folder = folder("stale-none");
    for name in ["a.ply", "a.vtu"] {
        write(&folder.join(name), 3);
    }
    let before = names(&folder);
    for name in ["a.ply", "a.vtu"] {
        sink_for(&folder.join(name)).unwrap().finish().unwrap();
    }
    assert_eq!(names(&folder), before);
    write(&folder.join("a.ply"), 1);
    assert!(!folder.join("a_00001.ply").exists() && !folder.join("a_00002.ply").exists());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_list_of_moving_obstacles_follows_the_new_run() {
    let folder = folder("stale-obstacles");
    let mut sink = sink_for(&folder).unwrap();
    for number in 0..3 {
        let height = number as f64;
        sink.write(&frame_with_obstacle_at(number, height)).unwrap();
    }
    sink.finish().unwrap();
    let list = folder.join("obstacles.pvd");
    assert!(
        fs::read_to_string(&list)
            .unwrap()
            .contains("obstacles_00002.vtu")
    );
    write(&folder, 3);
    let text = fs::read_to_string(&list).unwrap();
    assert!(text.contains("obstacles.vtu") && !text.contains("obstacles_0"));
    fs::remove_dir_all(folder).unwrap();
}
