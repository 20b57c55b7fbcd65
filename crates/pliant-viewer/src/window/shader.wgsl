// Draws a draw list as `pliant-render` does on the processor: the same light, the same tone, without
// its ambient occlusion and with one shadow map. All positions are relative to the origin of the list.

struct View {
    clip_from_world: mat4x4<f32>,
    shadow_from_world: mat4x4<f32>,
    // Place of the eye; height of the picture in pixels.
    eye: vec4<f32>,
    // Axes of the camera; with `right` the width of the picture in pixels.
    right: vec4<f32>,
    up: vec4<f32>,
    forward: vec4<f32>,
    // Colours of the background, linear.
    top: vec4<f32>,
    bottom: vec4<f32>,
    // Where the ambient fill comes from; width of a texel of the shadow map.
    fill: vec4<f32>,
    // Middle of the scene; one over the squared distance at which floors have become background.
    middle: vec4<f32>,
    // Lamps: a direction towards it or a place, and 1 for a place; intensity and whether it has the
    // shadow map.
    lamps: array<vec4<f32>, 8>,
    // Number of lamps; whether the edges of shadows are soft.
    counts: vec4<f32>,
}

struct Look {
    // Kind of paint (0 vertices, 1 texture, 2 grid, 3 ground), two-sided, fades, opacity.
    kind: vec4<f32>,
    // Tint of the back; lift.
    back: vec4<f32>,
    // Roughness, metallic, sheen, subsurface.
    finish: vec4<f32>,
    // Glow.
    more: vec4<f32>,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var shadow_map: texture_depth_2d;
@group(0) @binding(2) var shadow_sampler: sampler_comparison;
@group(1) @binding(0) var<uniform> look: Look;
@group(2) @binding(0) var picture: texture_2d<f32>;
@group(2) @binding(1) var picture_sampler: sampler;

const SKY = vec3<f32>(0.345, 0.36, 0.385);
const BOUNCE = vec3<f32>(0.20, 0.183, 0.16);
const FILL = vec3<f32>(0.075, 0.08, 0.09);
const LAMP_COLOR = vec3<f32>(1.0, 0.975, 0.93);
const LAMP_SHARE = 0.86;
const FLOOR = vec3<f32>(0.70, 0.675, 0.64);
const SHOULDER = 0.72;

fn tone(light: vec3<f32>) -> vec3<f32> {
    let room = 1.0 - SHOULDER;
    let bright = vec3<f32>(1.0) - room * room / (max(light, vec3<f32>(SHOULDER)) - SHOULDER + room);
    return select(max(light, vec3<f32>(0.0)), bright, light > vec3<f32>(SHOULDER));
}

fn encode(light: vec3<f32>) -> vec3<f32> {
    let low = light * 12.92;
    let high = 1.055 * pow(max(light, vec3<f32>(1e-6)), vec3<f32>(1.0 / 2.4)) - 0.055;
    return select(high, low, light <= vec3<f32>(0.0031308));
}

fn background(row: f32) -> vec3<f32> {
    var share = clamp(row / view.eye.w, 0.0, 1.0);
    share = share * (2.0 - share);
    return mix(view.top.xyz, view.bottom.xyz, share);
}

fn ambient(normal: vec3<f32>) -> vec3<f32> {
    let fill = 0.5 + 0.5 * dot(normal, view.fill.xyz);
    return mix(BOUNCE, SKY, 0.5 + 0.5 * normal.z) + FILL * fill * fill;
}

fn shadow(point: vec3<f32>, normal: vec3<f32>) -> f32 {
    // A little off the surface, so that it does not shade itself.
    let off = point + normal * view.fill.w * 2.5;
    let place = view.shadow_from_world * vec4<f32>(off, 1.0);
    let at = vec2<f32>(0.5 + 0.5 * place.x, 0.5 - 0.5 * place.y);
    if place.z > 1.0 || place.z < 0.0 || at.x < 0.0 || at.x > 1.0 || at.y < 0.0 || at.y > 1.0 {
        return 1.0;
    }
    if view.counts.y < 0.5 {
        return textureSampleCompareLevel(shadow_map, shadow_sampler, at, place.z - 0.003);
    }
    let texel = 1.0 / f32(textureDimensions(shadow_map).x);
    var lit = 0.0;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let beside = vec2<f32>(f32(x), f32(y)) * texel * 1.2;
            lit += textureSampleCompareLevel(shadow_map, shadow_sampler, at + beside, place.z - 0.0015);
        }
    }
    return lit / 9.0;
}

