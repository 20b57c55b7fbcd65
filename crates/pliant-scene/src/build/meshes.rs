//! Bodies over meshes.

use super::mesh_model::{Model, model_of, select};
use super::mesh_source::{Fault, extent, make};
use super::mesh_surface::embed;
use super::shapes::deformed;
use super::sliders::sliders;
use super::{Builder, apply_properties, initial_state, words};
use crate::diagnostics::Location;
use crate::scene::{Body, Core, MeshBody, MeshSource, Motion, Placement, Process, SkinSource};
use glam::DVec3;
use pliant::BodyDescription;
use pliant::body::Slider;
use pliant::fem::{CoreMotion, CorePose, MeshSettings, RigidCore};
use pliant::frame::ImageCorners;
use pliant::mesh::{ElementMesh, orient_tetrahedra};
use pliant_io::Assets;
use pliant_io::mesh::read_image_corners;
use std::path::Path;
use std::sync::Arc;

impl Builder<'_> {
    /// The body, or nothing and an error.
    pub(super) fn mesh_body(&mut self, body: &Body, on_mesh: &MeshBody) -> Option<pliant::Body> {
        let element = format!("<Body id=\"{}\">", body.id);
        let made = make(&on_mesh.mesh, body.model, self.assets);
        let mut made = self.sound(on_mesh.mesh.location, format!("{element}<Mesh>"), made)?;
        made.mesh.positions = deformed(&body.natural_operators, made.mesh.positions);
        let inverted = orient_tetrahedra(&mut made.mesh);
        let made = match inverted {
            0 => Ok(made),
            _ => Err(Fault::new(format!(
                "its operators turn {inverted} tetrahedra inside out"
            ))),
        };
        let mut made = self.sound(on_mesh.mesh.location, format!("{element}<Mesh>"), made)?;
        let (fixed, sliders) = self.fixed(on_mesh, &element, &made.mesh)?;
        let cores = self.cores(on_mesh, &element, &made.mesh, &fixed)?;
        let skin = match &on_mesh.skin {
            Some(skin) => {
                let surface = embed(skin, &on_mesh.mesh, &made, self.assets);
                Some(self.sound(skin.location, format!("{element}<Skin>"), surface)?)
            }
            None => None,
        };
        let Model {
            model,
            keeps_momentum,
        } = match model_of(&on_mesh.elastic, &mut made.mesh) {
            Ok(model) => model,
            Err(wrong) => {
                let (location, inner) = match &wrong.place {
                    Some(place) => (place.location, wrong.element),
                    None => (on_mesh.elastic.location, ""),
                };
                let element = format!("{element}<Elastic>{inner}");
                self.sound::<()>(location, element, Err(wrong.fault));
                return None;
            }
        };
        let breaks = |process: &Process| process.kind.word.name == "Fracture";
        let settings = if body.processes.iter().any(breaks) {
            MeshSettings::breakable(&made.mesh, Arc::clone(&model)).map_err(Fault::new)
        } else {
            Ok(MeshSettings::new(Arc::new(made.mesh), Arc::clone(&model)))
        };
        let settings = self.sound(on_mesh.mesh.location, format!("{element}<Mesh>"), settings);
        let mut settings = settings?;
        let masses = model.masses(&settings.mesh).map_err(Fault::new);
        let masses = self.sound(on_mesh.mesh.location, format!("{element}<Mesh>"), masses)?;
        let fixed = match settings.inner_faces() {
            Some(inner_faces) => inner_faces.spread(&fixed),
            None => fixed,
        };
        settings.keeps_momentum = keeps_momentum;
        settings.cores = cores;
        if let Some(skin) = skin {
            settings.surface = skin;
        }
        let mut description = BodyDescription::of_mesh(&body.id, settings, masses);
        description.rayleigh = [on_mesh.elastic.alpha, on_mesh.elastic.beta];
        description.fixed = fixed;
        description.sliders = sliders;
        description.appearance = self.body_look(body);
        if let Some(corners) = image_corners(on_mesh, self.assets) {
            let appearance = Arc::make_mut(&mut description.appearance);
            appearance.image_corners = Some(Arc::new(corners));
        }
        description.collides_with = self.still_obstacles(&body.collisions);
        apply_properties(body, &mut description);
        for process in &body.processes {
            let made = process.on_mesh(&description.rest_positions);
            let element = format!("{element}<Process>");
            let made = self.sound(body.location, element, made.map_err(Fault::new))?;
            description.processes.push(made);
        }
        self.bind_forces(&body.forces, &element, &mut description)?;
        let start = started(&on_mesh.start, &description);
        let start = deformed(&body.initial_operators, start);
        let state = initial_state(body, &description, start);
        let made = pliant::Body::with_state(description, state).map_err(Fault::new);
        self.sound(body.location, element, made)
    }

    /// What was made, or nothing and an error.
    pub(super) fn sound<T>(
        &mut self,
        location: Location,
        element: String,
        made: Result<T, Fault>,
    ) -> Option<T> {
        match made {
            Ok(made) => Some(made),
            Err(fault) => {
                self.refuse(location, element, fault.message, fault.hint.as_deref());
                None
            }
        }
    }

    /// Nodes that are fixed altogether, and coordinates of others.
    fn fixed(
        &mut self,
        on_mesh: &MeshBody,
        element: &str,
        mesh: &ElementMesh,
    ) -> Option<(Vec<bool>, Vec<Slider>)> {
        let mut held = vec![[false; 3]; mesh.positions.len()];
        for part in &on_mesh.fixed {
            let nodes = select(&part.place, mesh);
            let nodes = self.sound(part.place.location, format!("{element}<Fixed>"), nodes)?;
            for node in nodes {
                let held = &mut held[node as usize];
                (0..3).for_each(|c| held[c] |= part.coordinates[c]);
            }
        }
        let fixed = held.iter().map(|held| *held == [true; 3]).collect();
        Some((fixed, sliders(&held)))
    }

    fn cores(
        &mut self,
        on_mesh: &MeshBody,
        element: &str,
        mesh: &ElementMesh,
        fixed: &[bool],
    ) -> Option<Vec<RigidCore>> {
        let mut cores = Vec::new();
        let mut taken = vec![false; mesh.positions.len()];
        for core in &on_mesh.cores {
            let made = core_of(core, mesh, fixed, &mut taken);
            cores.push(self.sound(core.place.location, format!("{element}<Core>"), made)?);
        }
        Some(cores)
    }
}

