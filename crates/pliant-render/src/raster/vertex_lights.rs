//! Light worked out at the vertices of fine meshes, for pixels that no patch covers.
//!
//! Threads and thin tubes consist of triangles of a few pixels, each of which would be lit at every
//! pixel, and where several meet in a pixel, several times in it. The light at their corners is as
//! much as can be seen of it: it is worked out once per vertex and interpolated (Gouraud, 1971).
//! Larger triangles of the same mesh are lit pixel by pixel, and so are those of glossy meshes whose
//! normals turn by more than a highlight is wide: it would be seen at some vertices and at others not.

use super::light::{Lighting, Surface};
use super::prepared::{Prepared, sound_lift};
use super::triangle::Triangle;
use crate::{DrawList, Mesh, Paint};
use glam::Vec3;
use rayon::prelude::*;

/// Most columns and rows that a small triangle may touch, in pixels.
const SMALL: u32 = 8;

/// Highlights are wider than any small triangle from this roughness on.
const DULL: f32 = 0.4;

/// Vertices that one thread lights together.
const CHUNK: usize = 512;

/// Light at the vertices of those meshes for which it is worth it, mesh by mesh.
pub(crate) struct VertexLights {
    meshes: Vec<Option<Vec<Vec3>>>,
}

impl VertexLights {
    /// Works out the light at all vertices of small triangles that are seen.
    pub fn new(list: &DrawList, opaque: &Prepared, lighting: &Lighting) -> Self {
        let mut meshes: Vec<Option<Vec<Vec3>>> = list.meshes.iter().map(|_| None).collect();
        for wanted in wanted(list, opaque) {
            let mesh = &list.meshes[wanted.mesh];
            let eye = opaque.view.eye.as_vec3();
            let light = |vertex: usize| match wanted.vertices[vertex] {
                true => light_at(mesh, vertex, lighting, eye),
                false => Vec3::ZERO,
            };
            let lights = (0..wanted.vertices.len()).into_par_iter();
            meshes[wanted.mesh] = Some(lights.with_min_len(CHUNK).map(light).collect());
        }
        Self { meshes }
    }

    /// The light of a triangle for these barycentric coordinates, if it is known at its corners.
    pub fn at(
        &self,
        mesh: &Mesh,
        triangle: &Triangle,
        weights: impl FnOnce() -> [f32; 3],
    ) -> Option<Vec3> {
        let lights = self.meshes[triangle.mesh as usize].as_ref()?;
        if !is_small(triangle) || !is_even(mesh, triangle) {
            return None;
        }
        // The middle of the samples of a pixel may lie outside: light must not be extrapolated.
        let weights = weights().map(|weight| weight.max(0.0));
        let [a, b, c] = triangle.corners.map(|corner| lights[corner as usize]);
        let sum = a * weights[0] + b * weights[1] + c * weights[2];
        Some(sum / (weights[0] + weights[1] + weights[2]).max(1e-6))
    }
}

/// The vertices of a mesh at which light is wanted.
struct Wanted {
    mesh: usize,
    vertices: Vec<bool>,
    /// How many these are.
    count: usize,
    /// About how many pixels their triangles cover.
    pixels: usize,
}

/// Those meshes that have fewer vertices in small triangles than these triangles have pixels.
fn wanted(list: &DrawList, opaque: &Prepared) -> Vec<Wanted> {
    let mut found: Vec<Option<Wanted>> = list
        .meshes
        .iter()
        .enumerate()
        .map(|(index, mesh)| {
            can_have_lights(mesh).then(|| Wanted {
                mesh: index,
                vertices: vec![false; mesh.positions.len()],
                count: 0,
                pixels: 0,
            })
        })
        .collect();
    for (_, triangle) in opaque.triangles.numbered() {
        let Some(wanted) = &mut found[triangle.mesh as usize] else {
            continue;
        };
        if !is_small(triangle) || !is_even(&list.meshes[wanted.mesh], triangle) {
            continue;
        }
        let [columns, rows] = extent(triangle);
        wanted.pixels += (columns * rows) as usize;
        for corner in triangle.corners {
            let vertex = &mut wanted.vertices[corner as usize];
            wanted.count += usize::from(!*vertex);
            *vertex = true;
        }
    }
    let found = found.into_iter().flatten();
    // A triangle covers about half of the pixels in the rectangle around it.
    let is_worth_it = |wanted: &Wanted| wanted.count > 0 && 2 * wanted.count < wanted.pixels;
    found.filter(is_worth_it).collect()
}