struct Lit {
    diffuse: vec3<f32>,
    reflected: vec3<f32>,
}

fn studio(direction: vec3<f32>) -> vec3<f32> {
    let floor_light = vec3<f32>(0.52, 0.50, 0.47);
    let sky = mix(vec3<f32>(0.46, 0.48, 0.51), vec3<f32>(0.78, 0.82, 0.88), max(direction.z, 0.0));
    return mix(floor_light, sky, smoothstep(-0.3, 0.3, direction.z));
}

fn shade(point: vec3<f32>, normal: vec3<f32>, albedo: vec3<f32>) -> vec3<f32> {
    let roughness = clamp(look.finish.x, 0.03, 1.0);
    let metallic = clamp(look.finish.y, 0.0, 1.0);
    let inside = clamp(look.finish.w, 0.0, 1.0);
    let to_eye = normalize(view.eye.xyz - point);
    let facing = clamp(dot(normal, to_eye), 1e-3, 1.0);
    let straight = mix(vec3<f32>(0.04), albedo, metallic);
    let shine = min((1.0 - roughness) * 2.0, 1.0);
    let strength = shine + (1.0 - shine) * metallic;
    let square = min(roughness * roughness * roughness * roughness + 0.0025, 1.0);
    let alpha = sqrt(square);
    var diffuse = ambient(normal);
    var reflected = vec3<f32>(0.0);
    for (var index = 0; index < i32(view.counts.x); index++) {
        let place = view.lamps[2 * index];
        let lamp = view.lamps[2 * index + 1];
        let direction = select(place.xyz, normalize(place.xyz - point), place.w > 0.5);
        let cosine = dot(normal, direction);
        let wrap = 0.35 * inside;
        let lit = (cosine + wrap) / ((1.0 + wrap) * (1.0 + wrap));
        if lit <= 0.0 { continue; }
        var visible = 1.0;
        if lamp.y > 0.5 { visible = shadow(point, normal); }
        let light = LAMP_COLOR * (lamp.x * LAMP_SHARE * visible);
        diffuse += light * lit;
        if cosine > 0.0 && roughness < 1.0 {
            let half_way = normalize(direction + to_eye);
            let half_cosine = max(dot(normal, half_way), 0.0);
            let spread = half_cosine * half_cosine * (square - 1.0) + 1.0;
            let product = 2.0 * cosine * facing;
            let seen = 0.5 / max(product + (cosine + facing - product) * alpha, 1e-4);
            let rim = pow(1.0 - clamp(dot(half_way, to_eye), 0.0, 1.0), 5.0);
            let fresnel = straight + (vec3<f32>(1.0) - straight) * rim;
            reflected += light * fresnel * (strength * cosine * square / max(spread * spread, 1e-9) * seen);
        }
    }
    if roughness < 1.0 {
        let x = 1.0 - roughness;
        let grazing = min(x * x, exp2(-9.28 * facing)) * x + 0.0425 - 0.0275 * roughness;
        let scale = -1.04 * grazing + 1.04 - 0.572 * roughness;
        let offset = 1.04 * grazing - 0.04 + 0.022 * roughness;
        let mirror = max(straight * scale + offset, vec3<f32>(0.0)) * strength;
        reflected += mirror * studio(reflect(-to_eye, normal));
    }
    let own = albedo * (1.0 - metallic);
    let rim = (1.0 - facing) * (1.0 - facing) * (1.0 - facing);
    let sheen = mix(own, vec3<f32>(1.0), 0.15) * diffuse * (clamp(look.finish.z, 0.0, 1.0) * 0.5 * rim);
    let glow = albedo * (clamp(look.more.x, 0.0, 1.0) * (0.7 + 0.8 * facing));
    return own * diffuse + sheen + glow + reflected;
}

