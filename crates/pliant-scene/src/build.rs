//! From a scene to a world that can be stepped.

mod bindings;
mod close_starts;
mod contact;
mod default_look;
mod dynamic_nurbs;
mod fit_data;
mod formula;
mod frameless_wires;
mod hybrid;
mod images;
mod joints;
mod mesh_cells;
mod mesh_model;
mod mesh_source;
mod mesh_surface;
mod meshes;
mod muscles;
mod obstacles;
mod repair;
mod rigid_bodies;
mod seams;
mod shapes;
mod sliders;
mod textures;
mod unasked_contact;
mod words;

pub use close_starts::bodies_that_begin_close;
pub use contact::crossings;
pub use frameless_wires::wires_without_frames;
pub use seams::open_seams;
pub use unasked_contact::bodies_that_pass;

use crate::diagnostics::{Location, SceneError, SceneErrors};
use crate::scene::{Body, GridElastic, Look, Object, Particle, Scene};
use glam::DVec3;
use images::GreyImages;
use pliant::contact::ContactMethod;
use pliant::elastic::Weights;
use pliant::frame::{Appearance, BaseColor};
use pliant::obstacle::Obstacle;
use pliant::{BodyDescription, Grid, State, World};
use pliant_io::{Assets, FolderAssets};
use shapes::{deformed, natural_positions, sample};
use std::path::Path;
use std::sync::Arc;

/// ε of the exponential potential by the spacing of the particles that feel it.
const EPSILON_BY_SPACING: f64 = 0.1;

/// Builds the world of a scene. Files named in it are looked for relative to `folder`, the folder
/// of the scene file; `file` names the scene in errors.
pub fn build(scene: &Scene, file: &str, folder: &Path) -> Result<World, SceneErrors> {
    build_with(scene, file, &FolderAssets::new(folder))
}

