//! Draws vertex buffers into a texture that the window shows.

use super::memory::{Growing, buffer, cleared, texture, upload, white};
use super::pipelines::{Pipelines, SAMPLES_ON_A_CARD, SAMPLES_ON_A_PROCESSOR};
use super::sight::{Sight, VIEW_FLOATS};
use crate::vertices::{Batch, Vertices};
use eframe::egui;
use eframe::egui_wgpu::{RenderState, wgpu};
use glam::DVec3;
use pliant_render::Texture;
use std::collections::HashMap;
use std::sync::Arc;

/// Columns and rows of the shadow map.
const SHADOW_SIZE: u32 = 1024;

/// Bytes from one look to the next in their buffer: what every card can address.
const LOOK_STRIDE: u64 = 256;

/// The most looks in one picture; what comes after is drawn with the last.
const MOST_LOOKS: u64 = 512;

/// Where a picture is drawn.
struct Target {
    size: [u32; 2],
    samples: wgpu::TextureView,
    color: wgpu::TextureView,
    depth: wgpu::TextureView,
    id: egui::TextureId,
}

/// Draws draw lists with a graphics card.
pub struct Painter {
    state: RenderState,
    pipelines: Pipelines,
    samples: u32,
    /// Whether the processor plays the card.
    is_processor: bool,
    view: wgpu::Buffer,
    looks: wgpu::Buffer,
    view_group: wgpu::BindGroup,
    shadow_group: wgpu::BindGroup,
    look_group: wgpu::BindGroup,
    shadow_map: wgpu::TextureView,
    target: Option<Target>,
    mesh: [Growing; 2],
    lines: [Growing; 2],
    spheres: [Growing; 2],
    batches: Vec<Batch>,
    bounds: [DVec3; 2],
    /// By address; the pictures are held, so that no other has the same.
    pictures: HashMap<usize, (Arc<Texture>, wgpu::BindGroup)>,
    blank: wgpu::BindGroup,
    /// Whether the last batch is the ground.
    has_ground: bool,
}

impl std::fmt::Debug for Painter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Painter({:?})", self.state.adapter.get_info().name)
    }
}

impl Painter {
    /// For the card of a window.
    pub fn new(state: &RenderState) -> Self {
        let device = &state.device;
        let is_processor = state.adapter.get_info().device_type == wgpu::DeviceType::Cpu;
        let samples = match is_processor {
            true => SAMPLES_ON_A_PROCESSOR,
            false => SAMPLES_ON_A_CARD,
        };
        let pipelines = Pipelines::new(device, samples);
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let view = buffer(device, "view", 4 * VIEW_FLOATS as u64, uniform);
        let looks = buffer(device, "looks", LOOK_STRIDE * MOST_LOOKS, uniform);
        let depth = wgpu::TextureFormat::Depth32Float;
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
        let size = [SHADOW_SIZE, SHADOW_SIZE];
        let shadow_map = texture(device, "shadow map", size, 1, depth, usage);
        let nothing = texture(device, "no shadow", [1, 1], 1, depth, usage);
        let blank = pipelines.picture_group(device, &white(state));
        let vertices = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST;
        let indices = wgpu::BufferUsages::INDEX | wgpu::BufferUsages::COPY_DST;
        let pair = || [vertices, indices].map(|usage| Growing::new(device, usage));
        Self {
            view_group: pipelines.view_group(device, &view, &shadow_map),
            // The map cannot be read while it is drawn.
            shadow_group: pipelines.view_group(device, &view, &nothing),
            look_group: pipelines.look_group(device, &looks),
            state: state.clone(),
            samples,
            is_processor,
            view,
            looks,
            shadow_map,
            target: None,
            mesh: pair(),
            lines: pair(),
            spheres: pair(),
            batches: Vec::new(),
            bounds: [-DVec3::ONE, DVec3::ONE],
            pictures: HashMap::new(),
            blank,
            has_ground: false,
            pipelines,
        }
    }

    /// Another one for the same card.
    pub fn twin(&self) -> Self {
        Self::new(&self.state)
    }

    /// Whether the processor plays the card, so that each pixel costs time.
    pub fn is_processor(&self) -> bool {
        self.is_processor
    }

    /// What the card calls itself.
    pub fn adapter_name(&self) -> String {
        let info = self.state.adapter.get_info();
        format!("{} ({})", info.name, info.backend)
    }

    /// The lowest and highest corner of what is drawn, relative to the origin of the list.
    pub fn bounds(&self) -> [DVec3; 2] {
        self.bounds
    }