// Light on a level floor, as a share of what it gets without anything on it.
fn floor_share(point: vec3<f32>) -> vec3<f32> {
    let around = ambient(vec3<f32>(0.0, 0.0, 1.0));
    var lit = around;
    var full = around;
    for (var index = 0; index < i32(view.counts.x); index++) {
        let place = view.lamps[2 * index];
        let lamp = view.lamps[2 * index + 1];
        let direction = select(place.xyz, normalize(place.xyz - point), place.w > 0.5);
        let light = LAMP_COLOR * (lamp.x * LAMP_SHARE * max(direction.z, 0.0));
        full += light;
        if lamp.y > 0.5 {
            lit += light * shadow(point, vec3<f32>(0.0, 0.0, 1.0));
        } else {
            lit += light;
        }
    }
    return lit / full;
}

fn presence(point: vec3<f32>) -> f32 {
    let beside = point.xy - view.middle.xy;
    let here = max(1.0 - dot(beside, beside) * view.middle.w, 0.0);
    return here * here * here;
}

struct MeshVertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) place: vec2<f32>,
    @location(3) color: vec3<f32>,
}

struct MeshPixel {
    @builtin(position) clip: vec4<f32>,
    @location(0) point: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) place: vec2<f32>,
    @location(3) color: vec3<f32>,
}

@vertex
fn mesh_vertex(vertex: MeshVertex) -> MeshPixel {
    var pixel: MeshPixel;
    // Moved towards the eye it stays at the same place of the picture.
    let lifted = mix(vertex.position, view.eye.xyz, clamp(look.back.w, 0.0, 0.5));
    pixel.clip = view.clip_from_world * vec4<f32>(lifted, 1.0);
    pixel.point = vertex.position;
    pixel.normal = vertex.normal;
    pixel.place = vertex.place;
    pixel.color = vertex.color;
    return pixel;
}

@vertex
fn shadow_vertex(vertex: MeshVertex) -> @builtin(position) vec4<f32> {
    return view.shadow_from_world * vec4<f32>(vertex.position, 1.0);
}

@fragment
fn mesh_pixel(pixel: MeshPixel, @builtin(front_facing) is_front: bool) -> @location(0) vec4<f32> {
    let kind = i32(look.kind.x + 0.5);
    let behind = background(pixel.clip.y);
    let sample = textureSample(picture, picture_sampler, pixel.place).xyz;
    let width = max(fwidth(pixel.place), vec2<f32>(1e-6));
    if !is_front && look.kind.y < 0.5 { discard; }
    if kind == 3 {
        let here = presence(pixel.point);
        let share = mix(vec3<f32>(1.0), floor_share(pixel.point), min(4.0 * here, 1.0));
        return vec4<f32>(encode(mix(behind, FLOOR, here) * share), 1.0);
    }
    var albedo = pixel.color;
    if kind == 1 { albedo = sample; }
    if kind == 2 {
        let beside = abs(fract(pixel.place + 0.5) - 0.5) / width;
        let line = 1.0 - clamp(min(beside.x, beside.y) - 0.25, 0.0, 1.0);
        let blur = clamp(1.0 - 2.0 * max(width.x, width.y), 0.0, 1.0);
        albedo = albedo * (1.0 - 0.14 * line * blur);
    }
    var normal = normalize(pixel.normal);
    let to_eye = view.eye.xyz - pixel.point;
    if !is_front { albedo = albedo * look.back.xyz; }
    if dot(normal, to_eye) < 0.0 { normal = -normal; }
    var color = tone(shade(pixel.point, normal, albedo));
    if look.kind.z > 0.5 { color = mix(behind, color, presence(pixel.point)); }
    return vec4<f32>(encode(color), look.kind.w);
}

struct LineVertex {
    @location(0) start: vec3<f32>,
    @location(1) end: vec3<f32>,
    @location(2) color: vec3<f32>,
    // Which end (0 or 1), which side (-1 or 1), width in pixels of a picture 720 high, lift.
    @location(3) more: vec4<f32>,
}

struct FlatPixel {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec3<f32>,
}

