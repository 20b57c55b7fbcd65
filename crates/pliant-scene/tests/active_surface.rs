//! Active surfaces against drawn truth, in stacks of noisy images.

use glam::DVec3;
use pliant::{Workspace, World};
use pliant_io::MemoryAssets;
use pliant_scene::{build_with, parse};

const SIDE: usize = 40;

/// The same noise in every run, of standard deviation 1.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        let mut sum = 0.0;
        for _ in 0..12 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(99_991);
            sum += (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        }
        sum - 6.0
    }
}

/// A stack of grey maps of a shape, by how far places are outside of it, in voxels; bright inside.
fn stack(outside: impl Fn(DVec3) -> f64, noise: f64) -> MemoryAssets {
    let mut random = Noise(7);
    let mut assets = MemoryAssets::default();
    for z in 0..SIDE {
        let mut bytes = format!("P5 {SIDE} {SIDE} 255\n").into_bytes();
        for row in 0..SIDE {
            for x in 0..SIDE {
                // The first row of a picture is at the top.
                let place = DVec3::new(x as f64, (SIDE - 1 - row) as f64, z as f64) + 0.5;
                let share = (0.5 - outside(place)).clamp(0.0, 1.0);
                let value = 60.0 + 120.0 * (share + noise * random.next());
                bytes.push(value.clamp(0.0, 255.0) as u8);
            }
        }
        assets = assets.with(format!("scan-{z:02}.pgm"), bytes);
    }
    assets
}

/// The surface that a sphere of 17 voxels about the middle becomes.
fn find(assets: &MemoryAssets, properties: &str) -> Result<World, String> {
    let text = format!(
        r#"<EDMConfig id="Scan">
  <MaterialContainer />
  <ExternalForces>
    <Force id="Scan" type="Volume">
      <Properties file="scan-##.pgm" width="40" edge="1" wide="4" blur="0.6" focus="10" {properties} />
    </Force>
    <Force id="Squeeze" type="Volume">
      <Properties rule="0" voxels="[4, 4, 4]" width="40" edge="0" balloon="-0.06" ramp="[[14, 1], [16, 0]]" />
    </Force>
  </ExternalForces>
  <RigidObjects />
  <DeformableBodies>
    <Body id="Surface" model="Surface" type="Mesh">
      <Properties timestep="0.25" integrator="Implicit" />
      <Mesh resolution="1.8"><Sphere c="[20, 20, 20]" r="17" /></Mesh>
      <Elastic strain="Active" tension="0.004" rigidity="0.01" thickness="0.01" density="10" alpha="1" />
      <Bind type="Force" ref="Scan" />
      <Bind type="Force" ref="Squeeze" />
    </Body>
  </DeformableBodies>
</EDMConfig>"#
    );
    let scene = parse(&text, "scan.xml").map_err(|error| error.to_string())?;
    let mut world = build_with(&scene, "scan.xml", assets).map_err(|error| error.to_string())?;
    let mut workspace = Workspace::new(&world);
    for _ in 0..100 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    }
    Ok(world)
}

fn slices() -> String {
    format!("slices=\"{SIDE}\"")
}

#[test]
fn a_sphere_in_noise_is_found_to_a_fifth_of_a_voxel() {
    let (middle, radius) = (DVec3::new(20.4, 19.3, 20.2), 11.4);
    let assets = stack(|at| at.distance(middle) - radius, 0.2);
    let world = find(&assets, &slices()).unwrap();
    let x = &world.bodies[0].state.positions;
    // Nodes are not even: the centre is that of what the triangles enclose.
    let description = world.bodies[0].description();
    let triangles = world.bodies[0].formulation().surface_triangles(description);
    let (mut volume, mut sum) = (0.0, DVec3::ZERO);
    for nodes in &triangles {
        let [a, b, c] = nodes.map(|node| x[node as usize] - middle);
        let part = a.dot(b.cross(c)) / 6.0;
        volume += part;
        sum += part * (a + b + c) / 4.0;
    }
    let offset = (sum / volume).length();
    let mean = x.iter().map(|x| x.distance(middle)).sum::<f64>() / x.len() as f64;
    println!("radius {mean}, centre off by {offset}");
    assert!((mean - radius).abs() < 0.2, "{mean}");
    assert!(offset < 0.2, "{offset}");
}

/// 2 |A ∩ B| / (|A| + |B|), along rays in z through the middles of pixels.
fn dice(world: &World, outside: impl Fn(DVec3) -> f64) -> f64 {
    let x = &world.bodies[0].state.positions;
    let description = world.bodies[0].description();
    let triangles = world.bodies[0].formulation().surface_triangles(description);
    let (mut both, mut sum) = (0.0, 0.0);
    for column in 0..SIDE * SIDE {
        // Off the middles by a little, so that no ray meets an edge.
        let (px, py) = (
            (column % SIDE) as f64 + 0.5003,
            (column / SIDE) as f64 + 0.5007,
        );
        let mut crossings = Vec::new();
        for nodes in &triangles {
            let [a, b, c] = nodes.map(|node| x[node as usize]);
            let area = |p: DVec3, q: DVec3| (p.x - px) * (q.y - py) - (q.x - px) * (p.y - py);
            let [u, v, w] = [area(b, c), area(c, a), area(a, b)];
            if (u > 0.0) == (v > 0.0) && (v > 0.0) == (w > 0.0) {
                crossings.push((u * a.z + v * b.z + w * c.z) / (u + v + w));
            }
        }
        for step in 0..4 * SIDE {
            let z = (step as f64 + 0.5) / 4.0;
            let found = crossings.iter().filter(|crossing| **crossing < z).count() % 2 == 1;
            let drawn = outside(DVec3::new(px, py, z)) < 0.0;
            both += f64::from(found && drawn);
            sum += f64::from(found) + f64::from(drawn);
        }
    }
    2.0 * both / sum
}

#[test]
fn shapes_agree_with_what_was_drawn() {
    let middle = DVec3::splat(20.0);
    let ellipsoid = |at: DVec3| {
        let q = (at - middle) / DVec3::new(14.0, 9.0, 11.0);
        (q.length() - 1.0) * 9.0
    };
    let cushion = |at: DVec3| {
        let q = (at - middle) / DVec3::new(12.0, 12.0, 10.0);
        ((q.powf(4.0).element_sum()).powf(0.25) - 1.0) * 10.0
    };
    let peanut = |at: DVec3| {
        let lobe = |x: f64| (-(at - middle - DVec3::X * x).length_squared() / 60.0).exp();
        4.0 * (0.5 - lobe(-6.0) - lobe(6.0)) / 0.25_f64.max(lobe(-6.0).max(lobe(6.0)))
    };
    let shapes: [&dyn Fn(DVec3) -> f64; 3] = [&ellipsoid, &cushion, &peanut];
    for (number, shape) in shapes.into_iter().enumerate() {
        let world = find(&stack(shape, 0.05), &slices()).unwrap();
        let share = dice(&world, shape);
        println!("shape {number}: {share}");
        // The neck of the peanut is as coarse as the noise.
        assert!(share > 0.975, "shape {number}: {share}");
    }
}

#[test]
fn mistakes_are_told() {
    let assets = stack(|_| 1.0, 0.0);
    let fails = |properties: &str, part: &str| {
        let error = find(&assets, properties).unwrap_err();
        assert!(error.contains(part), "{error}");
    };
    fails("slices=\"41\"", "scan-40.pgm");
    fails("", "a stack needs `slices`");
    fails(
        "slices=\"40\" rule=\"u\"",
        "expected either `rule` or `file`",
    );
}
