//! The colour of what is seen at a sample.

use super::backdrop::Backdrop;
use super::floor_colors::{FloorColors, floor_colors};
use super::light::{Lighting, Sent, Surface};
use super::mipmap::{Mipmap, Reading};
use super::on_texture::{LINE_STRENGTH, grid_lines, on_texture, texture_place};
use super::prepared::{Prepared, one_or_each, sound_lift};
use super::tile::{EMPTY, GROUND, Tile, sample_places};
use super::tone::compress;
use super::triangle::Triangle;
use super::vertex_lights::VertexLights;
use crate::{DrawList, Mesh, Paint};
use glam::{Vec2, Vec3, Vec4};
use std::sync::Arc;

/// Neighbouring triangles whose normals agree this well are shaded as one surface.
const SAME_SURFACE: f32 = 0.95;

/// Everything needed to colour a picture.
pub(crate) struct Painter<'a> {
    pub list: &'a DrawList,
    pub opaque: Prepared,
    pub lighting: Lighting,
    pub backdrop: Backdrop,
    pub exposure: f32,
    vertex_lights: VertexLights,
    textures: Vec<Option<Arc<Mipmap>>>,
    /// The colours of floors, mesh by mesh.
    pub floors: Vec<Option<Arc<FloorColors>>>,
}

impl<'a> Painter<'a> {
    pub fn new(
        list: &'a DrawList,
        opaque: Prepared,
        lighting: Lighting,
        backdrop: Backdrop,
        exposure: f32,
    ) -> Self {
        let textures = list
            .meshes
            .iter()
            .map(|mesh| match &mesh.paint {
                Paint::Texture(texture) => Mipmap::of(texture),
                _ => None,
            })
            .collect();
        let floors = list.meshes.iter();
        let floors = floors
            .map(|mesh| floor_colors(&opaque.view, mesh))
            .collect();
        Self {
            list,
            vertex_lights: VertexLights::new(list, &opaque, &lighting),
            floors,
            opaque,
            lighting,
            backdrop,
            exposure: if exposure.is_finite() { exposure } else { 1.0 },
            textures,
        }
    }

    /// Colour and opacity (colours multiplied by it) of all samples of a pixel of a tile.
    pub fn pixel<const N: usize>(&self, tile: &Tile<N>, x: usize, y: usize) -> [Vec4; N] {
        let ids = &tile.id[y * super::tile::TILE + x];
        let column = (tile.origin[0] + x) as f32;
        let row = (tile.origin[1] + y) as f32;
        if ids.iter().all(|id| *id == ids[0]) {
            return [self.thing(ids[0], column + 0.5, row + 0.5); N];
        }
        let places = sample_places::<N>();
        let mut colors = [Vec4::ZERO; N];
        let mut done = [false; N];
        for first in 0..N {
            if done[first] {
                continue;
            }
            let mut members = [false; N];
            let (mut middle, mut count) = ([0.0; 2], 0.0);
            for sample in first..N {
                if done[sample] || !self.is_same_surface(ids[first], ids[sample], column, row) {
                    continue;
                }
                members[sample] = true;
                middle[0] += places[sample][0];
                middle[1] += places[sample][1];
                count += 1.0;
            }
            let color = self.thing(
                ids[first],
                column + middle[0] / count,
                row + middle[1] / count,
            );
            for sample in first..N {
                if members[sample] {
                    done[sample] = true;
                    colors[sample] = color;
                }
            }
        }
        colors
    }

    /// Whether two things are the same, or neighbours on a smooth surface.
    pub fn is_same_surface(&self, one: u32, other: u32, column: f32, row: f32) -> bool {
        if one == other {
            return true;
        }
        let triangles = &self.opaque.triangles;
        let (Some(one), Some(other)) = (triangles.get(one as usize), triangles.get(other as usize))
        else {
            return false;
        };
        if one.mesh != other.mesh || one.front != other.front {
            return false;
        }
        // What is sharp has vertices for each side, so an edge with the same two vertices is smooth.
        let mesh = &self.list.meshes[one.mesh as usize];
        let is_shared = |corner: &&u32| other.corners.contains(*corner);
        if mesh.normals.len() == mesh.positions.len()
            && one.corners.iter().filter(is_shared).count() == 2
        {
            return true;
        }
        let agreement = Vec3::from(one.normal).dot(Vec3::from(other.normal));
        let (column, row) = (f64::from(column) + 0.5, f64::from(row) + 0.5);
        let depth = one.depth_at(column, row);
        agreement > SAME_SURFACE
            && (depth - other.depth_at(column, row)).abs() < 0.002 * depth.abs()
    }

