//! Snakes against drawn truth: circles in noise, outlines of ten shapes, a shape that moves, an open line.

use glam::{DVec2, DVec3};
use pliant::elastic::Weights;
use pliant::force::{BoundForce, ImageForce, ImageSettings, NodalForce, Ramp, Ramped, Raster};
use pliant::{Body, BodyDescription, Grid, IntegratorKind, Workspace, World};
use std::f64::consts::TAU;
use std::sync::Arc;

const SIDE: usize = 128;
const NODES: usize = 120;

/// The same noise in every run, of standard deviation 1.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        let mut sum = 0.0;
        for _ in 0..12 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99_991);
            sum += (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        }
        sum - 6.0
    }
}

/// A shape by its radius about a centre.
struct Drawn {
    centre: DVec2,
    radius: fn(f64) -> f64,
    /// Brightness inside and outside.
    shades: [f64; 2],
}

impl Drawn {
    /// How far a point is outside, along the ray from the centre, in pixels.
    fn outside(&self, at: DVec2) -> f64 {
        let arm = at - self.centre;
        arm.length() - (self.radius)(arm.to_angle())
    }

    fn image(&self, noise: f64, seed: u64) -> Raster {
        let mut random = Noise(seed);
        let [inside, outside] = self.shades;
        Raster::from_fn([SIDE, SIDE], |x, y| {
            let share = (0.5 - self.outside(DVec2::new(x, y))).clamp(0.0, 1.0);
            outside + share * (inside - outside) + noise * random.next()
        })
    }
}

fn settings() -> ImageSettings {
    ImageSettings {
        edge: 1.0,
        balloon: -0.05,
        blur: [6.0, 1.5],
        focus: 15.0,
        ..ImageSettings::default()
    }
}

fn snake(places: Vec<DVec3>, closed: bool, alpha: f64, beta: f64) -> BodyDescription {
    let count = places.len();
    let grid = Grid::new(&[count], &[closed]);
    let weights = Weights::uniform(count, alpha, beta, 0.0);
    let mut description = BodyDescription::new("snake", grid, places, weights);
    description.make_snake();
    description.masses.fill(1e-3);
    description.dampings.fill(0.05);
    description.integrator = IntegratorKind::Implicit;
    description.time_step = 0.25;
    description
}

fn circle(radius: f64) -> Vec<DVec3> {
    let angle = |i: usize| TAU * i as f64 / NODES as f64;
    let place = |i: usize| {
        DVec3::new(
            64.0 + radius * angle(i).cos(),
            64.0 + radius * angle(i).sin(),
            0.0,
        )
    };
    (0..NODES).map(place).collect()
}

fn run(mut description: BodyDescription, force: ImageForce, steps: usize) -> Vec<DVec2> {
    let extents: Arc<[f64]> = description.node_extents().into();
    let force = force.over(&extents).expect("an image acts per length");
    description.forces.push(BoundForce { force, node: None });
    let mut world = World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        assert_eq!(
            (report.quarantined, report.non_finite),
            (0, 0),
            "{:?}",
            world.bodies[0].quarantine
        );
    }
    let nodes = world.bodies[0].state.positions.iter();
    nodes
        .map(|x| {
            assert!(x.z.abs() < 1e-9);
            DVec2::new(x.x, x.y)
        })
        .collect()
}

/// Drawn in by a balloon that lets go at the end, so that edges alone say where the outline is.
fn find(image: &Raster) -> Vec<DVec2> {
    let pull = |edge: f64, balloon: f64| {
        let settings = ImageSettings {
            edge,
            balloon,
            ..settings()
        };
        ImageForce::new(settings, |_| image.clone()).unwrap()
    };
    let mut description = snake(circle(56.0), true, 1.0, 2.0);
    let extents: Arc<[f64]> = description.node_extents().into();
    let force = pull(0.0, -0.05).over(&extents).expect("it acts per length");
    let ramp = Ramp::new(vec![[45.0, 1.0], [50.0, 0.0]]).unwrap();
    let force = Arc::new(Ramped { force, ramp });
    description.forces.push(BoundForce { force, node: None });
    run(description, pull(1.0, 0.0), 260)
}

