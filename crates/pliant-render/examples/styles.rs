//! Draws one small scene in every style: `cargo run --release -p pliant-render --example styles -- FOLDER`.
//!
//! A cloth has fallen on a ball; beside it stand a soft block and a spring, and drops lie in a
//! heap. Expect a picture for each style, one of moments and one with all styles side by side.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity};
use pliant::frame::{Appearance, FrameBody, Topology};
use pliant::obstacle::{Obstacle, Plane, Sphere};
use pliant::{Body, BodyDescription, Frame, FrameMaker, Grid, Workspace, World};
use pliant_render::{
    Camera, Look, Picture, PictureOptions, STYLE_NAMES, Style, Stylist, TextureStore, compose,
    draw, strobe,
};
use std::error::Error;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

const BALL: DVec3 = DVec3::new(0.0, 0.0, 0.75);

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or("target/styles".into());
    let folder = PathBuf::from(folder);
    fs::create_dir_all(&folder)?;
    let frames = simulate()?;
    let last = frames.last().ok_or("no frames")?;
    let textures = TextureStore::for_frame(Path::new("."), last)?;
    let camera = Camera::framing(
        DVec3::new(-0.7, -0.9, 0.05),
        DVec3::new(2.3, 0.9, 1.35),
        16.0 / 9.0,
    );
    let options = PictureOptions::default();
    let mut pictures = Vec::new();
    let mut labels = Vec::new();
    for name in STYLE_NAMES {
        let mut stylist = Stylist::new(name.name.parse()?, textures.clone());
        if name.name == "field:temperature" {
            continue;
        }
        stylist.look_ahead([last]);
        stylist.list(last)?;
        let start = Instant::now();
        let list = stylist.list(last)?;
        let listed = start.elapsed();
        let picture = draw(&list, &camera, &[], &options);
        let triangles: usize = list.meshes.iter().map(|mesh| mesh.triangles.len()).sum();
        println!(
            "{:18} {triangles:7} triangles, listed in {:.1} ms, drawn in {:.1} ms",
            name.name,
            1e3 * listed.as_secs_f64(),
            1e3 * (start.elapsed() - listed).as_secs_f64()
        );
        write(
            &folder.join(format!("{}.png", name.name.replace(':', "-"))),
            &picture,
        )?;
        pictures.push(picture);
        labels.push(name.name);
    }
    let all = compose::side_by_side(&pictures, &labels);
    write(&folder.join("all.png"), &all)?;

    let thick = Style {
        thickness: 0.04,
        ..Style::from(Look::Shaded)
    };
    let list = Stylist::new(thick, textures.clone()).list(last)?;
    write(
        &folder.join("thick.png"),
        &draw(&list, &camera, &[], &options),
    )?;
    let moments = [0, 10, 13, 17, 30].map(|index| frames[index].clone());
    let lists = strobe(&moments, Style::default(), &textures)?;
    let pictures: Vec<Picture> = lists
        .iter()
        .map(|list| draw(list, &camera, &[], &options))
        .collect();
    write(&folder.join("strobe.png"), &compose::overlaid(&pictures))?;
    Ok(())
}