    /// Colour and opacity of a thing at a place in the picture.
    pub fn thing(&self, id: u32, column: f32, row: f32) -> Vec4 {
        match id {
            EMPTY => self.backdrop.background(row),
            GROUND => self.backdrop.ground(&self.lighting, column, row),
            _ => {
                let index = id as usize;
                match self.opaque.triangles.get(index) {
                    Some(triangle) => self.triangle(id, triangle, column, row),
                    None => self.sphere(index, column, row).extend(1.0),
                }
            }
        }
    }

    /// What the eye sees of light.
    pub fn show(&self, light: Vec3) -> Vec3 {
        let light = light * self.exposure;
        Vec3::new(compress(light.x), compress(light.y), compress(light.z))
    }

    /// Colour and opacity of a triangle that hides what lies behind it, as shown.
    fn triangle(&self, id: u32, triangle: &Triangle, column: f32, row: f32) -> Vec4 {
        let mesh = &self.list.meshes[triangle.mesh as usize];
        if mesh.shading.fades {
            return self.floor(id, triangle, column, row);
        }
        let weights = || triangle.barycentric(f64::from(column), f64::from(row));
        if let Some(light) = self.vertex_lights.at(mesh, triangle, weights) {
            return self.show(light).extend(1.0);
        }
        let sent = self.sent(triangle, column, row);
        self.show(sent.inner + sent.reflected).extend(1.0)
    }

    /// Colour (multiplied by its opacity) and opacity of a triangle through which things are seen:
    /// what it reflects is there all the same, and seen from the side it hides more.
    pub fn veil(&self, triangle: &Triangle, opacity: f32, column: f32, row: f32) -> Vec4 {
        let sent = self.sent(triangle, column, row);
        let rim = (1.0 - sent.facing).powi(3);
        let opacity = opacity + (1.0 - opacity) * 0.6 * rim;
        (self.show(sent.inner) * opacity + self.show(sent.reflected)).extend(opacity)
    }

    /// Colour and opacity of a floor without end.
    fn floor(&self, id: u32, triangle: &Triangle, column: f32, row: f32) -> Vec4 {
        if self.is_lit_as_floor(id) {
            let lit = self.floor_light(id, [column, row]);
            return self.floor_pixel(id, lit, [column, row], None);
        }
        let behind = self.backdrop.background(row);
        let here = self.backdrop.presence(self.point(triangle, column, row));
        if here <= 0.0 {
            return behind;
        }
        let sent = self.sent(triangle, column, row);
        behind.lerp(self.show(sent.inner + sent.reflected).extend(1.0), here)
    }

    /// Whether a floor without end is level and has no highlight.
    pub fn is_lit_as_floor(&self, id: u32) -> bool {
        self.opaque
            .triangles
            .get(id as usize)
            .is_some_and(|triangle| {
                let shading = &self.list.meshes[triangle.mesh as usize].shading;
                shading.finish.roughness >= 1.0 && self.world_normal(triangle).z > 0.999
            })
    }

    /// Light on a level floor at a place in the picture, and how much of the floor is seen there.
    pub fn floor_light(&self, id: u32, [column, row]: [f32; 2]) -> Vec4 {
        let Some(triangle) = self.opaque.triangles.get(id as usize) else {
            return Vec4::ZERO;
        };
        let point = self.point(triangle, column, row);
        let here = self.backdrop.presence(point);
        if here <= 0.0 {
            return Vec4::ZERO;
        }
        let light = self.lighting.floor_light(point) * self.lighting.floor_share(point);
        light.extend(here)
    }

    /// Colour and opacity of a floor in that light.
    pub fn floor_pixel(
        &self,
        id: u32,
        light: Vec4,
        [column, row]: [f32; 2],
        reading: Option<&Reading>,
    ) -> Vec4 {
        let (light, here) = (light.truncate(), light.w);
        let behind = self.backdrop.background(row);
        let Some(triangle) = self
            .opaque
            .triangles
            .get(id as usize)
            .filter(|_| here > 0.0)
        else {
            return behind;
        };
        let albedo = self.color_at(triangle, [column, row], reading);
        behind.lerp(self.show(albedo * light).extend(1.0), here)
    }

