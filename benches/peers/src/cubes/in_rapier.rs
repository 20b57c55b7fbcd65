//! The cubes in Rapier: its corotational cells, with its constraints and with its finite elements.

use super::{CELLS, FRICTION, POISSON, Pile, SIDE, THICKNESS, YOUNG};
use crate::engine::{InRapier, rapier_world, to_rapier};
use crate::race::Contestant;
use crate::referee::Shape;
use rapier3d::prelude::*;

/// How Rapier solves.
#[derive(Clone, Copy)]
struct Settings {
    name: &'static str,
    solver: SoftBodySolver,
    /// Steps per frame; 4 as it comes.
    substeps: usize,
    /// Half the distance that surfaces keep from each other, in metres.
    radius: f64,
}

const THIN: Settings = Settings {
    name: "Rapier, 4 mm apart",
    solver: SoftBodySolver::Constraints,
    substeps: 4,
    radius: 0.5 * THICKNESS,
};

const SETTINGS: [Settings; 4] = [
    // Half a cell, as it comes.
    Settings {
        name: "Rapier, as it comes: 40 mm apart",
        radius: 0.5 * SIDE / CELLS as f64,
        ..THIN
    },
    THIN,
    Settings {
        name: "Rapier, 4 mm apart, 16 substeps",
        substeps: 16,
        ..THIN
    },
    Settings {
        name: "Rapier, 4 mm apart, finite elements",
        solver: SoftBodySolver::Fem,
        ..THIN
    },
];

pub fn contestants(pile: &Pile, shape: &Shape) -> Vec<Contestant> {
    let contestant =
        |settings: &Settings| Contestant::new(settings.name, world(pile, settings), shape.clone());
    SETTINGS.iter().map(contestant).collect()
}

fn world(pile: &Pile, settings: &Settings) -> InRapier {
    let mut world = rapier_world();
    world.integration_parameters.num_solver_iterations = settings.substeps;
    let half = [10.0 * SIDE as f32, 10.0 * SIDE as f32, 0.1];
    world.insert(
        RigidBodyBuilder::fixed().translation(Vector::new(0.0, 0.0, -half[2])),
        ColliderBuilder::cuboid(half[0], half[1], half[2]).friction(FRICTION as f32),
    );
    let cube = |shift: &glam::DVec3| {
        let positions = pile.mesh.positions.iter();
        SoftBodyBuilder::new(positions.map(|x| to_rapier(*x + *shift)).collect())
            .cells(pile.tetrahedra.clone())
            .cell_model(SoftBodyCellModel::Corotational)
            .material(SoftBodyMaterial {
                young_modulus: YOUNG as f32,
                poisson_ratio: POISSON as f32,
                elastic_damping_ratio: 0.0,
                ..SoftBodyMaterial::default()
            })
            .solver(settings.solver)
            .masses(pile.masses.iter().map(|&mass| mass as f32).collect())
            .particle_radius(settings.radius as f32)
            .surface_collider(ColliderBuilder::ball(SIDE as f32).friction(FRICTION as f32))
            .can_sleep(false)
    };
    let cubes: Vec<_> = pile.shifts.iter().map(cube).collect();
    let bodies = cubes
        .into_iter()
        .map(|cube| world.insert_soft_body(cube))
        .collect();
    InRapier { world, bodies }
}
