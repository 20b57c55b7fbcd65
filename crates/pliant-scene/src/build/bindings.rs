//! Forces as they act on the nodes of a body.

use super::images::GreyImages;
use super::{Builder, words};
use crate::scene::{ForceBinding, ForceFile, ImageFile, Near, Part, VolumeFile};
use glam::DVec3;
use pliant::force::{BoundForce, ImageForce, NodalForce, Raster, VolumeForce, Voxels};
use pliant::{BodyDescription, loaded_part};
use std::sync::Arc;

impl Builder<'_> {
    /// Gives a body the forces that it binds; nothing and an error if one cannot act on it.
    pub(super) fn bind_forces(
        &mut self,
        forces: &[ForceBinding],
        element: &str,
        description: &mut BodyDescription,
    ) -> Option<()> {
        let extents: Arc<[f64]> = description.node_extents().into();
        for binding in forces {
            let force = &self.scene.forces[binding.force];
            let made = match &force.file {
                Some(ForceFile::Image(picture)) => pulled(&mut self.images, picture),
                Some(ForceFile::Volume(stack)) => pulled_by_stack(&mut self.images, stack),
                None => Ok(Arc::clone(&force.force)),
            };
            let made = made.and_then(|force| bound(binding, &force, description, &extents));
            match made {
                Ok(bound) => description.forces.extend(bound),
                Err(problem) => {
                    let element = format!("{element}<Bind>");
                    let message = format!("the force `{}` cannot be bound: {problem}", force.id);
                    self.refuse(binding.location, element, message, None);
                    return None;
                }
            }
        }
        Some(())
    }
}

/// The pull of a picture from files, or why there is none.
fn pulled(images: &mut GreyImages<'_>, picture: &ImageFile) -> Result<Arc<dyn NodalForce>, String> {
    let first = images.raster(&picture.file_at(0.0));
    let width = first.as_ref().map_or(1, |first| first.size()[0]);
    let mut settings = picture.settings.clone();
    settings.pixel /= width as f64;
    // What could not be read is told below, and is no picture until then.
    let empty = || Raster::from_fn([4, 4], |_, _| 0.0);
    let made = ImageForce::new(settings, |time| {
        images.raster(&picture.file_at(time)).unwrap_or_else(empty)
    });
    match images.take_error() {
        Some(error) => Err(error),
        None => made
            .map(|force| Arc::new(force) as Arc<dyn NodalForce>)
            .map_err(|error| error.to_string()),
    }
}

/// The pull of a stack of pictures from files, or why there is none.
fn pulled_by_stack(
    images: &mut GreyImages<'_>,
    stack: &VolumeFile,
) -> Result<Arc<dyn NodalForce>, String> {
    let mut values = Vec::new();
    let mut size = None;
    for slice in 0..stack.slices {
        let name = stack.file_at(slice);
        let image = images.raster(&name);
        if let Some(error) = images.take_error() {
            return Err(error);
        }
        let image = image.ok_or_else(|| format!("the picture `{name}` cannot be read"))?;
        if *size.get_or_insert(image.size()) != image.size() {
            return Err(format!(
                "the picture `{name}` has another size than the first slice"
            ));
        }
        values.extend_from_slice(image.values());
    }
    let [width, height] = size.unwrap_or_default();
    let field = Voxels::new([width, height, stack.slices], values);
    let field = field.ok_or_else(|| "a stack needs slices of one size".to_owned())?;
    let mut settings = stack.settings.clone();
    settings.voxel /= width as f64;
    let made = VolumeForce::new(settings, &field).map_err(|error| error.to_string())?;
    Ok(Arc::new(made))
}

