//! A formulation that this crate does not know, defined here alone: a ring of rods whose lengths
//! creep. It goes through steps, contact, snapshots and frames like any other body.

use glam::{DMat3, DVec3};
use pliant::body::{
    Body, BodyDescription, BodyError, Formulation, Integrator, Memory, Past, Processes, State,
};
use pliant::energy::{Curvature, Energy, Springs};
use pliant::force::{BoundForce, Gravity};
use pliant::frame::Topology;
use pliant::linear::BlockMatrix;
use pliant::obstacle::{Obstacle, Plane};
use pliant::{
    FrameMaker, IntegratorKind, SnapshotError, SnapshotReader, SnapshotWriter, Workspace, World,
};
use std::sync::Arc;

const COUNT: usize = 24;

/// Rods between neighbours, and spokes that keep the ring round: E = ½ k (|d| - l)².
#[derive(Clone, Debug)]
struct Ring {
    stiffness: f64,
    /// Time in which the rods take on the lengths they have, in seconds.
    creep_time: f64,
}

/// The ends of each rod; the second half are the spokes from node to opposite node.
fn rods(count: usize) -> impl Iterator<Item = [usize; 2]> {
    let round = (0..count).map(move |node| [node, (node + 1) % count]);
    let across = (0..count / 2).map(move |node| [node, node + count / 2]);
    round.chain(across)
}

fn lengths(positions: &[DVec3]) -> Vec<f64> {
    let length = |[a, b]: [usize; 2]| (positions[b] - positions[a]).length();
    rods(positions.len()).map(length).collect()
}

#[derive(Debug)]
struct RodEnergy {
    rests: Vec<f64>,
    stiffnesses: Vec<f64>,
}

impl Energy for RodEnergy {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        rods(COUNT).for_each(|[a, b]| visit(a, b));
    }

    fn attach(&mut self, _matrix: &BlockMatrix) {}

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        let terms = rods(COUNT).zip(self.rests.iter().zip(&self.stiffnesses));
        let term = |([a, b], (rest, k)): ([usize; 2], (&f64, &f64))| {
            0.5 * k * ((positions[b] - positions[a]).length() - rest).powi(2)
        };
        terms.map(term).sum()
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        for ([a, b], (rest, k)) in rods(COUNT).zip(self.rests.iter().zip(&self.stiffnesses)) {
            let edge = positions[b] - positions[a];
            let force = k * (edge.length() - rest) * edge.normalize_or_zero();
            gradient[b] += force;
            gradient[a] -= force;
        }
    }

    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        for ([a, b], (rest, k)) in rods(COUNT).zip(self.rests.iter().zip(&self.stiffnesses)) {
            let edge = positions[b] - positions[a];
            let n = edge.normalize_or_zero();
            let along = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
            let mut across = 1.0 - rest / edge.length();
            if curvature == Curvature::Positive {
                across = across.max(0.0);
            }
            let block = (along + (DMat3::IDENTITY - along) * across) * *k;
            matrix.add(a, a, block);
            matrix.add(b, b, block);
            matrix.add(a, b, -block);
            matrix.add(b, a, -block);
        }
    }

    fn adopt_springs(&mut self, springs: &Springs) {
        self.rests.copy_from_slice(&springs.rests);
        self.stiffnesses.copy_from_slice(&springs.stiffnesses);
    }
}

/// The lengths to which the rods have crept.
#[derive(Clone, Debug, PartialEq)]
struct RodLengths(Vec<f64>);

impl Memory for RodLengths {
    fn save(&self, writer: &mut SnapshotWriter) {
        writer.numbers(&self.0);
    }

    fn restore(
        &mut self,
        _description: &BodyDescription,
        reader: &mut SnapshotReader,
    ) -> Result<(), SnapshotError> {
        reader.numbers(&mut self.0)
    }

    fn boxed_clone(&self) -> Box<dyn Memory> {
        Box::new(self.clone())
    }
}

struct Creep {
    time: f64,
    springs: Springs,
}

