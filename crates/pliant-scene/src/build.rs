//! From a scene to a world that can be stepped.

mod forces;
mod formula;
mod images;
mod mesh_cells;
mod mesh_model;
mod mesh_source;
mod mesh_surface;
mod meshes;
mod obstacles;
mod processes;
mod textures;

use crate::diagnostics::{Location, SceneError, SceneErrors};
use crate::scene::{
    Body, Contact, Energy, Formulation, Integrator, Look, Particle, Scene, Shape, Solver,
};
use formula::Formula;
use glam::DVec3;
use images::GreyImages;
use pliant::contact::{ContactMethod, ContactSettings};
use pliant::elastic::Weights;
use pliant::force::{BoundForce, NodalForce};
use pliant::frame::{Appearance, BaseColor};
use pliant::hybrid::{HybridSettings, InertialTerms, NodeWeights, PAIRS, SplineWeights};
use pliant::linear::{SolverKind, SolverSettings};
use pliant::shape::{self, ShapeError};
use pliant::{BodyDescription, EnergyVariant, Grid, IntegratorKind, State, World};
use processes::engine_process;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Builds the world of a scene. Pictures named in it are looked for relative to `folder`, the
/// folder of the scene file; `file` names the scene in errors.
pub fn build(scene: &Scene, file: &str, folder: &Path) -> Result<World, SceneErrors> {
    let mut builder = Builder {
        scene,
        folder: folder.to_path_buf(),
        images: GreyImages::new(folder),
        errors: Vec::new(),
    };
    builder.check_textures();
    let forces = builder.forces();
    let obstacles = builder.obstacles();
    let bodies: Vec<pliant::Body> = scene
        .bodies
        .iter()
        .filter_map(|body| match &body.mesh {
            Some(mesh) => builder.mesh_body(body, mesh, &forces),
            None => builder.body(body, &forces),
        })
        .collect();
    if builder.errors.is_empty() {
        return Ok(World {
            bodies,
            obstacles,
            ..World::default()
        });
    }
    Err(SceneErrors {
        file: file.to_owned(),
        errors: builder.errors,
    })
}

struct Builder<'a> {
    scene: &'a Scene,
    folder: PathBuf,
    images: GreyImages,
    errors: Vec<SceneError>,
}

impl Builder<'_> {
    fn refuse(
        &mut self,
        location: Location,
        element: String,
        message: impl ToString,
        hint: Option<&str>,
    ) {
        self.errors.push(SceneError {
            line: location.line,
            column: location.column,
            element,
            attribute: None,
            message: message.to_string(),
            hint: hint.map(str::to_owned),
        });
    }

    fn appearance(&self, material: Option<usize>) -> Arc<Appearance> {
        let Some(material) = material.map(|index| &self.scene.materials[index]) else {
            return Arc::default();
        };
        let base = match &material.look {
            Look::Color(rgb) => BaseColor::Color(*rgb),
            Look::Pattern(name) => BaseColor::Texture(name.clone()),
            Look::Texture(path) => {
                let found = textures::locate(&self.folder, path);
                BaseColor::Texture(found.unwrap_or_else(|| path.clone()))
            }
        };
        Arc::new(Appearance {
            base,
            finish: material.finish,
            image_width: material.image_width,
        })
    }

    /// The body, or nothing and an error.
    fn body(
        &mut self,
        body: &Body,
        forces: &[Option<Arc<dyn NodalForce>>],
    ) -> Option<pliant::Body> {
        let element = format!("<Body id=\"{}\">", body.id);
        let dimension = body.dimension();
        let grid = Grid::new(&body.grid[..dimension], &body.periodic[..dimension]);
        let rest = sample(&body.natural_shape, &grid, true);
        let initial = match &body.initial_shape {
            Some(shape) => sample(shape, &grid, false),
            None => rest.clone(),
        };
        let (rest, initial) = match (rest, initial) {
            (Ok(rest), Ok(initial)) => (rest, initial),
            (Err(error), _) => {
                let element = format!("{element}<NaturalShape>");
                self.refuse(body.location, element, error, None);
                return None;
            }
            (_, Err(error)) => {
                let element = format!("{element}<InitialShape>");
                self.refuse(body.location, element, error, None);
                return None;
            }
        };
        let images = &mut self.images;
        let particles = body.resolve_particles(&mut |path, at| images.grey(path, at));
        if let Some(problem) = self.images.take_error() {
            self.refuse(
                body.location,
                format!("{element}<Field>"),
                problem,
                Some("the path is relative to the scene file; PNG and PGM pictures can be read"),
            );
            return None;
        }
        let particles = match particles {
            Ok(particles) => particles,
            Err(error) => {
                self.refuse(body.location, element, error, None);
                return None;
            }
        };
        let mut description = BodyDescription::new(
            &body.id,
            grid,
            rest,
            Weights {
                tensions: particles.iter().map(|p| p.tension).collect(),
                rigidities: particles
                    .iter()
                    .map(|p| {
                        let [[a, b, _], [c, d, _], _] = p.rigidity;
                        [[a, b], [c, d]]
                    })
                    .collect(),
                twists: particles.iter().map(|p| p.twist).collect(),
                volume: body.properties.volume,
            },
        );
        description.masses = particles.iter().map(|p| p.mass).collect();
        description.dampings = particles.iter().map(|p| p.damping).collect();
        description.fixed = particles.iter().map(|p| p.fixed).collect();
        description.appearance = self.appearance(body.material);
        description.collides_with = body.collisions.clone();
        apply_properties(body, &mut description);
        for process in &body.processes {
            match engine_process(process, &description.grid) {
                Ok(process) => description.processes.push(process),
                Err(error) => {
                    self.refuse(body.location, format!("{element}<Process>"), error, None);
                    return None;
                }
            }
        }
        if body.properties.formulation == Formulation::Hybrid {
            description.formulation = pliant::Formulation::Hybrid;
            description.hybrid = hybrid_settings(body, &description, &particles);
        }
        for binding in &body.forces {
            let node = binding.particle.map(|at| description.grid.index(at));
            if let Some(force) = &forces[binding.force] {
                description.forces.push(BoundForce {
                    force: Arc::clone(force),
                    node,
                });
            }
        }
        let state = initial_state(body, &description, initial);
        match pliant::Body::with_state(description, state) {
            Ok(body) => Some(body),
            Err(error) => {
                self.refuse(body.location, element, error, None);
                None
            }
        }
    }
}