/// Whether the light at a vertex is all there is to know: one side is seen, and the colour is that
/// of the whole mesh or of the vertex.
fn can_have_lights(mesh: &Mesh) -> bool {
    let count = mesh.positions.len();
    let is_colored = match mesh.paint {
        Paint::Color(_) => true,
        Paint::Vertices => mesh.colors.len() == count,
        _ => false,
    };
    is_colored && mesh.normals.len() == count && !mesh.shading.two_sided && !mesh.shading.fades
}

/// Columns and rows of a triangle.
fn extent(triangle: &Triangle) -> [u32; 2] {
    let [first_column, first_row, end_column, end_row] = triangle.bounds;
    [end_column - first_column, end_row - first_row]
}

fn is_small(triangle: &Triangle) -> bool {
    extent(triangle).into_iter().all(|side| side <= SMALL)
}

/// Whether no highlight can lie between the corners of a triangle: its normals turn by less than half
/// of the width of one, which is the square of the roughness.
fn is_even(mesh: &Mesh, triangle: &Triangle) -> bool {
    let roughness = mesh.shading.finish.roughness;
    if roughness >= DULL {
        return true;
    }
    let [a, b, c] = triangle
        .corners
        .map(|corner| Vec3::from(mesh.normals[corner as usize]));
    let turn = 0.5 * roughness * roughness;
    let least = 1.0 - 0.5 * turn * turn;
    a.dot(b).min(b.dot(c)).min(c.dot(a)) > least
}

/// Light that a vertex sends to the eye.
fn light_at(mesh: &Mesh, vertex: usize, lighting: &Lighting, eye: Vec3) -> Vec3 {
    let point = Vec3::from(mesh.positions[vertex]);
    let normal = Vec3::from(mesh.normals[vertex]).normalize_or(Vec3::Z);
    let albedo = match &mesh.paint {
        Paint::Color(color) => *color,
        _ => mesh.colors[vertex],
    };
    let sent = lighting.shade(&Surface {
        point,
        smooth_point: point,
        normal,
        flat_normal: normal,
        albedo: Vec3::from(albedo),
        finish: &mesh.shading.finish,
        lift: sound_lift(mesh.shading.lift).max(0.0) * (point - eye).length(),
    });
    sent.inner + sent.reflected
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, from_above, list_of, small};
    use super::super::{Background, draw};
    use crate::tube::{TubePoint, add_tube};
    use crate::{Mesh, Paint, Shading};
    use glam::DVec3;

    /// Tubes side by side that touch each other, a few pixels wide.
    fn tubes(two_sided: bool) -> Mesh {
        let mut mesh = Mesh::default();
        for number in 0..20 {
            let points: Vec<TubePoint> = (0..40)
                .map(|step| TubePoint {
                    position: DVec3::new(
                        0.3 * f64::from(number - 10),
                        0.1 * f64::from(step - 20),
                        0.0,
                    ),
                    along: 0.0,
                    node: 0,
                })
                .collect();
            add_tube(
                &mut mesh,
                &mut Vec::new(),
                &points,
                false,
                0.15,
                DVec3::ZERO,
            );
        }
        mesh.shading = Shading {
            two_sided,
            ..mesh.shading
        };
        mesh
    }

    #[test]
    fn glossy_tubes_are_lit_pixel_by_pixel() {
        let picture = |two_sided: bool| {
            let mut mesh = tubes(two_sided);
            mesh.paint = Paint::Color([0.05; 3]);
            mesh.shading.finish.roughness = 0.2;
            let options = small(Background::Plain([0.5; 3]));
            draw(&list_of(vec![mesh]), &from_above(), &[], &options)
        };
        // Light at vertices would catch some highlights and miss others.
        let (fine, exact) = (picture(false), picture(true));
        let differences = fine.bytes().iter().zip(exact.bytes());
        let most = differences.map(|(one, other)| one.abs_diff(*other)).max();
        assert!(most < Some(6), "{most:?}");
    }

    #[test]
    fn light_at_vertices_looks_like_light_at_pixels() {
        let picture = |two_sided: bool| {
            let list = list_of(vec![tubes(two_sided)]);
            draw(
                &list,
                &from_above(),
                &[],
                &small(Background::Plain([0.5; 3])),
            )
        };
        // Meshes with two sides are lit pixel by pixel.
        let (fast, exact) = (picture(false), picture(true));
        assert_ne!(fast.bytes(), exact.bytes(), "nothing was interpolated");
        let (mut sum, mut most) = (0, 0);
        for row in 0..100 {
            for column in 0..100 {
                let (one, other) = (at(&fast, column, row), at(&exact, column, row));
                let difference = (0..3).map(|part| one[part].abs_diff(other[part])).max();
                sum += u32::from(difference.unwrap_or(0));
                most = most.max(difference.unwrap_or(0));
            }
        }
        assert!(sum < 3 * 100 * 100, "{sum}");
        assert!(most < 40, "{most}: a speck");
    }
}