/// Two seconds at 25 frames per second.
fn simulate() -> Result<Vec<Frame>, Box<dyn Error>> {
    let floor = Plane::new(DVec3::Z, DVec3::ZERO)?;
    let mut floor = Obstacle::new("floor", Box::new(floor));
    floor.appearance = Arc::new(Appearance::color([0.86, 0.84, 0.80]));
    let mut ball = Obstacle::new("ball", Box::new(Sphere::new(BALL, 0.55)?));
    ball.appearance = Arc::new(Appearance::color([0.25, 0.42, 0.62]));
    let mut world = World {
        bodies: vec![cloth()?, block()?, spring()?],
        obstacles: vec![ball, floor],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let mut maker = FrameMaker::new(&world);
    let mut frames = Vec::new();
    for _ in 0..50 {
        let mut frame = maker.frame(&world, &mut workspace);
        frame.bodies.push(drops());
        frames.push(frame);
        for _ in 0..4 {
            world.step(&mut workspace);
        }
    }
    Ok(frames)
}

fn description(
    name: &str,
    grid: Grid,
    shape: impl Fn([f64; 3]) -> DVec3,
    tension: f64,
    rigidity: f64,
    look: Appearance,
) -> BodyDescription {
    let positions = grid
        .nodes()
        .map(|node| shape(grid.material_coordinates(node)))
        .collect();
    let count = grid.node_count();
    let weights = Weights::uniform(count, tension, rigidity, 0.0);
    let mut body = BodyDescription::new(name, grid, positions, weights);
    let gravity = Gravity {
        acceleration: DVec3::new(0.0, 0.0, -9.81),
    };
    body.forces.push(BoundForce {
        force: Arc::new(gravity),
        node: None,
    });
    body.masses = vec![1.0 / count as f64; count];
    body.dampings = vec![0.6 / count as f64; count];
    body.time_step = 0.01;
    body.collides_with = vec![0, 1];
    body.contact.thickness = 0.02;
    body.contact.friction = 0.3;
    body.appearance = Arc::new(look);
    body
}

fn cloth() -> Result<Body, Box<dyn Error>> {
    let place = |[u, v, _]: [f64; 3]| DVec3::new(2.4 * (u - 0.5), 1.8 * (v - 0.5), 1.45);
    let grid = Grid::new(&[32, 24], &[false; 2]);
    let look = Appearance::texture("flag");
    let body = description("cloth", grid, place, 12.0, 0.002, look);
    Ok(Body::new(body)?)
}

fn block() -> Result<Body, Box<dyn Error>> {
    let place = |[u, v, w]: [f64; 3]| DVec3::new(1.5 + 0.5 * u, -0.9 + 0.5 * v, 0.02 + 0.6 * w);
    let grid = Grid::new(&[6, 6, 7], &[false; 3]);
    let look = Appearance::color([0.85, 0.55, 0.2]);
    let mut body = description("block", grid, place, 60.0, 0.0, look);
    body.contact.friction = 1.0;
    Ok(Body::new(body)?)
}

fn spring() -> Result<Body, Box<dyn Error>> {
    let place = |[u, _, _]: [f64; 3]| {
        let angle = 5.0 * std::f64::consts::TAU * u;
        DVec3::new(
            2.3 + 0.2 * angle.cos(),
            0.1 + 0.2 * angle.sin(),
            1.5 - 0.6 * u,
        )
    };
    let look = Appearance::color([0.55, 0.56, 0.6]);
    let grid = Grid::new(&[90], &[false]);
    let mut body = description("spring", grid, place, 1e3, 1e-3, look);
    body.fixed[0] = true;
    body.collides_with.clear();
    body.forces.clear();
    Ok(Body::new(body)?)
}

/// Loose particles in a heap, as a fluid would leave them.
fn drops() -> FrameBody {
    let mut positions = Vec::new();
    for layer in 0..4 {
        let reach = 0.42 - 0.11 * layer as f64;
        for k in 0..400 {
            // Sunflower seeds: evenly spread, nowhere in rows.
            let angle = 2.399_963 * k as f64;
            let radius = 0.045 * (k as f64).sqrt();
            let wobble = 1.0 + 0.25 * (3.0 * angle).sin() * (2.0 * radius).min(1.0);
            if radius < reach * wobble {
                let z = 0.05 + 0.075 * layer as f64;
                positions.push(DVec3::new(
                    1.75 + radius * angle.cos(),
                    0.75 + radius * angle.sin(),
                    z,
                ));
            }
        }
    }
    // A few that splash.
    for (x, y, z) in [
        (1.6, 0.7, 0.62),
        (1.65, 0.74, 0.7),
        (1.95, 0.9, 0.55),
        (1.2, 0.3, 0.05),
    ] {
        positions.push(DVec3::new(x, y, z));
    }
    let count = positions.len();
    FrameBody {
        name: "drops".into(),
        topology: Arc::new(Topology {
            points: (0..count as u32).collect(),
            ..Topology::default()
        }),
        appearance: Arc::new(Appearance::color([0.2, 0.62, 0.45])),
        velocities: vec![DVec3::ZERO; count],
        elastic_forces: vec![DVec3::ZERO; count],
        external_forces: vec![DVec3::ZERO; count],
        fixed: Arc::new(vec![false; count]),
        fields: Vec::new(),
        particle_radius: 0.045,
        positions,
    }
}

fn write(path: &Path, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let (width, height) = (picture.width() as u32, picture.height() as u32);
    let mut encoder = png::Encoder::new(File::create(path)?, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(picture.bytes())?;
    Ok(())
}