/// Weights as stiff as the primal ones, with those that only the hybrid formulation has.
fn hybrid_settings(
    body: &Body,
    description: &BodyDescription,
    particles: &[Particle],
) -> HybridSettings {
    let grid = &description.grid;
    let rest = &description.rest_positions;
    let mut weights = SplineWeights::from_primal(grid, rest, &description.weights);
    weights.zeroth = particles.iter().map(|p| p.hold).collect();
    if grid.dimension() == 3 {
        let second = SplineWeights::from_nodes(grid, |node| {
            let rigidity = particles[node].rigidity;
            NodeWeights {
                second: [0, 1, 2].map(|d| rigidity[d][d]),
                mixed: PAIRS.map(|(a, b)| 0.5 * (rigidity[a][b] + rigidity[b][a])),
                ..NodeWeights::default()
            }
        });
        (weights.second, weights.mixed) = (second.second, second.mixed);
    }
    HybridSettings {
        inertial_terms: InertialTerms {
            centrifugal: body.properties.centrifugal,
            coriolis: body.properties.coriolis,
            transverse: body.properties.transverse,
        },
        weights: Some(weights),
    }
}

/// Node positions of a shape; the rest shape must not be singular.
fn sample(shape: &Shape, grid: &Grid, rest: bool) -> Result<Vec<DVec3>, ShapeError> {
    let shape: Box<dyn shape::Shape> = match shape {
        Shape::Bezier {
            order,
            control_points,
        } => Box::new(shape::Bezier::new(
            grid.dimension(),
            *order,
            control_points.clone(),
        )?),
        Shape::Ellipsoid {
            axes,
            centre,
            opening,
        } => {
            let ellipsoid = shape::Ellipsoid::new(*axes, *centre)?;
            Box::new(match opening {
                Some(opening) => ellipsoid.with_opening(*opening)?,
                None => ellipsoid,
            })
        }
        Shape::Formula { rules, shift } => Box::new(Formula {
            rules: rules.as_ref().clone(),
            shift: *shift,
        }),
        Shape::Helix {
            radius,
            pitch,
            turns,
            centre,
        } => Box::new(shape::Helix {
            radius: *radius,
            pitch: *pitch,
            turns: *turns,
            centre: *centre,
        }),
    };
    if rest {
        shape.rest_positions(grid)
    } else {
        shape.sample(grid)
    }
}

fn initial_state(body: &Body, description: &BodyDescription, positions: Vec<DVec3>) -> State {
    let mass: f64 = description.masses.iter().sum();
    let centre = positions
        .iter()
        .zip(&description.masses)
        .map(|(position, mass)| *mass * *position)
        .sum::<DVec3>()
        / mass;
    let velocities = positions
        .iter()
        .map(|position| body.properties.velocity + body.properties.spin.cross(*position - centre))
        .collect();
    State {
        positions,
        velocities,
        ..State::default()
    }
}

fn apply_properties(body: &Body, description: &mut BodyDescription) {
    let properties = &body.properties;
    description.time_step = properties.timestep;
    description.energy = match properties.energy {
        Energy::Exact => EnergyVariant::Exact,
        Energy::Published => EnergyVariant::Published,
        Energy::AsPrinted => EnergyVariant::AsPrinted,
    };
    description.integrator = match properties.integrator {
        Integrator::SemiImplicit => IntegratorKind::SemiImplicit,
        Integrator::Explicit => IntegratorKind::Explicit,
        Integrator::Implicit => IntegratorKind::Implicit,
        Integrator::Midpoint => IntegratorKind::Midpoint,
        Integrator::Newmark => IntegratorKind::Newmark,
        Integrator::Static => IntegratorKind::Static,
    };
    description.solver = SolverSettings {
        kind: match properties.solver {
            Solver::ConjugateGradient => SolverKind::ConjugateGradient,
            Solver::Cholesky => SolverKind::Cholesky,
            Solver::LU => SolverKind::Lu,
            Solver::SOR => SolverKind::Sor,
            Solver::ADI => SolverKind::Adi,
            Solver::Multigrid => SolverKind::Multigrid,
        },
        tolerance: properties.tolerance,
        max_iterations: properties.iterations,
        relaxation: properties.relaxation,
    };
    description.newton_iterations = properties.newton;
    description.adaptive = properties.adaptive;
    description.shortest_step = properties.shortest;
    description.contact = ContactSettings {
        method: match properties.contact {
            Contact::Projection => ContactMethod::Projection,
            Contact::Exponential => ContactMethod::Exponential,
            Contact::Quadratic => ContactMethod::Quadratic,
        },
        strength: properties.strength,
        threshold: properties.threshold,
        thickness: properties.thickness,
        friction: properties.friction,
        restitution: properties.restitution,
        along_body_normal: properties.energy != Energy::Exact && body.dimension() == 2,
    };
}