    /// The point of a triangle at a place in the picture.
    fn point(&self, triangle: &Triangle, column: f32, row: f32) -> Vec3 {
        let mesh = &self.list.meshes[triangle.mesh as usize];
        let weights = triangle.barycentric(f64::from(column), f64::from(row));
        let corners = triangle.corners;
        mix(
            corners.map(|corner| Vec3::from(mesh.positions[corner as usize])),
            weights,
        )
    }

    /// The point of a triangle or of the ground at a place in the picture, and its normal.
    pub fn place(&self, id: u32, [column, row]: [f32; 2]) -> Option<(Vec3, Vec3)> {
        if id == GROUND {
            let point = self.backdrop.ground_point(column, row)?;
            return Some((point, Vec3::Z));
        }
        let triangle = self.opaque.triangles.get(id as usize)?;
        Some((
            self.point(triangle, column, row),
            self.world_normal(triangle),
        ))
    }

    /// Normal of a triangle in the world, of unit length, on the side of the eye.
    fn world_normal(&self, triangle: &Triangle) -> Vec3 {
        let [across, down, forward] = triangle.normal;
        let axes = &self.opaque.view.axes;
        axes[0].as_vec3() * across + axes[1].as_vec3() * down + axes[2].as_vec3() * forward
    }

    /// Light that a triangle sends to the eye at a place in the picture.
    pub fn sent(&self, triangle: &Triangle, column: f32, row: f32) -> Sent {
        let mesh = &self.list.meshes[triangle.mesh as usize];
        let weights = triangle.barycentric(f64::from(column), f64::from(row));
        let albedo = self.albedo(mesh, triangle, weights, column, row);
        self.sent_of(triangle, albedo * tint(mesh, triangle), [column, row])
    }

    /// The same if it had a colour.
    pub fn sent_of(&self, triangle: &Triangle, albedo: Vec3, [column, row]: [f32; 2]) -> Sent {
        let view = &self.opaque.view;
        let mesh = &self.list.meshes[triangle.mesh as usize];
        let weights = triangle.barycentric(f64::from(column), f64::from(row));
        let corners = triangle.corners.map(|corner| corner as usize);
        let points = corners.map(|corner| Vec3::from(mesh.positions[corner]));
        let point = mix(points, weights);
        let flat_normal = self.world_normal(triangle);
        let (normal, smooth_point) = if mesh.normals.len() == mesh.positions.len() {
            let mut normals = corners.map(|corner| Vec3::from(mesh.normals[corner]));
            let mut normal = mix(normals, weights);
            if normal.dot(flat_normal) < 0.0 {
                normal = -normal;
                normals = normals.map(|normal| -normal);
            }
            match normal.try_normalize() {
                Some(normal) => (normal, lift_to_curve(point, points, normals, weights)),
                None => (flat_normal, point),
            }
        } else {
            (flat_normal, point)
        };
        let distance = (point - view.eye.as_vec3()).length();
        self.lighting.shade(&Surface {
            point,
            smooth_point,
            normal,
            flat_normal,
            albedo,
            finish: &mesh.shading.finish,
            lift: sound_lift(mesh.shading.lift).max(0.0) * distance,
        })
    }

    /// How the texture of a triangle, if it has one, is read about a place in the picture.
    pub fn reading(&self, triangle: &Triangle, [column, row]: [f32; 2]) -> Option<Reading> {
        let mesh = &self.list.meshes[triangle.mesh as usize];
        let mipmap = self.textures[triangle.mesh as usize].as_ref()?;
        if mesh.texture_coordinates.len() != mesh.positions.len() {
            return None;
        }
        let weights = triangle.barycentric(f64::from(column), f64::from(row));
        let [_, across, along] = on_texture(mesh, triangle, weights, column, row);
        Some(mipmap.reading(across, along))
    }

    /// The texture of a triangle, if it has one that can be read.
    pub fn texture_of(&self, triangle: &Triangle) -> Option<&Mipmap> {
        self.textures[triangle.mesh as usize].as_deref()
    }

    /// Where a place in the picture lies on the texture of a triangle.
    pub fn texture_place(&self, triangle: &Triangle, [column, row]: [f32; 2]) -> Vec2 {
        let mesh = &self.list.meshes[triangle.mesh as usize];
        let weights = triangle.barycentric(f64::from(column), f64::from(row));
        texture_place(mesh, triangle, weights)
    }