fn contains(outline: &[DVec2], at: DVec2) -> bool {
    let mut inside = false;
    for (i, a) in outline.iter().enumerate() {
        let b = outline[(i + 1) % outline.len()];
        if (a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x) {
            inside = !inside;
        }
    }
    inside
}

/// Area and centre of what an outline encloses.
fn area_and_centre(outline: &[DVec2]) -> (f64, DVec2) {
    let (mut area, mut sum) = (0.0, DVec2::ZERO);
    for (i, a) in outline.iter().enumerate() {
        let b = outline[(i + 1) % outline.len()];
        let part = 0.5 * a.perp_dot(b);
        area += part;
        sum += part / 3.0 * (*a + b);
    }
    (area, sum / area)
}

/// 2 |A ∩ B| / (|A| + |B|), by nine points per pixel.
fn dice(outline: &[DVec2], drawn: &Drawn) -> f64 {
    let (mut both, mut sum) = (0.0, 0.0);
    for y in 0..3 * SIDE {
        for x in 0..3 * SIDE {
            let at = DVec2::new((x as f64 + 0.5) / 3.0, (y as f64 + 0.5) / 3.0);
            let (a, b) = (contains(outline, at), drawn.outside(at) < 0.0);
            both += f64::from(a && b);
            sum += f64::from(a) + f64::from(b);
        }
    }
    2.0 * both / sum
}

/// The mean radius of circles in noise of a fifth of their contrast, to 0.2 pixel.
/// The radius of a shape in a direction.
type Radius = fn(f64) -> f64;

#[test]
fn circles_in_noise_are_found_to_a_fifth_of_a_pixel() {
    for (seed, radius) in [(1, 20.0), (2, 31.3), (3, 45.0)] {
        let drawn = Drawn {
            centre: DVec2::new(64.0, 64.0),
            radius: match seed {
                1 => |_| 20.0,
                2 => |_| 31.3,
                _ => |_| 45.0,
            },
            shades: [1.0, 0.0],
        };
        let outline = find(&drawn.image(0.2, seed));
        let (_, centre) = area_and_centre(&outline);
        let mean = outline.iter().map(|x| x.distance(centre)).sum::<f64>() / NODES as f64;
        assert!((mean - radius).abs() < 0.2, "{radius}: {mean}");
        assert!(centre.distance(drawn.centre) < 0.2, "{centre}");
    }
}

#[test]
fn ten_outlines_agree_with_what_was_drawn() {
    let middle = DVec2::new(64.0, 64.0);
    let radii: [(DVec2, Radius); 10] = [
        (middle, |_| 32.0),
        (middle, |a| {
            1.0 / ((a.cos() / 42.0).powi(2) + (a.sin() / 26.0).powi(2)).sqrt()
        }),
        (middle, |a| {
            34.0 / (a.cos().powi(4) + a.sin().powi(4)).powf(0.25)
        }),
        (DVec2::new(70.0, 59.0), |a| {
            let a = a - 0.6;
            1.0 / ((a.cos() / 38.0).powi(2) + (a.sin() / 24.0).powi(2)).sqrt()
        }),
        (middle, |a| 33.0 + 4.0 * (3.0 * a).cos()),
        (middle, |a| 36.0 + 2.5 * (5.0 * a).cos()),
        (DVec2::new(60.0, 64.0), |a| 32.0 / (1.0 + 0.2 * a.cos())),
        (middle, |a| 30.0 + 3.0 * (3.0 * a + 1.0).sin()),
        (middle, |a| 34.0 + 5.0 * (2.0 * a).cos() + 2.0 * a.sin()),
        (DVec2::new(58.0, 66.0), |a| {
            30.0 + 4.0 * a.cos() + 2.0 * (4.0 * a).sin()
        }),
    ];
    for (number, (centre, radius)) in radii.into_iter().enumerate() {
        // Every other one is dark on bright.
        let shades = if number % 2 == 0 {
            [1.0, 0.0]
        } else {
            [0.2, 0.9]
        };
        let drawn = Drawn {
            centre,
            radius,
            shades,
        };
        let share = dice(&find(&drawn.image(0.05, number as u64 + 5)), &drawn);
        assert!(share > 0.98, "shape {number}: {share}");
    }
}