impl Processes for Creep {
    fn prepare<'a>(&'a mut self, body: &Body, _time: f64, _step: f64) -> Past<'a> {
        if let Some(lengths) = body.memory::<RodLengths>() {
            self.springs.rests.copy_from_slice(&lengths.0);
        }
        Past::Springs(&self.springs)
    }

    fn commit(&mut self, body: &mut Body, _obstacles: &[Obstacle], _time: f64, step: f64) {
        let (_, state, lengths) = body.parts_mut::<RodLengths>();
        let Some(lengths) = lengths else { return };
        let share = 1.0 - (-step / self.time).exp();
        for (length, [a, b]) in lengths.0.iter_mut().zip(rods(COUNT)) {
            *length += share * ((state.positions[b] - state.positions[a]).length() - *length);
        }
    }
}

impl Formulation for Ring {
    fn name(&self) -> &'static str {
        "Ring"
    }

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        if description.rest_positions.len() != COUNT {
            return Err(BodyError::Formulation {
                body: description.name.to_string(),
                message: format!("a ring has {COUNT} nodes"),
            });
        }
        if description.integrator == IntegratorKind::Explicit {
            return Err(BodyError::Formulation {
                body: description.name.to_string(),
                message: "a ring is integrated implicitly".to_owned(),
            });
        }
        Ok(())
    }

    fn dimension(&self, _description: &BodyDescription) -> usize {
        1
    }

    fn surface_triangles(&self, _description: &BodyDescription) -> Vec<[u32; 3]> {
        Vec::new()
    }

    fn edges(&self, description: &BodyDescription, visit: &mut dyn FnMut(usize, usize)) {
        let count = description.rest_positions.len();
        (0..count).for_each(|node| visit(node, (node + 1) % count));
    }

    fn topology(&self, _body: &Body) -> Arc<Topology> {
        let line = |node: usize| [node as u32, ((node + 1) % COUNT) as u32];
        Arc::new(Topology {
            lines: (0..COUNT).map(line).collect(),
            ..Topology::default()
        })
    }

    fn directions(&self, _body: &Body, positions: &[DVec3], directions: &mut [DVec3]) {
        for (node, direction) in directions.iter_mut().enumerate() {
            let (after, before) = ((node + 1) % COUNT, (node + COUNT - 1) % COUNT);
            *direction = (positions[after] - positions[before]).normalize_or_zero();
        }
    }

    fn begin(&self, description: &BodyDescription, _state: &mut State) -> Vec<Box<dyn Memory>> {
        vec![Box::new(RodLengths(lengths(&description.rest_positions)))]
    }

    fn energies(&self, body: &Body) -> Vec<Box<dyn Energy>> {
        let rests = lengths(&body.description().rest_positions);
        let stiffnesses = vec![self.stiffness; rests.len()];
        vec![Box::new(RodEnergy { rests, stiffnesses })]
    }

    fn integrator(&self, body: &Body) -> Box<dyn Integrator> {
        pliant::implicit(body)
    }

    fn processes(&self, body: &Body) -> Option<Box<dyn Processes>> {
        let rests = lengths(&body.description().rest_positions);
        Some(Box::new(Creep {
            time: self.creep_time,
            springs: Springs {
                stiffnesses: vec![self.stiffness; rests.len()],
                rests,
                ..Springs::default()
            },
        }))
    }
}

fn ring() -> BodyDescription {
    let place = |node: usize| {
        let angle = std::f64::consts::TAU * node as f64 / COUNT as f64;
        DVec3::new(
            0.5 * angle.cos(),
            0.05 * angle.sin(),
            1.0 + 0.5 * angle.sin(),
        )
    };
    let formulation = Arc::new(Ring {
        stiffness: 2000.0,
        creep_time: 2.0,
    });
    let mut ring = BodyDescription::of("ring", formulation, (0..COUNT).map(place).collect());
    ring.masses.fill(0.05);
    ring.time_step = 0.01;
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    ring.forces.push(BoundForce {
        force: Arc::new(Gravity { acceleration }),
        node: None,
    });
    ring.contact.friction = 0.4;
    ring.collides_with.push(0);
    ring
}

fn world() -> World {
    let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    World {
        bodies: vec![Body::new(ring()).unwrap()],
        obstacles: vec![Obstacle::new("floor", Box::new(floor))],
        ..World::default()
    }
}

