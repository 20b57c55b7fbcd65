//! Small pictures of made-up frames against those that were looked at and kept.
//!
//! The difference is a mean over the picture, after both were blurred a little, so that the last bit
//! of a colour does not count and a lost shadow, highlight, texture or thing does.
//! `PLIANT_BLESS=1 cargo test -p pliant-render --test golden` keeps what is drawn now: look at it first.

use glam::DVec3;
use pliant::frame::{Appearance, Finish, FrameBody, FrameObstacle, NodalField, Topology};
use pliant::grid::{grid_topology, torn_topology};
use pliant::obstacle::{ImplicitSurface, Plane, Sphere};
use pliant::{Frame, Grid};
use pliant_render::{
    Camera, DrawList, Picture, PictureOptions, Style, Stylist, TextureStore, draw,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SIZE: [usize; 2] = [192, 108];

/// Largest mean difference of two pictures that look the same, in steps of 255.
const SAME: f64 = 0.8;

fn body(
    name: &str,
    counts: &[usize],
    appearance: Appearance,
    shape: impl Fn(DVec3) -> DVec3,
) -> FrameBody {
    let grid = Grid::new(counts, &vec![false; counts.len()]);
    let place = |node| shape(DVec3::from(grid.material_coordinates(node)));
    let positions: Vec<DVec3> = grid.nodes().map(place).collect();
    let count = positions.len();
    FrameBody {
        name: name.into(),
        topology: Arc::new(grid_topology(&grid)),
        appearance: Arc::new(appearance),
        velocities: vec![DVec3::ZERO; count],
        elastic_forces: vec![DVec3::ZERO; count],
        external_forces: vec![DVec3::ZERO; count],
        fixed: Arc::new(vec![false; count]),
        fields: Vec::new(),
        particle_radius: 0.05,
        positions,
    }
}

/// A cube with its corners pulled to a ball about a place.
fn ball(name: &str, at: DVec3, radius: f64, appearance: Appearance) -> FrameBody {
    body(name, &[6; 3], appearance, |p| {
        let p = 2.0 * p - 1.0;
        let length = p.length();
        let round = if length > 0.0 {
            p / length * p.abs().max_element()
        } else {
            p
        };
        at + radius * round
    })
}

fn obstacle(surface: &dyn ImplicitSurface, appearance: Appearance) -> FrameObstacle {
    FrameObstacle {
        name: "obstacle".into(),
        mesh: Arc::new(surface.mesh(1.0, 32)),
        appearance: Arc::new(appearance),
    }
}

fn floor(appearance: Appearance) -> FrameObstacle {
    obstacle(&Plane::new(DVec3::Z, DVec3::ZERO).unwrap(), appearance)
}

fn finished(color: [f64; 3], finish: &str) -> Appearance {
    Appearance {
        finish: Finish::preset(finish),
        ..Appearance::color(color)
    }
}

fn picture(frame: &Frame) -> Picture {
    picture_after(&Style::default(), std::slice::from_ref(frame))
}

/// The last of some frames, drawn by one who has seen those before it.
fn picture_after(style: &Style, frames: &[Frame]) -> Picture {
    let textures = TextureStore::for_frame(Path::new("."), &frames[0]).unwrap();
    let mut stylist = Stylist::new(style.clone(), textures);
    let mut list = DrawList::default();
    for frame in frames {
        list = stylist.list(frame).unwrap();
    }
    let camera = Camera::framing(
        DVec3::new(-1.6, -0.8, 0.0),
        DVec3::new(1.6, 0.8, 1.0),
        SIZE[0] as f64 / SIZE[1] as f64,
    );
    let options = PictureOptions {
        width: SIZE[0],
        height: SIZE[1],
        ..PictureOptions::default()
    };
    draw(&list, &camera, &[], &options)
}

/// Mean difference of two pictures after a blur over three by three pixels, in steps of 255.
fn difference(one: &[[u8; 3]], other: &[[u8; 3]]) -> f64 {
    let [width, height] = SIZE;
    let blurred = |pixels: &[[u8; 3]], x: usize, y: usize, k: usize| {
        let rows = y.saturating_sub(1)..(y + 2).min(height);
        let (mut sum, mut count) = (0.0, 0.0);
        for row in rows {
            for column in x.saturating_sub(1)..(x + 2).min(width) {
                sum += f64::from(pixels[row * width + column][k]);
                count += 1.0;
            }
        }
        sum / count
    };
    let mut sum = 0.0;
    for y in 0..height {
        for x in 0..width {
            for k in 0..3 {
                sum += (blurred(one, x, y, k) - blurred(other, x, y, k)).abs();
            }
        }
    }
    sum / (3 * width * height) as f64
}

fn colors(picture: &Picture) -> Vec<[u8; 3]> {
    let color = |pixel: &[u8; 4]| [pixel[0], pixel[1], pixel[2]];
    picture.pixels().iter().map(color).collect()
}

fn check(name: &str, frame: &Frame) {
    check_picture(name, &picture(frame));
}

fn check_styled(name: &str, style: &str, frames: &[Frame]) {
    check_picture(name, &picture_after(&style.parse().unwrap(), frames));
}

fn check_picture(name: &str, picture: &Picture) {
    let drawn = colors(picture);
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let path = folder.join(format!("{name}.png"));
    if std::env::var_os("PLIANT_BLESS").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        let bytes: Vec<u8> = drawn.as_flattened().to_vec();
        let image = image::RgbImage::from_raw(SIZE[0] as u32, SIZE[1] as u32, bytes).unwrap();
        image.save(&path).unwrap();
        return;
    }
    let kept = image::open(&path).unwrap().into_rgb8();
    let kept: Vec<[u8; 3]> = kept.pixels().map(|pixel| pixel.0).collect();
    let difference = difference(&drawn, &kept);
    assert!(
        difference < SAME,
        "{name} differs by {difference:.2} from {}",
        path.display()
    );
}

