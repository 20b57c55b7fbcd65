//! Buffers and textures on the card.

use eframe::egui_wgpu::{RenderState, wgpu};
use pliant_render::Texture;

/// A buffer that grows.
pub(super) struct Growing {
    /// The buffer.
    pub buffer: wgpu::Buffer,
    usage: wgpu::BufferUsages,
    /// How many things are in it.
    pub count: u32,
}

impl Growing {
    /// An empty one.
    pub fn new(device: &wgpu::Device, usage: wgpu::BufferUsages) -> Self {
        Self {
            buffer: buffer(device, "numbers", 1 << 12, usage),
            usage,
            count: 0,
        }
    }

    /// Replaces what is in it, as so many things of that size in bytes.
    pub fn write(&mut self, state: &RenderState, bytes: &[u8], size_of_one: usize) {
        self.count = (bytes.len() / size_of_one) as u32;
        if bytes.len() as u64 > self.buffer.size() {
            let size = (bytes.len() as u64).next_power_of_two();
            self.buffer = buffer(&state.device, "numbers", size, self.usage);
        }
        if !bytes.is_empty() {
            state.queue.write_buffer(&self.buffer, 0, bytes);
        }
    }
}

/// A buffer of so many bytes.
pub(super) fn buffer(
    device: &wgpu::Device,
    label: &str,
    size: u64,
    usage: wgpu::BufferUsages,
) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage,
        mapped_at_creation: false,
    })
}

/// A texture to draw into.
pub(super) fn texture(
    device: &wgpu::Device,
    label: &str,
    [width, height]: [u32; 2],
    samples: u32,
    format: wgpu::TextureFormat,
    usage: wgpu::TextureUsages,
) -> wgpu::TextureView {
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: extent(width, height),
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    });
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

fn extent(width: u32, height: u32) -> wgpu::Extent3d {
    wgpu::Extent3d {
        width: width.max(1),
        height: height.max(1),
        depth_or_array_layers: 1,
    }
}

/// A depth that begins far away.
pub(super) fn cleared(view: &wgpu::TextureView) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations {
            load: wgpu::LoadOp::Clear(1.0),
            store: wgpu::StoreOp::Store,
        }),
        stencil_ops: None,
    }
}

/// A picture of one white pixel.
pub(super) fn white(state: &RenderState) -> wgpu::TextureView {
    let white = Texture {
        width: 1,
        height: 1,
        pixels: vec![[255; 3]],
    };
    upload(state, &white)
}

/// A picture on the card, made smaller if it is larger than the card takes.
pub(super) fn upload(state: &RenderState, picture: &Texture) -> wgpu::TextureView {
    let most = state.device.limits().max_texture_dimension_2d as usize;
    let every = picture.width.max(picture.height).div_ceil(most).max(1);
    let (width, height) = (picture.width / every, picture.height / every);
    let mut bytes = Vec::with_capacity(4 * width * height);
    for row in 0..height {
        for column in 0..width {
            let place = row * every * picture.width + column * every;
            let [red, green, blue] = picture.pixels.get(place).copied().unwrap_or([255; 3]);
            bytes.extend([red, green, blue, 255]);
        }
    }
    let size = extent(width as u32, height as u32);
    let texture = state.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size,
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    if !bytes.is_empty() {
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(4 * size.width),
            rows_per_image: Some(size.height),
        };
        state
            .queue
            .write_texture(texture.as_image_copy(), &bytes, layout, size);
    }
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}