#[test]
fn a_foreign_formulation_falls_on_the_floor_and_creeps() {
    let mut world = world();
    let rest = world.bodies[0].memory::<RodLengths>().unwrap().clone();
    let mut workspace = Workspace::new(&world);
    let mut contacts = 0;
    for _ in 0..150 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        assert!(report.smallest_distance > -1e-3, "{report:?}");
        assert!(report.energy_created < 0.01 * report.energies.total().abs().max(1.0));
        contacts += report.contacts;
    }
    assert!(contacts > 0);
    let crept = world.bodies[0].memory::<RodLengths>().unwrap();
    let changed = crept.0.iter().zip(&rest.0).map(|(a, b)| (a - b).abs());
    assert!(changed.fold(0.0, f64::max) > 1e-3);
}

#[test]
fn a_foreign_formulation_is_saved_and_restored_to_the_bit() {
    let mut original = world();
    let mut workspace = Workspace::new(&original);
    for _ in 0..60 {
        original.step(&mut workspace);
    }
    let mut restored = world();
    restored.restore(&original.snapshot()).unwrap();
    assert_eq!(restored.state_hash(), original.state_hash());
    let mut fresh = Workspace::new(&restored);
    for _ in 0..60 {
        original.step(&mut workspace);
        restored.step(&mut fresh);
        assert_eq!(original.snapshot(), restored.snapshot());
    }
    // What it remembers is part of the hash.
    let before = restored.state_hash();
    restored.bodies[0].memory_mut::<RodLengths>().unwrap().0[3] += 1e-9;
    assert_ne!(restored.state_hash(), before);
}

#[test]
fn a_foreign_formulation_is_shown() {
    let mut world = world();
    let mut workspace = Workspace::new(&world);
    let mut maker = FrameMaker::new(&world);
    for _ in 0..50 {
        world.step(&mut workspace);
    }
    let frame = maker.frame(&world, &mut workspace);
    let shown = &frame.bodies[0];
    assert_eq!(shown.topology.lines.len(), COUNT);
    assert_eq!(shown.positions, world.bodies[0].state.positions);
    assert_eq!(shown.fields[0].name, "strain");
    // Forces of rods cancel each other.
    let sum: DVec3 = shown.elastic_forces.iter().sum();
    assert!(sum.length() < 1e-9, "{sum}");
}

#[test]
fn every_time_rule_moves_it_alike() {
    let sunk = |integrator| {
        let mut description = ring();
        description.integrator = integrator;
        description.time_step = 0.0025;
        let mut world = World {
            bodies: vec![Body::new(description).unwrap()],
            ..self::world()
        };
        let mut workspace = Workspace::new(&world);
        for _ in 0..80 {
            assert_eq!(world.step(&mut workspace).quarantined, 0);
        }
        world.bodies[0].state.positions[0].z
    };
    let expected = sunk(IntegratorKind::TwoStage);
    for integrator in [
        IntegratorKind::Implicit,
        IntegratorKind::Midpoint,
        IntegratorKind::Newmark,
        IntegratorKind::SemiImplicit,
    ] {
        let found = sunk(integrator);
        assert!(
            (found - expected).abs() < 5e-3,
            "{integrator:?}: {found} {expected}"
        );
    }
}

#[test]
fn what_a_foreign_formulation_cannot_do_is_refused() {
    let mut short = ring();
    short.rest_positions.pop();
    assert!(Body::new(short).is_err());
    let mut explicit = ring();
    explicit.integrator = IntegratorKind::Explicit;
    let error = Body::new(explicit).unwrap_err();
    assert!(error.to_string().contains("implicitly"), "{error}");
    let mut melting = ring();
    melting.processes.push(creep());
    let error = Body::new(melting).unwrap_err().to_string();
    assert!(error.contains("knows no inelastic processes"), "{error}");
}

fn creep() -> pliant::process::Scheduled {
    use pliant::process::{Maxwell, ProcessKind, Scheduled};
    Scheduled::always(ProcessKind::Maxwell(Maxwell::uniform(1.0)))
}
