//! What is described in physical units does the same whatever its resolution, over a grid and over
//! a mesh.

use glam::DVec3;
use pliant::{Workspace, World};
use pliant_scene::{build, parse};
use std::path::Path;

/// A cloth of 1 m² and 0.3 kg that hangs from its upper edge in a wind.
fn cloth_in_wind(cells: usize, mesh: bool, force: &str) -> World {
    let material = r#"young="1e6" poisson="0.3" density="300" thickness="0.001" rigidity="1e-6""#;
    let body = if mesh {
        format!(
            r#"<Body id="Cloth" model="Surface" type="Mesh">
            <Properties timestep="0.05" integrator="Implicit" solver="Cholesky" />
            <Mesh cells="[{cells}, {cells}]" rotation="[90, 0, 0]" position="[0, 0, -0.5]">
              <Rectangle width="1" height="1" />
            </Mesh>
            <Elastic {material} alpha="3" />
            <Fixed box="[[-1, -1, -0.001], [1, 1, 1]]" />
            <Bind type="Force" ref="Gravity" /><Bind type="Force" ref="Wind" /></Body>"#
        )
    } else {
        let count = cells + 1;
        format!(
            r#"<Body id="Cloth" model="Surface" type="GenericBezierPatch">
            <Properties timestep="0.05" order="1" integrator="Implicit" solver="Cholesky" />
            <NaturalShape>
              <Node index="0" pos="[-0.5, 0, 0]" /><Node index="1" pos="[0.5, 0, 0]" />
              <Node index="2" pos="[-0.5, 0, -1]" /><Node index="3" pos="[0.5, 0, -1]" />
            </NaturalShape>
            <Elastic {material} alpha="3" />
            <Particles grid="[{count}, {count}]">
              <Region from="[0, 0]" to="[{cells}, 0]" fixed="Yes" />
            </Particles>
            <Bind type="Force" ref="Gravity" /><Bind type="Force" ref="Wind" /></Body>"#
        )
    };
    let scene = format!(
        r#"<EDMConfig id="Wind"><MaterialContainer /><ExternalForces>
        <Force id="Gravity" type="Gravity"><Properties g="[0, 0, -9.81]" /></Force>
        <Force id="Wind" type="Viscous"><Properties u="[0, 5, 0]" {force} /></Force>
        </ExternalForces><RigidObjects /><DeformableBodies>{body}</DeformableBodies></EDMConfig>"#
    );
    let scene = parse(&scene, "wind.xml").unwrap_or_else(|errors| panic!("{errors}"));
    build(&scene, "wind.xml", Path::new("")).unwrap_or_else(|errors| panic!("{errors}"))
}

/// The angle in degrees at which it comes to rest.
fn angle(cells: usize, mesh: bool, force: &str) -> f64 {
    let mut world = cloth_in_wind(cells, mesh, force);
    let mut workspace = Workspace::new(&world);
    for _ in 0..140 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    }
    let positions = &world.bodies[0].state.positions;
    let lowest = positions.iter().copied().min_by(|a, b| a.z.total_cmp(&b.z));
    let DVec3 { y, z, .. } = lowest.unwrap();
    y.atan2(-z).to_degrees()
}

