//! Buffers and textures on the card.

use eframe::egui_wgpu::{RenderState, wgpu};
use pliant_render::{Texture, linear_from_srgb};

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

/// A picture on the card with ever smaller copies of itself, for what is seen from far away; made smaller if
/// it is larger than the card takes.
pub(super) fn upload(state: &RenderState, picture: &Texture) -> wgpu::TextureView {
    let most = state.device.limits().max_texture_dimension_2d as usize;
    let every = picture.width.max(picture.height).div_ceil(most).max(1);
    let (width, height) = (picture.width / every, picture.height / every);
    let mut pixels = Vec::with_capacity(width * height);
    for row in 0..height {
        for column in 0..width {
            let place = row * every * picture.width + column * every;
            pixels.push(picture.pixels.get(place).copied().unwrap_or([255; 3]));
        }
    }
    let size = extent(width as u32, height as u32);
    let levels = size.width.max(size.height).ilog2() + 1;
    let texture = state.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size,
        mip_level_count: levels,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    let mut level = Texture {
        width,
        height,
        pixels,
    };
    for number in 0..levels {
        if level.pixels.is_empty() {
            break;
        }
        write_level(state, &texture, number, &level);
        level = halved(&level);
    }
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}

fn write_level(state: &RenderState, texture: &wgpu::Texture, number: u32, level: &Texture) {
    let opaque = |&[red, green, blue]: &[u8; 3]| [red, green, blue, 255];
    let bytes: Vec<u8> = level.pixels.iter().flat_map(opaque).collect();
    let size = extent(level.width as u32, level.height as u32);
    let layout = wgpu::TexelCopyBufferLayout {
        offset: 0,
        bytes_per_row: Some(4 * size.width),
        rows_per_image: Some(size.height),
    };
    let place = wgpu::TexelCopyTextureInfo {
        mip_level: number,
        ..texture.as_image_copy()
    };
    state.queue.write_texture(place, &bytes, layout, size);
}

/// A picture of half the width and height. Four pixels become one with the mean of their light.
fn halved(picture: &Texture) -> Texture {
    let light: Vec<f32> = (0..=255_u8)
        .map(|byte| linear_from_srgb(f64::from(byte) / 255.0))
        .collect();
    let (width, height) = ((picture.width / 2).max(1), (picture.height / 2).max(1));
    let mut pixels = Vec::with_capacity(width * height);
    for row in 0..height {
        for column in 0..width {
            let corner = |right: usize, down: usize| {
                let x = (2 * column + right).min(picture.width - 1);
                let y = (2 * row + down).min(picture.height - 1);
                picture.pixels[y * picture.width + x]
            };
            let four = [corner(0, 0), corner(1, 0), corner(0, 1), corner(1, 1)];
            pixels.push([0, 1, 2].map(|channel| {
                let sum: f32 = four
                    .iter()
                    .map(|pixel| light[usize::from(pixel[channel])])
                    .sum();
                let brighter = light.partition_point(|value| *value < 0.25 * sum - 1e-6);
                u8::try_from(brighter).unwrap_or(u8::MAX)
            }));
        }
    }
    Texture {
        width,
        height,
        pixels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_smaller_picture_has_the_mean_light_of_the_larger_one() {
        let (black, white) = ([0; 3], [255; 3]);
        let board = Texture {
            width: 4,
            height: 2,
            pixels: vec![
                black,
                white,
                [9, 8, 7],
                [9, 8, 7], //
                white,
                black,
                [9, 8, 7],
                [9, 8, 7],
            ],
        };
        let half = halved(&board);
        assert_eq!((half.width, half.height), (2, 1));
        // Half the light of white is 188, not 128.
        assert_eq!(half.pixels, [[188; 3], [9, 8, 7]]);
        let one = halved(&half);
        assert_eq!((one.width, one.height, one.pixels.len()), (1, 1, 1));
        assert_eq!(halved(&one).pixels, one.pixels);
    }
}
