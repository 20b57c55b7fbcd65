//! VTU files, read back by a reader that shares nothing with the writer.

mod frames;

use frames::{folder, frame, frame_with_obstacle_at};
use pliant_io::{IoError, sink_for};
use std::fs;
use std::path::Path;

/// The text between the first `start` and the `end` after it.
fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let from = text.find(start).unwrap_or_else(|| panic!("no {start}")) + start.len();
    let length = text[from..].find(end).unwrap_or_else(|| panic!("no {end}"));
    &text[from..from + length]
}

fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
    between(element, &format!(" {name}=\""), "\"")
}

fn decode_base64(text: &str) -> Vec<u8> {
    assert_eq!(text.len() % 4, 0);
    let mut bits = Vec::new();
    for digit in text.trim_end_matches('=').bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => panic!("not base64: {digit}"),
        };
        bits.extend((0..6).rev().map(|place| value >> place & 1));
    }
    bits.chunks_exact(8)
        .map(|byte| byte.iter().fold(0, |sum, bit| sum << 1 | bit))
        .collect()
}

/// The values of an array of the file, whatever their type, as f64.
fn array(text: &str, name: &str) -> Vec<f64> {
    let element = text
        .split("<DataArray")
        .find(|part| part.contains(&format!("Name=\"{name}\"")))
        .unwrap_or_else(|| panic!("no array {name}"));
    assert_eq!(attribute(element, "format"), "binary");
    let bytes = decode_base64(between(element, ">", "<"));
    let (header, data) = bytes.split_at(8);
    let length = u64::from_le_bytes(header.try_into().unwrap());
    assert_eq!(length as usize, data.len(), "length of {name}");
    match attribute(element, "type") {
        "Float64" => data
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
            .collect(),
        "Float32" => data
            .chunks_exact(4)
            .map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap())))
            .collect(),
        "Int32" => data
            .chunks_exact(4)
            .map(|b| f64::from(i32::from_le_bytes(b.try_into().unwrap())))
            .collect(),
        "UInt8" => data.iter().map(|&b| f64::from(b)).collect(),
        other => panic!("unexpected type {other}"),
    }
}

