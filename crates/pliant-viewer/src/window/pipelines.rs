//! The pipelines of `shader.wgsl` and the groups of what they read.

use super::sight::VIEW_FLOATS;
use eframe::egui_wgpu::wgpu;
use std::num::NonZeroU64;

/// Samples per pixel where a card draws.
pub const SAMPLES_ON_A_CARD: u32 = 4;

/// Samples per pixel where the processor plays the card: each costs as much as the picture.
pub const SAMPLES_ON_A_PROCESSOR: u32 = 1;

/// Bytes of a look.
const LOOK_BYTES: u64 = 64;

/// All pipelines.
pub struct Pipelines {
    /// Meshes that hide what lies behind them.
    pub mesh: wgpu::RenderPipeline,
    /// Meshes through which it shines.
    pub glass: wgpu::RenderPipeline,
    /// The depth of meshes as the light sees them.
    pub shadow: wgpu::RenderPipeline,
    /// Lines.
    pub lines: wgpu::RenderPipeline,
    /// Spheres.
    pub spheres: wgpu::RenderPipeline,
    /// What lies behind everything.
    pub background: wgpu::RenderPipeline,
    view: wgpu::BindGroupLayout,
    look: wgpu::BindGroupLayout,
    picture: wgpu::BindGroupLayout,
    shadow_sampler: wgpu::Sampler,
    picture_sampler: wgpu::Sampler,
}

/// What tells one pipeline from the next.
struct Recipe<'a> {
    vertex: &'a str,
    pixel: Option<&'a str>,
    attributes: &'a [wgpu::VertexAttribute],
    floats: usize,
    writes_depth: bool,
    tests_depth: bool,
    is_transparent: bool,
    samples: u32,
}

impl Pipelines {
    /// With so many samples per pixel.
    pub fn new(device: &wgpu::Device, samples: u32) -> Self {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("scene"),
            source: wgpu::ShaderSource::Wgsl(include_str!("shader.wgsl").into()),
        });
        let view = layout(
            device,
            &[
                uniform(0, 4 * VIEW_FLOATS as u64, false),
                depth(1),
                compare(2),
            ],
        );
        let look = layout(device, &[uniform(0, LOOK_BYTES, true)]);
        let picture = layout(device, &[image(0), sampler(1)]);
        let all = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("scene"),
            bind_group_layouts: &[Some(&view), Some(&look), Some(&picture)],
            immediate_size: 0,
        });
        let alone = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("shadows"),
            bind_group_layouts: &[Some(&view)],
            immediate_size: 0,
        });
        let [mesh, glass, shadow, lines, spheres, background] =
            all_pipelines(device, &module, &all, &alone, samples);
        Self {
            mesh,
            glass,
            shadow,
            lines,
            spheres,
            background,
            shadow_sampler: device.create_sampler(&wgpu::SamplerDescriptor {
                compare: Some(wgpu::CompareFunction::LessEqual),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                ..Default::default()
            }),
            picture_sampler: device.create_sampler(&wgpu::SamplerDescriptor {
                address_mode_u: wgpu::AddressMode::Repeat,
                address_mode_v: wgpu::AddressMode::Repeat,
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                mipmap_filter: wgpu::MipmapFilterMode::Linear,
                ..Default::default()
            }),
            view,
            look,
            picture,
        }
    }

    /// Camera, lights and shadow map.
    pub fn view_group(
        &self,
        device: &wgpu::Device,
        view: &wgpu::Buffer,
        shadow_map: &wgpu::TextureView,
    ) -> wgpu::BindGroup {
        let resources = [
            view.as_entire_binding(),
            wgpu::BindingResource::TextureView(shadow_map),
            wgpu::BindingResource::Sampler(&self.shadow_sampler),
        ];
        group(device, &self.view, resources)
    }

    /// The looks, one after the other.
    pub fn look_group(&self, device: &wgpu::Device, looks: &wgpu::Buffer) -> wgpu::BindGroup {
        let one = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: looks,
            offset: 0,
            size: NonZeroU64::new(LOOK_BYTES),
        });
        group(device, &self.look, [one])
    }

    /// A picture.
    pub fn picture_group(
        &self,
        device: &wgpu::Device,
        picture: &wgpu::TextureView,
    ) -> wgpu::BindGroup {
        let resources = [
            wgpu::BindingResource::TextureView(picture),
            wgpu::BindingResource::Sampler(&self.picture_sampler),
        ];
        group(device, &self.picture, resources)
    }
}