    /// The colour of a triangle in white light at a place in the picture, on the side that is seen; its
    /// texture is read as at another place nearby.
    pub fn color_at(
        &self,
        triangle: &Triangle,
        [column, row]: [f32; 2],
        reading: Option<&Reading>,
    ) -> Vec3 {
        let mesh = &self.list.meshes[triangle.mesh as usize];
        let weights = triangle.barycentric(f64::from(column), f64::from(row));
        let texture = self.textures[triangle.mesh as usize].as_ref();
        let color = match (texture, reading) {
            (Some(texture), Some(reading)) => {
                texture.read(texture_place(mesh, triangle, weights), reading)
            }
            _ => self.albedo(mesh, triangle, weights, column, row),
        };
        color * tint(mesh, triangle)
    }

    fn albedo(
        &self,
        mesh: &Mesh,
        triangle: &Triangle,
        weights: [f32; 3],
        column: f32,
        row: f32,
    ) -> Vec3 {
        let corners = triangle.corners.map(|corner| corner as usize);
        match &mesh.paint {
            Paint::Color(color) => Vec3::from(*color),
            Paint::Vertices if mesh.colors.len() == mesh.positions.len() => mix(
                corners.map(|corner| Vec3::from(mesh.colors[corner])),
                weights,
            ),
            Paint::Texture(_) if mesh.texture_coordinates.len() == mesh.positions.len() => {
                let Some(mipmap) = &self.textures[triangle.mesh as usize] else {
                    return Vec3::splat(0.7);
                };
                let [place, across, along] = on_texture(mesh, triangle, weights, column, row);
                mipmap.read(place, &mipmap.reading(across, along))
            }
            Paint::Grid(color) if mesh.texture_coordinates.len() == mesh.positions.len() => {
                let [place, across, along] = on_texture(mesh, triangle, weights, column, row);
                Vec3::from(*color) * (1.0 - LINE_STRENGTH * grid_lines(place, across, along))
            }
            _ => Vec3::splat(0.7),
        }
    }

    fn sphere(&self, index: usize, column: f32, row: f32) -> Vec3 {
        let view = &self.opaque.view;
        let sphere = &self.opaque.spheres[index - self.opaque.triangles.end()];
        let [set, member] = sphere.index.map(|index| index as usize);
        let set = &self.list.spheres[set];
        let albedo = one_or_each(&set.colors, member).unwrap_or([0.7; 3]);
        // The middle of the samples on a rim may lie just outside: take the nearest point of it.
        let hit = sphere
            .hit(view, f64::from(column), f64::from(row))
            .unwrap_or_else(|| {
                let ray = view.ray(f64::from(column), f64::from(row)).normalize();
                let foot = ray * ray.dot(sphere.center);
                let outwards = (foot - sphere.center).normalize_or(-ray);
                sphere.center + outwards * sphere.radius
            });
        let world = |vector: glam::DVec3| {
            (view.axes[0] * vector.x + view.axes[1] * vector.y + view.axes[2] * vector.z).as_vec3()
        };
        let outwards = (hit - sphere.center) / sphere.radius;
        let towards_eye = if outwards.dot(hit) > 0.0 && sphere.center.length() < sphere.radius {
            -outwards
        } else {
            outwards
        };
        let normal = world(towards_eye);
        let point = (view.eye + world(hit).as_dvec3()).as_vec3();
        let light = self.lighting.shade(&Surface {
            point,
            smooth_point: point,
            normal,
            flat_normal: normal,
            albedo: Vec3::from(albedo),
            finish: &set.finish,
            lift: 0.0,
        });
        self.show(light.inner + light.reflected)
    }
}

/// By what the side of a triangle that is seen differs from the front of its mesh.
pub(super) fn tint(mesh: &Mesh, triangle: &Triangle) -> Vec3 {
    match mesh.shading.two_sided && !triangle.front {
        true => Vec3::from(mesh.shading.back_tint),
        false => Vec3::ONE,
    }
}

/// The value between three corners.
fn mix(values: [Vec3; 3], weights: [f32; 3]) -> Vec3 {
    values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2]
}

/// The point moved out to the smooth surface that the triangle stands for, so that the light does
/// not see the triangles: the mean of its projections on the tangent planes at the corners, where
/// those lie outside (Hanika, "Hacking the shadow terminator", 2021).
fn lift_to_curve(point: Vec3, corners: [Vec3; 3], normals: [Vec3; 3], weights: [f32; 3]) -> Vec3 {
    let mut lifted = point;
    for index in 0..3 {
        let below = (point - corners[index]).dot(normals[index]).min(0.0);
        lifted -= normals[index] * (below * weights[index]);
    }
    lifted
}