/// Cells as (VTK type, corners).
fn cells(text: &str) -> Vec<(u8, Vec<usize>)> {
    let connectivity = array(text, "connectivity");
    let mut start = 0;
    array(text, "offsets")
        .iter()
        .zip(array(text, "types"))
        .map(|(&end, kind)| {
            let corners = connectivity[start..end as usize].iter();
            start = end as usize;
            (kind as u8, corners.map(|&corner| corner as usize).collect())
        })
        .collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn every_value_comes_back() {
    let folder = folder("vtu-values");
    let mut sink = sink_for(&folder.join("run.pvd")).unwrap();
    let frame = frame(3);
    sink.write(&frame).unwrap();
    let text = read(&folder.join("run_00003.vtu"));

    let flat = |pick: fn(&pliant::frame::FrameBody) -> &Vec<glam::DVec3>| -> Vec<f64> {
        let vectors = frame.bodies.iter().flat_map(pick);
        vectors.flat_map(|vector| vector.to_array()).collect()
    };
    assert_eq!(array(&text, "Points"), flat(|body| &body.positions));
    assert_eq!(array(&text, "velocity"), flat(|body| &body.velocities));
    assert_eq!(array(&text, "elastic_force"), flat(|b| &b.elastic_forces));
    assert_eq!(array(&text, "external_force"), flat(|b| &b.external_forces));

    let counts = [4, 12, 8, 1];
    let expected: Vec<f64> = (0..4)
        .flat_map(|body| vec![body as f64; counts[body]])
        .collect();
    assert_eq!(array(&text, "body"), expected);
    let expected: Vec<f64> = counts
        .iter()
        .flat_map(|&count| (0..count).map(|node| f64::from(u8::from(node % 3 == 0))))
        .collect();
    assert_eq!(array(&text, "fixed"), expected);
    let material = array(&text, "material_coordinates");
    assert_eq!(material.len(), 3 * 25);
    assert_eq!(material[9..12], [1.0, 0.0, 0.0], "end of the curve");
    assert_eq!(material[72..], [0.0; 3], "the loose point has none");

    let piece = between(&text, "<Piece", ">");
    assert_eq!(attribute(piece, "NumberOfPoints"), "25");
    assert_eq!(attribute(piece, "NumberOfCells"), "17");
    let cells = cells(&text);
    assert_eq!(cells[1], (3, vec![1, 2]), "a line of the curve");
    assert_eq!(cells[3], (5, vec![4, 5, 11]), "a triangle of the tube");
    assert_eq!(cells[15], (12, (16..24).collect()), "the cell of the cube");
    assert_eq!(cells[16], (1, vec![24]), "the loose point");
    assert_eq!(cells.len(), 17);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_list_is_complete_after_every_frame() {
    let folder = folder("vtu-list");
    let mut sink = sink_for(&folder).unwrap();
    for number in 0..3 {
        sink.write(&frame(number)).unwrap();
        let list = read(&folder.join("frames.pvd"));
        let entries: Vec<&str> = list.split("<DataSet").skip(1).collect();
        assert_eq!(entries.len(), number + 1);
        for (index, entry) in entries.iter().enumerate() {
            let time: f64 = attribute(entry, "timestep").parse().unwrap();
            assert_eq!(time, frame(index).time);
            assert!(folder.join(attribute(entry, "file")).is_file());
        }
    }
    let paths = sink.finish().unwrap();
    assert_eq!(paths[0], folder.join("frames.pvd"));
    // Nothing else is in the folder: no temporary file, and obstacles that stand still once.
    let mut found: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let mut expected = paths;
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    assert_eq!(found.len(), 1 + 3 + 1 + 3 + 1);
    let obstacles = read(&folder.join("obstacles.vtu"));
    assert_eq!(cells(&obstacles), [(5, vec![0, 1, 2])]);
    assert_eq!(array(&obstacles, "obstacle"), [0.0; 3]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn obstacles_that_move_become_a_series() {
    let folder = folder("vtu-moving");
    let mut sink = sink_for(&folder.join("run.vtu")).unwrap();
    for (number, height) in [(0, -1.0), (1, -1.0), (2, 5.0)] {
        sink.write(&frame_with_obstacle_at(number, height)).unwrap();
    }
    let list = read(&folder.join("run_obstacles.pvd"));
    let files: Vec<&str> = list
        .split("<DataSet")
        .skip(1)
        .map(|entry| attribute(entry, "file"))
        .collect();
    assert_eq!(files, ["run_obstacles.vtu", "run_obstacles_00002.vtu"]);
    assert_eq!(array(&read(&folder.join(files[0])), "Points")[2], -1.0);
    assert_eq!(array(&read(&folder.join(files[1])), "Points")[2], 5.0);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_not_finite_or_does_not_fit_is_refused_and_leaves_the_series_whole() {
    let folder = folder("vtu-refused");
    let mut sink = sink_for(&folder).unwrap();
    sink.write(&frame(0)).unwrap();

    let mut bad = frame(1);
    bad.bodies[1].positions[5].y = f64::NAN;
    let message = sink.write(&bad).unwrap_err().to_string();
    assert_eq!(
        message,
        "frame 1: the position of 'tube' at index 5 is not finite"
    );
    let mut bad = frame(1);
    bad.bodies[0].external_forces[0].x = f64::INFINITY;
    assert!(matches!(sink.write(&bad), Err(IoError::NonFinite { .. })));
    let mut bad = frame(1);
    bad.time = f64::NAN;
    assert!(matches!(sink.write(&bad), Err(IoError::NonFinite { .. })));
    let mut bad = frame_with_obstacle_at(1, f64::NAN);
    assert!(matches!(sink.write(&bad), Err(IoError::NonFinite { .. })));
    bad = frame(1);
    bad.bodies[2].velocities.pop();
    assert!(matches!(
        sink.write(&bad),
        Err(IoError::Inconsistent { .. })
    ));
    bad = frame(1);
    bad.bodies[0].positions.truncate(3);
    assert!(matches!(
        sink.write(&bad),
        Err(IoError::Inconsistent { .. })
    ));

    assert!(!folder.join("frame_00001.vtu").exists());
    assert!(!folder.join("frame_00001.obj").exists());
    let list = read(&folder.join("frames.pvd"));
    assert_eq!(list.matches("<DataSet").count(), 1);
    fs::remove_dir_all(folder).unwrap();
}