fn finishes() -> Frame {
    let looks = [
        ([0.8, 0.2, 0.15], "rubber"),
        ([0.85, 0.85, 0.88], "metal"),
        ([0.3, 0.7, 0.35], "jelly"),
        ([0.7, 0.5, 0.35], "clay"),
        ([0.2, 0.4, 0.8], "film"),
    ];
    Frame {
        bodies: looks
            .iter()
            .enumerate()
            .map(|(index, (color, finish))| {
                let at = DVec3::new(-1.3 + 0.65 * index as f64, 0.0, 0.3);
                ball(finish, at, 0.3, finished(*color, finish))
            })
            .collect(),
        obstacles: vec![floor(Appearance::color([0.75, 0.72, 0.66]))],
        ..Frame::default()
    }
}

fn cloth() -> Frame {
    let carpet = Appearance {
        finish: Finish::preset("cloth"),
        ..Appearance::texture("carpet")
    };
    let wood = Appearance {
        image_width: Some(1.2),
        ..Appearance::texture("wood")
    };
    let sphere = Sphere::new(DVec3::new(0.3, 0.1, 0.4), 0.4).unwrap();
    let hill = |p: DVec3| {
        let (x, y) = (2.4 * p.x - 1.2, 1.4 * p.y - 0.7);
        let away = (x - 0.3).hypot(y - 0.1);
        DVec3::new(x, y, 0.03 + 0.82 * (-3.0 * away * away).exp())
    };
    Frame {
        bodies: vec![body("cloth", &[25, 15], carpet, hill)],
        obstacles: vec![floor(wood), obstacle(&sphere, Appearance::default())],
        ..Frame::default()
    }
}

fn floating() -> Frame {
    let flat = |p: DVec3| DVec3::new(1.6 * p.x - 1.3, p.y - 0.5, 0.7);
    let rope = |p: DVec3| {
        let angle = 9.0 * p.x;
        DVec3::new(0.9 + 0.3 * angle.cos(), 0.3 * angle.sin(), 0.1 + 0.8 * p.x)
    };
    Frame {
        bodies: vec![
            body("sheet", &[9, 7], Appearance::texture("checker"), flat),
            body("rope", &[60], finished([0.7, 0.6, 0.3], "metal"), rope),
        ],
        obstacles: vec![floor(Appearance::texture("marble"))],
        ..Frame::default()
    }
}

/// A sheet that hangs before the eye, whole and torn across.
fn tear(appearance: Appearance) -> [Frame; 2] {
    let counts = [15, 9];
    let hang = |p: DVec3| {
        let bulge = 0.1 * (6.0 * p.x).sin();
        DVec3::new(2.6 * p.x - 1.3, bulge - 0.4 * p.y, 0.1 + 1.1 * p.y)
    };
    let whole = Frame {
        bodies: vec![body("sheet", &counts, appearance, hang)],
        obstacles: vec![floor(Appearance::color([0.7, 0.7, 0.68]))],
        ..Frame::default()
    };
    let grid = Grid::new(&counts, &[false; 2]);
    let mut torn = whole.clone();
    torn.bodies[0].topology = Arc::new(torn_topology(&grid, &|node, direction| {
        let [x, y, _] = grid.coordinates(node);
        let cut = 5 + y / 2;
        direction == 0 && x == cut || direction == 1 && x == cut + 1 && y % 2 == 1
    }));
    for node in grid.nodes() {
        if node[0] > 5 + node[1] / 2 {
            torn.bodies[0].positions[grid.index(node)] += DVec3::new(0.25, -0.1, -0.05);
        }
    }
    [whole, torn]
}