/// Where an image lies on the triangles that are drawn, if they come from a file that says so.
fn image_corners(on_mesh: &MeshBody, assets: &dyn Assets) -> Option<ImageCorners> {
    let path = match (&on_mesh.skin, &on_mesh.mesh.source) {
        (Some(skin), _) => match &skin.source {
            SkinSource::File(path) => path,
            _ => return None,
        },
        (
            None,
            MeshSource::File {
                path,
                repair: false,
                ..
            },
        ) => path,
        _ => return None,
    };
    read_image_corners(assets, Path::new(&assets.locate(path).ok()?))
}

fn core_of(
    core: &Core,
    mesh: &ElementMesh,
    fixed: &[bool],
    taken: &mut [bool],
) -> Result<RigidCore, Fault> {
    let nodes = select(&core.place, mesh)?;
    if let Some(&node) = nodes.iter().find(|&&node| fixed[node as usize]) {
        let place = words::place(mesh.positions[node as usize]);
        let message = format!("its node at {place} is fixed");
        let hint = "a core that stays is one of motion=\"Path\" with a single pose";
        return Err(Fault::new(message).with_hint(hint));
    }
    for &node in &nodes {
        if std::mem::replace(&mut taken[node as usize], true) {
            let place = words::place(mesh.positions[node as usize]);
            let message = format!("its node at {place} belongs to an earlier core");
            return Err(Fault::new(message).with_hint("cores do not overlap"));
        }
    }
    let places: Vec<DVec3> = nodes.iter().map(|&n| mesh.positions[n as usize]).collect();
    let (low, high) = extent(&places);
    let motion = motion_of(&core.motion, 0.5 * (low + high));
    Ok(RigidCore { nodes, motion })
}

/// How a rigid part moves; poses turn about `middle` if nothing else is said.
pub(super) fn motion_of(motion: &Motion, middle: DVec3) -> CoreMotion {
    match motion {
        Motion::Free => CoreMotion::Free,
        &Motion::Hinge { point, axis } => CoreMotion::Hinge { point, axis },
        &Motion::Turning { point, axis, speed } => CoreMotion::Turning { point, axis, speed },
        Motion::Path { pivot, poses } => {
            let poses = poses.iter().map(|pose| CorePose {
                time: pose.time,
                rotation: pose.rotation,
                pivot: pivot.unwrap_or(middle),
                shift: pose.shift,
            });
            CoreMotion::Path(poses.collect())
        }
    }
}

/// The rest shape scaled and turned about its centre of mass, and moved.
fn started(start: &Placement, description: &BodyDescription) -> Vec<DVec3> {
    let rest = &description.rest_positions;
    if *start == Placement::IDENTITY {
        return rest.clone();
    }
    let mass: f64 = description.masses.iter().sum();
    let weighted = rest.iter().zip(&description.masses);
    let centre = weighted.map(|(x, mass)| *mass * *x).sum::<DVec3>() / mass;
    rest.iter()
        .map(|x| centre + start.apply(*x - centre))
        .collect()
}