/// Builds the world of a scene whose meshes and pictures come from `assets`.
pub fn build_with(scene: &Scene, file: &str, assets: &dyn Assets) -> Result<World, SceneErrors> {
    let mut builder = Builder {
        scene,
        assets,
        images: GreyImages::new(assets),
        errors: Vec::new(),
    };
    builder.check_textures();
    let obstacles = scene.objects.iter().map(|object| {
        let mut obstacle = object.obstacle.clone();
        obstacle.appearance = builder.object_look(object);
        obstacle
    });
    let mut obstacles: Vec<Obstacle> = obstacles.collect();
    let mut bodies: Vec<pliant::Body> = scene
        .bodies
        .iter()
        .filter_map(|body| match &body.mesh {
            Some(mesh) => builder.mesh_body(body, mesh),
            None => builder.body(body),
        })
        .collect();
    bodies.extend(builder.rigid_bodies());
    builder.choose_epsilons(&bodies, &mut obstacles);
    // Objects that move are bodies; the others keep their order.
    let mut stays = scene.objects.iter().map(|object| object.moving.is_none());
    obstacles.retain(|_| stays.next().unwrap_or(true));
    let mut contact = scene.contact.clone().map(|mut contact| {
        contact.exceptions.extend(joints::pairs_that_pass(scene));
        if scene.meets_as_usual {
            contact.thickness = unasked_contact::thickness(&bodies);
        }
        contact
    });
    if let Some(contact) = &contact
        && scene.repairs_start
        && builder.errors.is_empty()
    {
        repair::move_apart(contact, &mut bodies, &obstacles);
    }
    if builder.errors.is_empty() {
        builder.check_starts(&bodies, &obstacles);
    }
    if let Some(contact) = &contact
        && builder.errors.is_empty()
    {
        builder.check_contact(contact, &bodies, &obstacles);
    }
    if scene.meets_unasked && builder.errors.is_empty() {
        contact = unasked_contact::settings(scene, &bodies, &obstacles);
    }
    let mut joints = Vec::new();
    if builder.errors.is_empty() {
        joints = builder.joints(&bodies);
    }
    if builder.errors.is_empty() {
        return Ok(World {
            bodies,
            obstacles,
            contact,
            joints,
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
    assets: &'a dyn Assets,
    images: GreyImages<'a>,
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

    fn body_look(&self, body: &Body) -> Arc<Appearance> {
        self.material_look(body.material)
            .unwrap_or_else(|| default_look::body(self.scene, body))
    }

    fn object_look(&self, object: &Object) -> Arc<Appearance> {
        self.material_look(object.material)
            .unwrap_or_else(|| default_look::object(object))
    }

    /// The look of a material; `None` without one.
    fn material_look(&self, material: Option<usize>) -> Option<Arc<Appearance>> {
        let material = &self.scene.materials[material?];
        let base = match &material.look {
            Look::Color(rgb) => BaseColor::Color(*rgb),
            Look::Pattern(name) => BaseColor::Texture(name.clone()),
            Look::Texture(path) => {
                let found = self.assets.locate(path);
                BaseColor::Texture(found.unwrap_or_else(|_| path.clone()))
            }
        };
        Some(Arc::new(Appearance {
            base,
            finish: material.finish,
            image_width: material.image_width,
            image_corners: None,
        }))
    }

    /// ε of the obstacles whose file gives none: a share of the spacing of the bodies that feel
    /// their exponential potential.
    fn choose_epsilons(&mut self, bodies: &[pliant::Body], obstacles: &mut [Obstacle]) {
        let scene = self.scene;
        let stays = |object: &Object| object.moving.is_none();
        let still = scene.objects.iter().enumerate();
        let still = still.filter(|(_, object)| stays(object)).enumerate();
        for (number, (index, object)) in still {
            let touching = bodies
                .iter()
                .map(pliant::Body::description)
                .filter(|body| body.collides_with.contains(&number));
            let (feeling, others): (Vec<_>, Vec<_>) =
                touching.partition(|body| body.contact.method == ContactMethod::Exponential);
            let (Some(first), false) = (feeling.first(), object.has_epsilon) else {
                continue;
            };
            if let Some(other) = others.first() {
                let message = format!(
                    "`{}` feels its exponential potential, whose `epsilon` is a length, `{}` is \
                     held off by another method, whose `epsilon` is not",
                    first.name, other.name
                );
                let element = format!("<Object id=\"{}\">", object.id);
                let hint = Some("give `epsilon`, or one object for each body");
                self.refuse(object.location, element, message, hint);
                continue;
            }
            let spacings = feeling.iter().map(|body| body.mean_spacing());
            obstacles[index].epsilon = EPSILON_BY_SPACING * spacings.fold(f64::INFINITY, f64::min);
        }
    }

    /// The particles of a body, or nothing and an error.
    fn particles(&mut self, body: &Body, element: &str) -> Option<Vec<Particle>> {
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
        match particles {
            Ok(particles) => Some(particles),
            Err(error) => {
                self.refuse(body.location, element.to_owned(), error, None);
                None
            }
        }
    }

    /// The body, or nothing and an error.
    fn body(&mut self, body: &Body) -> Option<pliant::Body> {
        let element = format!("<Body id=\"{}\">", body.id);
        let dimension = body.dimension();
        let grid = Grid::new(&body.grid[..dimension], &body.periodic[..dimension]);
        let rest = natural_positions(body, &grid);
        let initial = match (&body.initial_shape, &rest) {
            (Some(shape), _) => sample(shape, &grid),
            (None, rest) => rest.clone(),
        };
        let initial = initial.map(|positions| deformed(&body.initial_operators, positions));
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
        let particles = self.particles(body, &element)?;
        let weights = weights_of(&particles);
        let mut description = BodyDescription::new(&body.id, grid.clone(), rest, weights);
        description.masses = particles.iter().map(|p| p.mass).collect();
        description.dampings = particles.iter().map(|p| p.damping).collect();
        let held: Vec<[bool; 3]> = particles.iter().map(|p| p.held).collect();
        description.fixed = held.iter().map(|held| *held == [true; 3]).collect();
        description.sliders = sliders::sliders(&held);
        description.appearance = self.body_look(body);
        description.collides_with = self.still_obstacles(&body.collisions);
        apply_properties(body, &mut description);
        let trims = dynamic_nurbs::check_trims(&self.scene.bodies, &description);
        let nurbs = trims.and_then(|()| dynamic_nurbs::apply(body, &particles, &mut description));
        if let Err(message) = nurbs {
            self.refuse(body.location, element, message, None);
            return None;
        }
        if let Some(elastic) = &body.elastic {
            apply_elastic(elastic, &grid, &mut description);
        }
        self.give_data(body, &mut description)?;
        for process in &body.processes {
            match process.on_grid(&grid) {
                Ok(process) => description.processes.push(process),
                Err(error) => {
                    self.refuse(body.location, format!("{element}<Process>"), error, None);
                    return None;
                }
            }
        }
        if let Err([message, hint]) = hybrid::apply(&particles, &mut description) {
            self.refuse(body.location, element, message, Some(hint));
            return None;
        }
        self.bind_forces(&body.forces, &element, &mut description)?;
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

impl Builder<'_> {
    /// Gives a superquadric that is fitted its data; nothing and an error if it has none.
    fn give_data(&mut self, body: &Body, description: &mut BodyDescription) -> Option<()> {
        if !description.is_superquadric() {
            return Some(());
        }
        match fit_data::data_of(body, self.assets) {
            Ok(data) => description.change_superquadric(|fitted| fitted.data = Arc::new(data)),
            Err(problem) => {
                let element = format!("<Body id=\"{}\">", body.id);
                self.refuse(body.location, element, problem, None);
                return None;
            }
        }
        Some(())
    }
}

/// The weights of particles as they are given.
fn weights_of(particles: &[Particle]) -> Weights {
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
        volume: 0.0,
        poisson: 0.0,
    }
}

/// Weights, masses and damping from what the body is made of; those of the particles are factors.
fn apply_elastic(elastic: &GridElastic, grid: &Grid, description: &mut BodyDescription) {
    let rest = &description.rest_positions;
    let made = elastic.material.weights(grid, rest);
    let masses = elastic.material.masses(grid, rest);
    description.change_grid(|on_grid| on_grid.weights.multiply(&made));
    description.rayleigh[1] = elastic.beta;
    for (node, mass) in masses.iter().enumerate() {
        description.masses[node] *= mass;
        description.dampings[node] += elastic.alpha * description.masses[node];
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
    let (velocity, spin) = (
        body.properties.vector("velocity"),
        body.properties.vector("spin"),
    );
    let velocities = positions
        .iter()
        .map(|position| velocity + spin.cross(*position - centre))
        .collect();
    State {
        positions,
        velocities,
        ..State::default()
    }
}

/// Puts what the attributes say into the description.
fn apply_properties(body: &Body, description: &mut BodyDescription) {
    for entry in &body.properties.entries {
        if let (Some(set), Some(value)) = (entry.attribute.sets, &entry.value) {
            set(value, description);
        }
    }
}
