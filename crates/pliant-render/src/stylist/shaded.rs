//! The plain look: lit surfaces, tubes and blobs. Fields are drawn the same way in other colours.

use super::Subject;
use super::blob::add_blob;
use super::finish;
use super::thick::thickened;
use crate::draw_list::{DrawList, Mesh, Shading};
use crate::tube::{TubePoint, add_tube, smooth};

/// Towards the eye, as a share of its distance: enough for a cloth on a ball to cover the ball.
pub const BODY_LIFT: f32 = 0.003;

/// Pieces that each segment of a curve is drawn in.
const CURVE_PIECES: usize = 5;

/// Radius of a curve as a share of the size of the body.
const CURVE_RADIUS: f64 = 0.008;

/// Adds a body to the list.
pub fn draw(subject: &mut Subject, list: &mut DrawList) {
    add_surface(subject, list);
    add_curves(subject, list);
    let points = &subject.body.topology.points;
    add_blob(subject, points, list);
}

/// Adds the triangles of a body.
pub fn add_surface(subject: &mut Subject, list: &mut DrawList) {
    let (plan, refinement) = subject.memory.refined_surface(subject.body);
    if plan.triangles.is_empty() {
        return;
    }
    let mut mesh = plan.mesh(&subject.body.positions, subject.origin);
    subject.coloring.apply(&mut mesh, &plan.nodes);
    let boundary = refinement.apply(&mut mesh, &plan);
    let kind = if plan.sheet {
        finish::SHEET
    } else {
        finish::SOLID
    };
    mesh.shading = Shading {
        closed: !plan.sheet,
        lift: BODY_LIFT,
        ..finish::shading(subject.body.appearance.finish, kind, subject.memory.size)
    };
    if plan.sheet && subject.style.thickness > 0.0 {
        mesh = thickened(&mesh, boundary, subject.style.thickness);
    } else if plan.sheet && !matches!(subject.coloring, super::Coloring::Nodes(_)) {
        mesh.shading.back_tint = [0.78, 0.80, 0.88];
    }
    list.meshes.push(mesh);
}

/// Adds the curves of a body as tubes.
pub fn add_curves(subject: &mut Subject, list: &mut DrawList) {
    let body = subject.body;
    let chains = subject.memory.chains(&body.topology);
    if chains.is_empty() {
        return;
    }
    let radius = if subject.style.thickness > 0.0 {
        0.5 * subject.style.thickness
    } else {
        CURVE_RADIUS * subject.memory.size
    };
    let (mut mesh, mut nodes) = (Mesh::default(), Vec::new());
    for (chain, closed) in chains.iter() {
        let points: Vec<TubePoint> = chain
            .iter()
            .filter_map(|&node| {
                let coordinates = body.topology.material_coordinates.get(node as usize);
                let position = *body.positions.get(node as usize)?;
                position.is_finite().then_some(TubePoint {
                    position,
                    along: coordinates.map_or(0.0, |c| c[0]),
                    node,
                })
            })
            .collect();
        let curve = smooth(&points, *closed, CURVE_PIECES);
        add_tube(
            &mut mesh,
            &mut nodes,
            &curve,
            *closed,
            radius,
            subject.origin,
        );
    }
    subject.coloring.apply(&mut mesh, &nodes);
    mesh.shading = Shading {
        two_sided: false,
        ..finish::shading(body.appearance.finish, finish::CURVE, radius)
    };
    list.meshes.push(mesh);
}