/// tan θ = c U / ρ t g: 40 degrees here. With the published strength per particle the same cloth
/// hangs lower or higher by its resolution.
#[test]
fn wind_per_area_does_not_depend_on_the_resolution() {
    let strength = 0.3 * 9.81 * 40_f64.to_radians().tan() / 5.0;
    let force = format!(r#"c="{strength}" per="Area""#);
    for mesh in [false, true] {
        let angles = [4, 8, 12].map(|cells| angle(cells, mesh, &force));
        println!("mesh {mesh}: {angles:?}");
        for angle in angles {
            assert!((angle - 40.0).abs() < 0.5, "mesh {mesh}: {angles:?}");
        }
    }
    let force = format!(r#"c="{}" per="Particle""#, strength / 81.0);
    let [coarse, fine] = [4, 8].map(|cells| angle(cells, false, &force));
    assert!(fine - coarse > 10.0, "{coarse} and {fine}");
}

/// The same mass and weights follow for a grid of any resolution, and a field multiplies them.
#[test]
fn a_field_multiplies_what_the_material_gives() {
    let scene = |field: &str| {
        let text = format!(
            r#"<EDMConfig id="Rope"><MaterialContainer /><ExternalForces /><RigidObjects />
            <DeformableBodies><Body id="Rope" model="Curve" type="LinearBezierCurve">
            <Properties timestep="0.01" />
            <NaturalShape>
              <Node index="0" pos="[0, 0, 0]" /><Node index="1" pos="[2, 0, 0]" />
            </NaturalShape>
            <Elastic young="1e7" density="1000" thickness="0.01" />
            <Particles grid="[9]">{field}</Particles></Body></DeformableBodies></EDMConfig>"#
        );
        let scene = parse(&text, "rope.xml").unwrap_or_else(|errors| panic!("{errors}"));
        build(&scene, "rope.xml", Path::new("")).unwrap()
    };
    let plain = scene("");
    let plain = plain.bodies[0].description();
    let total: f64 = plain.masses.iter().sum();
    let expected = 1000.0 * 2.0 * std::f64::consts::PI * 0.005 * 0.005;
    assert!((total / expected - 1.0).abs() < 1e-12, "{total}");
    assert!((plain.masses[0] / plain.masses[1] - 0.5).abs() < 1e-12);
    let varied = scene(r#"<Field target="tension" rule="1 + u" />"#);
    let varied = varied.bodies[0].description();
    let ratio =
        varied.weights().unwrap().tension(8, 0, 0) / plain.weights().unwrap().tension(8, 0, 0);
    assert!((ratio - 2.0).abs() < 1e-12, "{ratio}");
    assert_eq!(varied.masses, plain.masses);
}

/// A weight on a spring, ω² = k/m, loses its amplitude as exp(-(α + β ω²) t / 2).
#[test]
fn a_grid_is_damped_by_mass_and_by_stiffness() {
    let left_over = |alpha: f64, beta: f64| {
        let text = format!(
            r#"<EDMConfig id="Rope"><MaterialContainer /><ExternalForces /><RigidObjects />
            <DeformableBodies><Body id="Rope" model="Curve" type="LinearBezierCurve">
            <Properties timestep="0.001" integrator="Midpoint" solver="Cholesky" />
            <NaturalShape>
              <Node index="0" pos="[0, 0, 0]" /><Node index="1" pos="[1, 0, 0]" />
            </NaturalShape>
            <InitialShape>
              <Node index="0" pos="[0, 0, 0]" /><Node index="1" pos="[1.01, 0, 0]" />
            </InitialShape>
            <Elastic stretching="800" density="1000" thickness="0.1" alpha="{alpha}" beta="{beta}" />
            <Particles grid="[2]"><Single particle="[0]" fixed="Yes" /></Particles>
            </Body></DeformableBodies></EDMConfig>"#
        );
        let scene = parse(&text, "rope.xml").unwrap_or_else(|errors| panic!("{errors}"));
        let mut world = build(&scene, "rope.xml", Path::new("")).unwrap();
        let mut workspace = Workspace::new(&world);
        let mut largest: f64 = 0.0;
        for step in 0..1500 {
            world.step(&mut workspace);
            if step >= 1000 {
                largest = largest.max(world.bodies[0].state.positions[1].x - 1.0);
            }
        }
        largest / 0.01
    };
    let mass = 0.5 * 1000.0 * std::f64::consts::PI * 0.05 * 0.05;
    let squared_frequency = 800.0 / mass;
    assert!((left_over(0.0, 0.0) - 1.0).abs() < 0.01);
    // The first maximum after 1 s is that of the 3rd period.
    let time = 3.0 * std::f64::consts::TAU / squared_frequency.sqrt();
    for (alpha, beta) in [(0.5, 0.0), (0.0, 0.5 / squared_frequency)] {
        let expected = (-0.5 * (alpha + beta * squared_frequency) * time).exp();
        let found = left_over(alpha, beta);
        assert!((found - expected).abs() < 0.01, "{found}, not {expected}");
    }
}

/// A sheet over a floor with the exponential penalty and no `epsilon`: the potential reaches less
/// than the spacing beyond the floor, so the sheet comes to rest just above it. With ε = 1 m, which
/// may still be given, it floats.
#[test]
fn the_exponential_penalty_does_not_repel_from_metres_away() {
    let build_scene = |object: &str, others: &str| {
        let text = format!(
            r#"<EDMConfig id="Sheet"><MaterialContainer /><ExternalForces>
            <Force id="Gravity" type="Gravity"><Properties g="[0, 0, -9.81]" /></Force>
            </ExternalForces>
            <RigidObjects><Object id="Floor" type="Plane" {object}>
            <Properties n="[0, 0, 1]" x0="[0, 0, 0]" /></Object></RigidObjects>
            <DeformableBodies><Body id="Sheet" model="Surface" type="GenericBezierPatch">
            <Properties timestep="0.01" order="1" integrator="Implicit" contact="Exponential" />
            <NaturalShape>
              <Node index="0" pos="[0, 0, 0.3]" /><Node index="1" pos="[1, 0, 0.3]" />
              <Node index="2" pos="[0, 1, 0.3]" /><Node index="3" pos="[1, 1, 0.3]" />
            </NaturalShape>
            <Elastic young="1e6" density="300" thickness="0.001" alpha="5" />
            <Particles grid="[6, 6]" />
            <Bind type="Force" ref="Gravity" /><Bind type="Collision" ref="Floor" /></Body>
            {others}</DeformableBodies></EDMConfig>"#
        );
        let scene = parse(&text, "sheet.xml").unwrap_or_else(|errors| panic!("{errors}"));
        build(&scene, "sheet.xml", Path::new(""))
    };
    let resting = |object: &str| {
        let mut world = build_scene(object, "").unwrap();
        let mut workspace = Workspace::new(&world);
        for _ in 0..400 {
            world.step(&mut workspace);
        }
        world.bodies[0].state.positions[14].z
    };
    let height = resting("");
    assert!((0.0..0.2).contains(&height), "{height}");
    let floating = resting(r#"epsilon="1""#);
    assert!(floating > 1.0, "{floating}");
    let projected = r#"<Body id="Rope" model="Curve" type="LinearBezierCurve">
        <Properties timestep="0.01" /><NaturalShape>
        <Node index="0" pos="[0, 0, 1]" /><Node index="1" pos="[1, 0, 1]" /></NaturalShape>
        <Particles grid="[3]" /><Bind type="Collision" ref="Floor" /></Body>"#;
    let errors = build_scene("", projected).unwrap_err().to_string();
    assert!(errors.contains("`epsilon` is a length"), "{errors}");
    assert!(build_scene(r#"epsilon="0.1""#, projected).is_ok());
}