/// A block, whole and broken in three.
fn broken_block() -> [Frame; 2] {
    let counts = [9, 5, 5];
    let lie = |p: DVec3| DVec3::new(2.2 * p.x - 1.2, 0.9 * p.y - 0.4, 0.05 + 0.7 * p.z);
    let whole = Frame {
        bodies: vec![body(
            "block",
            &counts,
            finished([0.7, 0.5, 0.35], "clay"),
            lie,
        )],
        obstacles: vec![floor(Appearance::color([0.7, 0.7, 0.68]))],
        ..Frame::default()
    };
    let grid = Grid::new(&counts, &[false; 3]);
    let mut torn = whole.clone();
    torn.bodies[0].topology = Arc::new(torn_topology(&grid, &|node, direction| {
        let [x, y, z] = grid.coordinates(node);
        direction == 0 && x == 2 + z / 2 || direction == 2 && z == 2 && x > 4 && y < 4
    }));
    for node in grid.nodes() {
        let place = &mut torn.bodies[0].positions[grid.index(node)];
        if node[0] > 2 + node[2] / 2 {
            place.x += 0.3;
        }
        if node[0] > 4 && node[2] > 2 && node[1] < 4 {
            place.z += 0.12;
        }
    }
    [whole, torn]
}

/// Particles of a fluid: a heap and some drops.
fn puddle() -> Frame {
    let mut goop = ball(
        "goop",
        DVec3::new(-0.3, 0.0, 0.35),
        0.45,
        finished([0.35, 0.7, 0.3], "jelly"),
    );
    let drops = [[0.6, -0.2, 0.1], [0.75, -0.1, 0.1], [1.2, 0.2, 0.4]];
    for (place, drop) in goop.positions.iter_mut().zip(drops) {
        *place = DVec3::from(drop);
    }
    for place in &mut goop.positions {
        place.z *= 0.8;
    }
    goop.particle_radius = 0.1;
    goop.topology = Arc::new(Topology {
        points: (0..goop.positions.len() as u32).collect(),
        ..Topology::default()
    });
    Frame {
        bodies: vec![goop],
        obstacles: vec![floor(Appearance::texture("paper"))],
        ..Frame::default()
    }
}

/// A bar that is hot at one end beside a ball that glows.
fn heat() -> Frame {
    let lie = |p: DVec3| DVec3::new(1.8 * p.x - 1.4, 0.4 * p.y - 0.2, 0.02 + 0.3 * p.z);
    let mut bar = body("bar", &[13, 4, 3], finished([0.5, 0.55, 0.6], "metal"), lie);
    let kelvin = |place: &DVec3| 293.0 + 900.0 * ((place.x + 1.4) / 1.8).powi(2);
    bar.fields.push(NodalField {
        name: "temperature",
        unit: "K",
        values: bar.positions.iter().map(kelvin).collect(),
    });
    let glowing = Appearance {
        finish: Some(Finish {
            glow: 0.8,
            ..Finish::PLAIN
        }),
        ..Appearance::color([1.0, 0.35, 0.08])
    };
    let sphere = Sphere::new(DVec3::new(0.95, 0.1, 0.4), 0.4).unwrap();
    Frame {
        bodies: vec![bar],
        obstacles: vec![
            floor(Appearance::color([0.5, 0.5, 0.52])),
            obstacle(&sphere, glowing),
        ],
        ..Frame::default()
    }
}

/// A sheet with a strain that grows from one side to the other.
fn strained() -> Frame {
    let [mut frame, _] = tear(Appearance::default());
    let sheet = &mut frame.bodies[0];
    let strain = |place: &DVec3| 0.2 * place.x;
    sheet.fields.push(NodalField {
        name: "strain",
        unit: "",
        values: sheet.positions.iter().map(strain).collect(),
    });
    frame
}

#[test]
fn tears_look_as_they_did() {
    let [stripes, cloth] = [
        Appearance::texture("stripes"),
        finished([0.78, 0.58, 0.3], "cloth"),
    ];
    check_styled("torn-sheet", "shaded", &tear(stripes));
    check_styled("torn-threads", "threads", &tear(cloth.clone()));
    check_styled("torn-net", "net", &tear(cloth));
    check_styled("broken-block", "shaded", &broken_block());
}

#[test]
fn fluids_heat_and_fields_look_as_they_did() {
    check("puddle", &puddle());
    check("heat", &heat());
    check_styled("strain", "strain", &[strained()]);
}

#[test]
fn finishes_look_as_they_did() {
    check("finishes", &finishes());
}

#[test]
fn cloth_on_wood_looks_as_it_did() {
    check("cloth", &cloth());
}

#[test]
fn floating_things_and_ropes_look_as_they_did() {
    check("floating", &floating());
}

#[test]
fn the_difference_sees_what_an_eye_sees() {
    let plain = colors(&picture(&finishes()));
    assert!(difference(&plain, &plain) == 0.0);
    // A ball that is missing, a floor of another colour, a ball without its highlight.
    let mut fewer = finishes();
    fewer.bodies.remove(2);
    let mut other_floor = finishes();
    other_floor.obstacles[0] = floor(Appearance::color([0.70, 0.72, 0.66]));
    let mut duller = finishes();
    for body in &mut duller.bodies {
        body.appearance = Arc::new(Appearance {
            finish: Finish::preset("chalk"),
            ..(*body.appearance).clone()
        });
    }
    for (what, frame) in [("ball", fewer), ("floor", other_floor), ("finish", duller)] {
        let seen = difference(&plain, &colors(&picture(&frame)));
        assert!(seen > SAME, "{what}: {seen}");
    }
}