@vertex
fn line_vertex(vertex: LineVertex) -> FlatPixel {
    let lift = clamp(vertex.more.w, 0.0, 0.5);
    var a = view.clip_from_world * vec4<f32>(mix(vertex.start, view.eye.xyz, lift), 1.0);
    var b = view.clip_from_world * vec4<f32>(mix(vertex.end, view.eye.xyz, lift), 1.0);
    // Ends behind the eye are cut off.
    let near = 1e-4;
    if a.w < near && b.w >= near { a = mix(a, b, (near - a.w) / (b.w - a.w)); }
    if b.w < near && a.w >= near { b = mix(b, a, (near - b.w) / (a.w - b.w)); }
    let size = vec2<f32>(view.right.w, view.eye.w);
    let along = (b.xy / b.w - a.xy / a.w) * size;
    let length_of = length(along);
    var across = vec2<f32>(0.0, 1.0);
    if length_of > 1e-6 { across = vec2<f32>(-along.y, along.x) / length_of; }
    let half_width = 0.5 * max(vertex.more.z * view.eye.w / 720.0, 1.0);
    var own = a;
    if vertex.more.x > 0.5 { own = b; }
    let shift = across * (vertex.more.y * half_width * 2.0) / size;
    var pixel: FlatPixel;
    pixel.clip = vec4<f32>(own.xy + shift * own.w, own.z, own.w);
    pixel.color = vertex.color;
    return pixel;
}

@fragment
fn flat_pixel(pixel: FlatPixel) -> @location(0) vec4<f32> {
    return vec4<f32>(encode(pixel.color), 1.0);
}

struct SphereVertex {
    @location(0) center: vec3<f32>,
    @location(1) radius: f32,
    @location(2) color: vec3<f32>,
    @location(3) corner: vec2<f32>,
}

struct SpherePixel {
    @builtin(position) clip: vec4<f32>,
    @location(0) point: vec3<f32>,
    @location(1) color: vec3<f32>,
    @location(2) corner: vec2<f32>,
}

@vertex
fn sphere_vertex(vertex: SphereVertex) -> SpherePixel {
    let to_eye = normalize(view.eye.xyz - vertex.center);
    let right = normalize(cross(view.up.xyz, to_eye));
    let up = cross(to_eye, right);
    let beside = (right * vertex.corner.x + up * vertex.corner.y) * vertex.radius;
    // In front of what it lies in.
    let point = vertex.center + beside + to_eye * vertex.radius * 0.7;
    var pixel: SpherePixel;
    pixel.clip = view.clip_from_world * vec4<f32>(point, 1.0);
    pixel.point = vertex.center;
    pixel.color = vertex.color;
    pixel.corner = vertex.corner;
    return pixel;
}

@fragment
fn sphere_pixel(pixel: SpherePixel) -> @location(0) vec4<f32> {
    let square = dot(pixel.corner, pixel.corner);
    if square > 1.0 { discard; }
    let to_eye = normalize(view.eye.xyz - pixel.point);
    let right = normalize(cross(view.up.xyz, to_eye));
    let up = cross(to_eye, right);
    let normal = right * pixel.corner.x + up * pixel.corner.y + to_eye * sqrt(1.0 - square);
    var light = ambient(normal);
    for (var index = 0; index < i32(view.counts.x); index++) {
        let place = view.lamps[2 * index];
        let direction = select(place.xyz, normalize(place.xyz - pixel.point), place.w > 0.5);
        light += LAMP_COLOR * (view.lamps[2 * index + 1].x * LAMP_SHARE * max(dot(normal, direction), 0.0));
    }
    return vec4<f32>(encode(tone(pixel.color * light)), 1.0);
}

@vertex
fn background_vertex(@builtin(vertex_index) index: u32) -> @builtin(position) vec4<f32> {
    let x = f32(i32(index & 1u) * 4 - 1);
    let y = f32(i32(index >> 1u) * 4 - 1);
    return vec4<f32>(x, y, 1.0, 1.0);
}

@fragment
fn background_pixel(@builtin(position) clip: vec4<f32>) -> @location(0) vec4<f32> {
    return vec4<f32>(encode(background(clip.y)), 1.0);
}
