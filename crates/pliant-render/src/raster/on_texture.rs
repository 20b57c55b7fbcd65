//! Where a triangle lies on its texture, and the lines of a grid that is drawn there.

use super::triangle::Triangle;
use crate::Mesh;
use glam::Vec2;

/// How much darker the lines of a grid are.
pub(super) const LINE_STRENGTH: f32 = 0.13;

/// Half the width of the lines of a grid, in cells.
const LINE: f32 = 0.009;

/// Place on the texture at a place in the picture, and how it changes over a pixel across and along.
pub(super) fn on_texture(
    mesh: &Mesh,
    triangle: &Triangle,
    weights: [f32; 3],
    column: f32,
    row: f32,
) -> [Vec2; 3] {
    let read = |weights: [f32; 3]| texture_place(mesh, triangle, weights);
    let (column, row) = (f64::from(column), f64::from(row));
    let place = read(weights);
    [
        place,
        read(triangle.barycentric(column + 1.0, row)) - place,
        read(triangle.barycentric(column, row + 1.0)) - place,
    ]
}

/// Place on the texture between the corners of a triangle.
pub(super) fn texture_place(mesh: &Mesh, triangle: &Triangle, weights: [f32; 3]) -> Vec2 {
    let [a, b, c] = triangle
        .corners
        .map(|corner| Vec2::from(mesh.texture_coordinates[corner as usize]));
    a * weights[0] + b * weights[1] + c * weights[2]
}

/// Share of a pixel that the lines between cells cover, 0 to 1; lines too dense to be seen are
/// left out.
pub(super) fn grid_lines(place: Vec2, across: Vec2, along: Vec2) -> f32 {
    let mut clear = 1.0;
    for axis in 0..2 {
        let pixel = across[axis].abs().max(along[axis].abs()).max(1e-6);
        let distance = (place[axis] - place[axis].round()).abs();
        let half = 0.5 * pixel;
        let covered = ((distance + half).min(LINE) - (distance - half).max(-LINE)).max(0.0) / pixel;
        let seen = (2.0 - 5.0 * pixel).clamp(0.0, 1.0);
        clear *= 1.0 - covered.min(1.0) * seen;
    }
    1.0 - clear
}