/// The pipelines in the order mesh, glass, shadow, lines, spheres, background.
fn all_pipelines(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    all: &wgpu::PipelineLayout,
    alone: &wgpu::PipelineLayout,
    samples: u32,
) -> [wgpu::RenderPipeline; 6] {
    let mesh = wgpu::vertex_attr_array![
        0 => Float32x3, 1 => Float32x3, 2 => Float32x2, 3 => Float32x3
    ];
    let line = wgpu::vertex_attr_array![
        0 => Float32x3, 1 => Float32x3, 2 => Float32x3, 3 => Float32x4
    ];
    let sphere = wgpu::vertex_attr_array![
        0 => Float32x3, 1 => Float32, 2 => Float32x3, 3 => Float32x2
    ];
    let plain = Recipe {
        vertex: "mesh_vertex",
        pixel: Some("mesh_pixel"),
        attributes: &mesh,
        floats: crate::vertices::MESH_FLOATS,
        writes_depth: true,
        tests_depth: true,
        is_transparent: false,
        samples,
    };
    let make = |recipe: Recipe, layout| pipeline(device, module, layout, &recipe);
    let glass = make(
        Recipe {
            writes_depth: false,
            is_transparent: true,
            ..plain
        },
        all,
    );
    let shadow = make(
        Recipe {
            vertex: "shadow_vertex",
            pixel: None,
            samples: 1,
            ..plain
        },
        alone,
    );
    let lines = make(
        Recipe {
            vertex: "line_vertex",
            pixel: Some("flat_pixel"),
            attributes: &line,
            floats: crate::vertices::LINE_FLOATS,
            ..plain
        },
        all,
    );
    let spheres = make(
        Recipe {
            vertex: "sphere_vertex",
            pixel: Some("sphere_pixel"),
            attributes: &sphere,
            floats: crate::vertices::SPHERE_FLOATS,
            ..plain
        },
        all,
    );
    let background = make(
        Recipe {
            vertex: "background_vertex",
            pixel: Some("background_pixel"),
            attributes: &[],
            floats: 0,
            writes_depth: false,
            tests_depth: false,
            ..plain
        },
        all,
    );
    [make(plain, all), glass, shadow, lines, spheres, background]
}

fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    recipe: &Recipe,
) -> wgpu::RenderPipeline {
    let buffer = wgpu::VertexBufferLayout {
        array_stride: 4 * recipe.floats as u64,
        step_mode: wgpu::VertexStepMode::Vertex,
        attributes: recipe.attributes,
    };
    let buffers = match recipe.floats {
        0 => Vec::new(),
        _ => vec![Some(buffer)],
    };
    let targets = [Some(wgpu::ColorTargetState {
        format: wgpu::TextureFormat::Rgba8Unorm,
        blend: recipe
            .is_transparent
            .then_some(wgpu::BlendState::ALPHA_BLENDING),
        write_mask: wgpu::ColorWrites::ALL,
    })];
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: Some(recipe.vertex),
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(recipe.vertex),
            buffers: &buffers,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: wgpu::TextureFormat::Depth32Float,
            depth_write_enabled: Some(recipe.writes_depth),
            depth_compare: Some(match recipe.tests_depth {
                true => wgpu::CompareFunction::LessEqual,
                false => wgpu::CompareFunction::Always,
            }),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState {
            count: recipe.samples,
            ..Default::default()
        },
        fragment: recipe.pixel.map(|entry_point| wgpu::FragmentState {
            module,
            entry_point: Some(entry_point),
            targets: &targets,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
        }),
        multiview_mask: None,
        cache: None,
    })
}

fn layout(device: &wgpu::Device, entries: &[wgpu::BindGroupLayoutEntry]) -> wgpu::BindGroupLayout {
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries,
    })
}

fn group<const N: usize>(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    resources: [wgpu::BindingResource; N],
) -> wgpu::BindGroup {
    let mut entries = Vec::new();
    for (binding, resource) in (0..).zip(resources) {
        entries.push(wgpu::BindGroupEntry { binding, resource });
    }
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout,
        entries: &entries,
    })
}

fn entry(binding: u32, ty: wgpu::BindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::VERTEX_FRAGMENT,
        ty,
        count: None,
    }
}

fn uniform(binding: u32, bytes: u64, has_dynamic_offset: bool) -> wgpu::BindGroupLayoutEntry {
    entry(
        binding,
        wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset,
            min_binding_size: NonZeroU64::new(bytes),
        },
    )
}

fn texture(binding: u32, sample_type: wgpu::TextureSampleType) -> wgpu::BindGroupLayoutEntry {
    entry(
        binding,
        wgpu::BindingType::Texture {
            sample_type,
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        },
    )
}

fn depth(binding: u32) -> wgpu::BindGroupLayoutEntry {
    texture(binding, wgpu::TextureSampleType::Depth)
}

fn image(binding: u32) -> wgpu::BindGroupLayoutEntry {
    texture(binding, wgpu::TextureSampleType::Float { filterable: true })
}

fn sampler(binding: u32) -> wgpu::BindGroupLayoutEntry {
    let kind = wgpu::SamplerBindingType::Filtering;
    entry(binding, wgpu::BindingType::Sampler(kind))
}

fn compare(binding: u32) -> wgpu::BindGroupLayoutEntry {
    let kind = wgpu::SamplerBindingType::Comparison;
    entry(binding, wgpu::BindingType::Sampler(kind))
}