    /// Takes in what is drawn from now on; `ground` is the height of a ground that catches shadows.
    pub fn set_vertices(&mut self, vertices: &Vertices, ground: Option<f32>) {
        let found = vertices.bounds.unwrap_or([[-1.0; 3], [1.0; 3]]);
        self.bounds = found.map(|corner| glam::Vec3::from(corner).as_dvec3());
        let mut mesh = vertices.mesh.clone();
        let mut indices = vertices.mesh_indices.clone();
        self.batches = vertices.batches.clone();
        self.batches.truncate(MOST_LOOKS as usize - 1);
        self.has_ground = ground.is_some();
        if let Some(height) = ground {
            self.add_ground(height, &mut mesh, &mut indices);
        }
        self.mesh[0].write(&self.state, bytemuck::cast_slice(&mesh), 4);
        self.mesh[1].write(&self.state, bytemuck::cast_slice(&indices), 4);
        for (buffers, numbers, indices) in [
            (&mut self.lines, &vertices.lines, &vertices.line_indices),
            (
                &mut self.spheres,
                &vertices.spheres,
                &vertices.sphere_indices,
            ),
        ] {
            buffers[0].write(&self.state, bytemuck::cast_slice(numbers), 4);
            buffers[1].write(&self.state, bytemuck::cast_slice(indices), 4);
        }
        let mut looks = vec![0_u8; self.batches.len() * LOOK_STRIDE as usize];
        for (index, batch) in self.batches.iter().enumerate() {
            let bytes: &[u8] = bytemuck::cast_slice(&batch.look);
            let start = index * LOOK_STRIDE as usize;
            looks[start..start + bytes.len()].copy_from_slice(bytes);
        }
        if !looks.is_empty() {
            self.state.queue.write_buffer(&self.looks, 0, &looks);
        }
        self.load_pictures();
    }

