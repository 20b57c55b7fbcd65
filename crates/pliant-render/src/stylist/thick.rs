//! Surfaces drawn with a thickness: two skins and a rim.

use crate::draw_list::{Mesh, Paint};
use glam::Vec3;

/// A mesh with half the thickness (in metres) added to either side and its edges closed. `boundary`
/// are the edges that only one triangle has, as pairs of vertices in the order of the triangle.
pub fn thickened(mesh: &Mesh, boundary: &[[u32; 2]], thickness: f64) -> Mesh {
    let half = (0.5 * thickness) as f32;
    let count = mesh.positions.len() as u32;
    let shifted = |distance: f32| {
        mesh.positions
            .iter()
            .zip(&mesh.normals)
            .map(move |(&p, &n)| (Vec3::from(p) + distance * Vec3::from(n)).to_array())
    };
    let mut thick = mesh.clone();
    thick.positions = shifted(half).chain(shifted(-half)).collect();
    thick
        .normals
        .extend(mesh.normals.iter().map(|n| n.map(|x| -x)));
    thick.texture_coordinates.extend(&mesh.texture_coordinates);
    thick.colors.extend(&mesh.colors);
    let lower = mesh
        .triangles
        .iter()
        .map(|&[a, b, c]| [a + count, c + count, b + count]);
    thick.triangles.extend(lower);
    for &[a, b] in boundary {
        let at = |vertex: u32| Vec3::from(thick.positions[vertex as usize]);
        let upward = Vec3::from(mesh.normals[a as usize]) + Vec3::from(mesh.normals[b as usize]);
        let outward = (at(b) - at(a)).cross(upward).normalize_or(Vec3::Z);
        let first = thick.positions.len() as u32;
        for vertex in [a, b, b + count, a + count] {
            thick.positions.push(thick.positions[vertex as usize]);
            thick.normals.push(outward.to_array());
            if !mesh.texture_coordinates.is_empty() {
                let coordinates = mesh.texture_coordinates[(vertex % count) as usize];
                thick.texture_coordinates.push(coordinates);
            }
            if matches!(mesh.paint, Paint::Vertices) {
                thick.colors.push(mesh.colors[(vertex % count) as usize]);
            }
        }
        // Seen from outside the lower skin is on the left of the edge as it runs.
        thick
            .triangles
            .extend([[first, first + 3, first + 2], [first, first + 2, first + 1]]);
    }
    thick
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stylist::surface::SurfacePlan;
    use crate::stylist::test_frames::sheet;
    use glam::DVec3;
    use pliant::image_layout::ImageLayout;

    #[test]
    fn a_thick_sheet_is_a_closed_slab() {
        let frame = sheet(5, 4);
        let body = &frame.bodies[0];
        let plan = SurfacePlan::new(
            &body.topology,
            &body.positions,
            &mut None,
            &ImageLayout::default(),
        );
        let mesh = plan.mesh(&body.positions, DVec3::ZERO);
        let slab = thickened(&mesh, plan.boundary(), 0.1);
        let at = |v: u32| Vec3::from(slab.positions[v as usize]);
        let volume: f32 = slab
            .triangles
            .iter()
            .map(|&[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0)
            .sum();
        assert!((volume - 0.1).abs() < 1e-5, "{volume}");
        for &[a, b, c] in &slab.triangles {
            let normal = (at(b) - at(a)).cross(at(c) - at(a));
            assert!(normal.dot(Vec3::from(slab.normals[a as usize])) > 0.0);
        }
        assert_eq!(slab.positions.len(), slab.texture_coordinates.len());
    }
}