/// What a binding adds to a body, or why it cannot.
fn bound(
    binding: &ForceBinding,
    force: &Arc<dyn NodalForce>,
    description: &BodyDescription,
    extents: &Arc<[f64]>,
) -> Result<Vec<BoundForce>, String> {
    let whole = |force: Arc<dyn NodalForce>| vec![BoundForce { force, node: None }];
    if force.needs_surface() {
        if binding.particle.is_some() || named(binding).is_some() {
            return Err("it acts on whole bodies".to_owned());
        }
        let surface = description.formulation.surface_triangles(description);
        let over = force.over_surface(&surface, &description.rest_positions);
        let over = over.unwrap_or_else(|| Ok(Arc::clone(force)));
        return over
            .map(whole)
            .map_err(|why| format!("it acts on what is inside of a body, and {why}"));
    }
    if force.needs_part() {
        let part = loaded_part(description, &selected(binding, description)?);
        let over = force.over_part(&part);
        let over = over.unwrap_or_else(|| Ok(Arc::clone(force)));
        return over.map(whole).map_err(str::to_owned);
    }
    let force = force.over(extents).unwrap_or_else(|| Arc::clone(force));
    if let Some(at) = binding.particle {
        let grid = description
            .grid()
            .ok_or("its nodes have no grid coordinates")?;
        let node = Some(grid.index(at));
        return Ok(vec![BoundForce { force, node }]);
    }
    if named(binding).is_none() {
        return match description.formulation.stands_for_all() {
            Some(nodes) => on_the_whole(&force, nodes, description),
            None => Ok(whole(force)),
        };
    }
    let selected = selected(binding, description)?;
    let nodes: Vec<usize> = (0..selected.len()).filter(|&node| selected[node]).collect();
    let rest = &description.rest_positions;
    let middle = match binding.near {
        Some(near) => near.point,
        None => nodes.iter().map(|&node| rest[node]).sum::<DVec3>() / nodes.len() as f64,
    };
    if let Some(Near { within: None, .. }) = binding.near {
        // The nearest alone has the whole force.
        let node = nodes.first().copied();
        return Ok(vec![BoundForce { force, node }]);
    }
    let parts = nodes.iter().map(|&node| BoundForce {
        force: force
            .part(nodes.len(), rest[node] - middle)
            .unwrap_or_else(|| Arc::clone(&force)),
        node: Some(node),
    });
    Ok(parts.collect())
}

/// A force on a body as a whole, which these nodes stand for: it acts once, on the centre of mass.
fn on_the_whole(
    force: &Arc<dyn NodalForce>,
    nodes: std::ops::Range<usize>,
    description: &BodyDescription,
) -> Result<Vec<BoundForce>, String> {
    let rest = &description.rest_positions;
    let count = nodes.len();
    let centre = nodes.clone().map(|node| rest[node]).sum::<DVec3>() / count as f64;
    if force.part(count, DVec3::ZERO).is_some() {
        let part = |node: usize| {
            let force = force.part(count, rest[node] - centre)?;
            let node = Some(node);
            Some(BoundForce { force, node })
        };
        return Ok(nodes.filter_map(part).collect());
    }
    if force.is_by_mass() {
        let force = Arc::clone(force);
        return Ok(vec![BoundForce { force, node: None }]);
    }
    Err("it acts on particles and their surface, of which an object that moves has none; `Gravity`, \
         `Thruster` and `Spring` act on it"
        .to_owned())
}

/// The part that a binding names.
fn named(binding: &ForceBinding) -> Option<Part> {
    let near = binding.near.map(Part::Near);
    binding.part.clone().or(near)
}

/// The nodes that a binding names, all if it names none; at least one, or what is wrong.
fn selected(binding: &ForceBinding, description: &BodyDescription) -> Result<Vec<bool>, String> {
    let rest = &description.rest_positions;
    let part = match (binding.particle, named(binding)) {
        (Some(at), _) => Part::Particles { from: at, to: at },
        (None, Some(part)) => part,
        (None, None) => return Ok(vec![true; rest.len()]),
    };
    let selected = part.select(description);
    if selected.contains(&true) {
        return Ok(selected);
    }
    Err(match part {
        Part::Near(near) => {
            let within = near.within.unwrap_or(0.0);
            let distances = rest.iter().map(|x| x.distance(near.point));
            let nearest = distances.fold(f64::INFINITY, f64::min);
            format!(
                "no node of the mesh lies within {within} m of {}; the nearest is {} m away",
                words::place(near.point),
                words::metres(nearest)
            )
        }
        Part::Region(region) => format!("no node of the mesh belongs to region {region}"),
        Part::Box { .. } | Part::Particles { .. } => {
            let (low, high) = super::mesh_source::extent(rest);
            let [low, high] = [low, high].map(words::place);
            format!("no node of it lies there; it reaches from {low} to {high} at rest")
        }
    })
}