    /// A wide square below everything, which turns into background far away.
    fn add_ground(&mut self, height: f32, mesh: &mut Vec<f32>, indices: &mut Vec<u32>) {
        let [low, high] = self.bounds;
        let middle = 0.5 * (low + high);
        let reach = 10.5 * (high - low).length().max(1e-3);
        let first = (mesh.len() / crate::vertices::MESH_FLOATS) as u32;
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
            let place = [middle.x + reach * x, middle.y + reach * y].map(|v| v as f32);
            mesh.extend([
                place[0], place[1], height, 0.0, 0.0, 1.0, 0.0, 0.0, 0.7, 0.7, 0.7,
            ]);
        }
        let start = indices.len() as u32;
        indices.extend([0, 1, 2, 2, 1, 3].map(|corner: u32| first + corner));
        let mut look = [0.0; 16];
        // The kind of a ground, seen from above only.
        look[0] = 3.0;
        look[3] = 1.0;
        let ground = Batch {
            indices: start..indices.len() as u32,
            look,
            texture: None,
            casts_shadow: false,
            is_transparent: false,
        };
        let opaque = self.batches.iter().filter(|batch| !batch.is_transparent);
        self.batches.insert(opaque.count(), ground);
    }

    fn load_pictures(&mut self) {
        let used: Vec<Arc<Texture>> = self
            .batches
            .iter()
            .filter_map(|batch| batch.texture.clone())
            .collect();
        let address = |texture: &Arc<Texture>| Arc::as_ptr(texture) as usize;
        self.pictures
            .retain(|known, _| used.iter().any(|texture| address(texture) == *known));
        for texture in used {
            let (state, pipelines) = (&self.state, &self.pipelines);
            self.pictures.entry(address(&texture)).or_insert_with(|| {
                let group = pipelines.picture_group(&state.device, &upload(state, &texture));
                (texture, group)
            });
        }
    }

    /// Draws what was taken in; gives the texture to show.
    pub fn draw(&mut self, mut sight: Sight) -> egui::TextureId {
        sight.shadow_size = SHADOW_SIZE;
        self.fit(sight.size);
        let (numbers, throws_shadow) = sight.numbers();
        let queue = &self.state.queue;
        queue.write_buffer(&self.view, 0, bytemuck::cast_slice(&numbers));
        let descriptor = wgpu::CommandEncoderDescriptor {
            label: Some("scene"),
        };
        let mut encoder = self.state.device.create_command_encoder(&descriptor);
        self.draw_shadows(&mut encoder, throws_shadow);
        let id = self.draw_scene(&mut encoder);
        self.state.queue.submit([encoder.finish()]);
        id
    }

    fn draw_shadows(&self, encoder: &mut wgpu::CommandEncoder, throws_shadow: bool) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadows"),
            color_attachments: &[],
            depth_stencil_attachment: Some(cleared(&self.shadow_map)),
            ..Default::default()
        });
        if !throws_shadow || self.mesh[1].count == 0 {
            return;
        }
        pass.set_pipeline(&self.pipelines.shadow);
        pass.set_bind_group(0, &self.shadow_group, &[]);
        self.bind_buffers(&mut pass, &self.mesh);
        for batch in self.batches.iter().filter(|batch| batch.casts_shadow) {
            pass.draw_indexed(batch.indices.clone(), 0, 0..1);
        }
    }

    fn draw_scene(&self, encoder: &mut wgpu::CommandEncoder) -> egui::TextureId {
        let Some(target) = &self.target else {
            return egui::TextureId::default();
        };
        let (view, resolve_target) = match self.samples {
            1 => (&target.color, None),
            _ => (&target.samples, Some(&target.color)),
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("scene"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                resolve_target,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::WHITE),
                    store: wgpu::StoreOp::Store,
                },
                depth_slice: None,
            })],
            depth_stencil_attachment: Some(cleared(&target.depth)),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.view_group, &[]);
        pass.set_bind_group(1, &self.look_group, &[0]);
        pass.set_bind_group(2, &self.blank, &[]);
        pass.set_pipeline(&self.pipelines.background);
        pass.draw(0..3, 0..1);
        self.draw_batches(&mut pass, false);
        for (pipeline, buffers) in [
            (&self.pipelines.spheres, &self.spheres),
            (&self.pipelines.lines, &self.lines),
        ] {
            if buffers[1].count > 0 {
                pass.set_pipeline(pipeline);
                self.bind_buffers(&mut pass, buffers);
                pass.draw_indexed(0..buffers[1].count, 0, 0..1);
            }
        }
        self.draw_batches(&mut pass, true);
        target.id
    }

    fn draw_batches(&self, pass: &mut wgpu::RenderPass, is_transparent: bool) {
        if self.mesh[1].count == 0 {
            return;
        }
        pass.set_pipeline(match is_transparent {
            true => &self.pipelines.glass,
            false => &self.pipelines.mesh,
        });
        self.bind_buffers(pass, &self.mesh);
        for (index, batch) in self.batches.iter().enumerate() {
            if batch.is_transparent != is_transparent {
                continue;
            }
            let known = batch.texture.as_ref().and_then(|texture| {
                let found = self.pictures.get(&(Arc::as_ptr(texture) as usize))?;
                Some(&found.1)
            });
            pass.set_bind_group(2, known.unwrap_or(&self.blank), &[]);
            let offset = (index as u64 * LOOK_STRIDE) as u32;
            pass.set_bind_group(1, &self.look_group, &[offset]);
            pass.draw_indexed(batch.indices.clone(), 0, 0..1);
        }
    }

    fn bind_buffers(&self, pass: &mut wgpu::RenderPass, buffers: &[Growing; 2]) {
        pass.set_vertex_buffer(0, buffers[0].buffer.slice(..));
        pass.set_index_buffer(buffers[1].buffer.slice(..), wgpu::IndexFormat::Uint32);
    }

    /// Makes the target as large as the picture.
    fn fit(&mut self, size: [u32; 2]) {
        if self
            .target
            .as_ref()
            .is_some_and(|target| target.size == size)
        {
            return;
        }
        let device = &self.state.device;
        let attachment = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let format = wgpu::TextureFormat::Rgba8Unorm;
        let shown = attachment | wgpu::TextureUsages::TEXTURE_BINDING;
        let color = texture(device, "picture", size, 1, format, shown);
        let samples = texture(device, "samples", size, self.samples, format, attachment);
        let format = wgpu::TextureFormat::Depth32Float;
        let depth = texture(device, "depth", size, self.samples, format, attachment);
        let mut renderer = self.state.renderer.write();
        let filter = wgpu::FilterMode::Linear;
        let id = match &self.target {
            Some(target) => {
                let id = target.id;
                renderer.update_egui_texture_from_wgpu_texture(device, &color, filter, id);
                id
            }
            None => renderer.register_native_texture(device, &color, filter),
        };
        drop(renderer);
        self.target = Some(Target {
            size,
            samples,
            color,
            depth,
            id,
        });
    }
}