/// A disc that moves by 20 pixels while the snake holds on to it.
#[test]
fn a_shape_that_moves_is_followed() {
    let path = |time: f64| DVec2::new(54.0 + time.min(25.0) * 0.8, 64.0);
    let settings = ImageSettings {
        blur: [3.0, 2.0],
        focus: 5.0,
        balloon: 0.0,
        until: 25.0,
        rate: 4.0,
        ..settings()
    };
    let force = ImageForce::new(settings, |time| {
        let drawn = Drawn {
            centre: path(time),
            radius: |_| 25.0,
            shades: [1.0, 0.0],
        };
        drawn.image(0.05, 3)
    });
    let mut start = circle(27.0);
    start.iter_mut().for_each(|x| x.x -= 10.0);
    let mut description = snake(start, true, 0.2, 0.5);
    description.dampings.fill(0.02);
    let outline = run(description, force.unwrap(), 130);
    let (area, centre) = area_and_centre(&outline);
    assert!(centre.distance(path(40.0)) < 0.5, "{centre}");
    let radius = (2.0 * area / TAU).sqrt();
    assert!((radius - 25.0).abs() < 0.3, "{radius}");
}

/// An open snake, held at its ends, finds a bright line by the line energy.
#[test]
fn an_open_snake_finds_a_line() {
    let line = |x: f64| 64.0 + 9.0 * (TAU * x / 128.0).sin();
    let image = Raster::from_fn([SIDE, SIDE], |x, y| {
        (-0.5 * ((y - line(x)) / 1.5).powi(2)).exp()
    });
    let settings = ImageSettings {
        edge: 0.0,
        line: -1.0,
        balloon: 0.0,
        blur: [8.0, 0.5],
        focus: 20.0,
        ..settings()
    };
    let force = ImageForce::new(settings, |_| image.clone()).unwrap();
    let places: Vec<DVec3> = (0..61)
        .map(|i| DVec3::new(4.0 + 2.0 * f64::from(i), 64.0, 0.0))
        .collect();
    let mut description = snake(places, false, 0.05, 0.5);
    description.dampings.fill(0.01);
    let found = run(description, force, 240);
    for x in found.iter().filter(|x| (12.0..116.0).contains(&x.x)) {
        assert!((x.y - line(x.x)).abs() < 0.4, "{x} {}", line(x.x));
    }
}

/// A curve that is held at its ends and drawn up in the middle turns smoothly there; where the middle has no
/// rigidity it turns in one corner, by the whole angle between the two straight halves.
#[test]
fn a_node_without_rigidity_makes_a_corner() {
    let turn = |beta: f64| {
        let place = |i: i32| DVec3::new(f64::from(i), 20.0 - f64::from((i - 20).abs()), 0.0);
        let mut description = snake((0..41).map(place).collect(), false, 1e-3, 50.0);
        for node in [0, 20, 40] {
            description.fixed[node] = true;
        }
        description.change_grid(|on_grid| on_grid.weights.rigidities[20] = [[beta; 2]; 2]);
        let mut world = World {
            bodies: vec![Body::new(description).unwrap()],
            ..World::default()
        };
        let mut workspace = Workspace::new(&world);
        for _ in 0..400 {
            world.step(&mut workspace);
        }
        let x = &world.bodies[0].state.positions;
        (x[20] - x[19]).angle_between(x[21] - x[20])
    };
    let (sharp, round) = (turn(0.0), turn(50.0));
    assert!((sharp - TAU / 4.0).abs() < 0.02, "{sharp}");
    assert!(round < 0.25 * sharp, "{round}");
}

#[test]
fn what_it_cannot_do_is_refused() {
    let grid = Grid::new(&[3, 3], &[false, false]);
    let places = grid
        .nodes()
        .map(|[i, j, _]| DVec3::new(i as f64, j as f64, 0.0))
        .collect();
    let mut sheet = BodyDescription::new("sheet", grid, places, Weights::uniform(9, 1.0, 1.0, 0.0));
    sheet.make_snake();
    assert!(
        Body::new(sheet)
            .unwrap_err()
            .to_string()
            .contains("a snake is a curve")
    );
    let mut explicit = snake(circle(10.0), true, 1.0, 1.0);
    explicit.integrator = IntegratorKind::Explicit;
    assert!(
        Body::new(explicit)
            .unwrap_err()
            .to_string()
            .contains("implicit")
    );
}
