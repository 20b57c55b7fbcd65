//! Formulations, elements and forces as scenes ask for them: rods, fits, global deformations, tetrahedra of ten
//! nodes, heat in meshes, streams by formulas.

use glam::DVec3;
use pliant::{Workspace, World};
use pliant_scene::{build, parse, wires_without_frames};
use std::path::Path;

fn scene(forces: &str, bodies: &str) -> String {
    format!(
        "<EDMConfig id=\"Test\"><MaterialContainer /><ExternalForces>{forces}</ExternalForces><RigidObjects />\
         <DeformableBodies>{bodies}</DeformableBodies></EDMConfig>"
    )
}

fn world(forces: &str, bodies: &str) -> Result<World, String> {
    let text = scene(forces, bodies);
    let scene = parse(&text, "test.xml").map_err(|errors| format!("{errors}"))?;
    build(&scene, "test.xml", Path::new(".")).map_err(|errors| format!("{errors}"))
}

fn run(world: &mut World, steps: usize) {
    let mut workspace = Workspace::new(world);
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        let reasons: Vec<_> = world.bodies.iter().map(|body| &body.quarantine).collect();
        assert_eq!(report.quarantined, 0, "{reasons:?}");
    }
}

fn rod(properties: &str, particles: &str) -> String {
    format!(
        r#"<Body id="Rod" model="Curve" type="LinearBezierCurve">
          <Properties timestep="0.01" formulation="Rod" {properties} />
          <NaturalShape><Node index="0" pos="[0, 0, 0]" /><Node index="1" pos="[1, 0, 0]" /></NaturalShape>
          <Particles grid="[11]">{particles}</Particles>
          <Elastic young="1e8" poisson="0.3" density="1000" thickness="0.02" />
        </Body>"#
    )
}

#[test]
fn a_rod_has_frame_points_and_clamps() {
    let clamped = r#"<Region from="[0]" to="[1]" fixed="Yes" />"#;
    let mut made = world("", &rod(r#"director="[0, 1, 0]" across="2""#, clamped)).unwrap();
    let body = &made.bodies[0];
    assert_eq!(body.node_count(), 21);
    let fixed = &body.description().fixed;
    assert!(fixed[0] && fixed[1] && fixed[11] && !fixed[12]);
    let arm = body.state.positions[11] - DVec3::new(0.05, 0.0, 0.0);
    assert!((arm - DVec3::new(0.0, 0.1, 0.0)).length() < 1e-12, "{arm}");
    run(&mut made, 3);
    let error = world("", &rod(r#"integrator="Explicit""#, "")).unwrap_err();
    assert!(error.contains("implicit"), "{error}");
    let mut turned = world("", &rod(r#"turn="3" approach="0.1" turntime="0.05""#, "")).unwrap();
    run(&mut turned, 10);
    let body = &turned.bodies[0];
    assert!((body.state.positions[10].x - 0.995).abs() < 1e-6);
    let arm = body.state.positions[20] - 0.5 * (body.state.positions[9] + body.state.positions[10]);
    let angle = arm.z.atan2(arm.y);
    let start = body.description().rest_positions[20];
    let turn = (angle - start.z.atan2(start.y)).rem_euclid(std::f64::consts::TAU);
    assert!((turn - 0.15).abs() < 1e-6, "{turn}");
}

/// A centre line alone cannot say how far a curved wire is bent out of its plane (`curve_torsion.rs` of the engine).
#[test]
fn a_curved_wire_without_a_frame_is_warned_of() {
    let warned = |bend: f64, twist: f64, formulation: &str| {
        let wire = format!(
            r#"<Body id="Wire" model="Curve" type="GenericBezierCurve">
              <Properties timestep="0.01" order="2" formulation="{formulation}" />
              <NaturalShape><Node index="0" pos="[0, 0, 0]" /><Node index="1" pos="[0.5, {bend}, 0]" />
                <Node index="2" pos="[1, 0, 0]" /></NaturalShape>
              <Particles grid="[11]"><All tension="100" rigidity="0.1" twist="{twist}" /></Particles>
            </Body>"#
        );
        let text = scene("", &wire);
        let scene = parse(&text, "test.xml").unwrap_or_else(|errors| panic!("{errors}"));
        let world = build(&scene, "test.xml", Path::new(".")).unwrap();
        wires_without_frames(&scene, &world).map(|warning| warning.to_string())
    };
    let found = warned(0.3, 0.1, "Primal").unwrap_or_default();
    assert!(found.contains("formulation=\"Rod\""), "{found}");
    for (bend, twist, formulation) in [
        (0.0, 0.1, "Primal"),
        (0.3, 0.0, "Primal"),
        (0.3, 0.1, "Rod"),
    ] {
        let found = warned(bend, twist, formulation);
        assert_eq!(found, None, "{bend} {twist} {formulation}");
    }
}

#[test]
fn a_fit_takes_its_data_from_formulas() {
    let body = |data: &str| {
        format!(
            r#"<Body id="Fit" model="Surface" type="EllipsoidPatch">
              <Properties timestep="0.1" formulation="Superquadric" mcont="Yes" {data} />
              <NaturalShape><Node index="0" pos="[1, 1, 1]" /><Node index="1" pos="[0, 0, 0]" /></NaturalShape>
              <Particles grid="[12, 8]" />
            </Body>"#
        )
    };
    let ball = r#"datax="0.2 + 0.5*sin(pi*v)*cos(2*pi*u)" datay="0.4*sin(pi*v)*sin(2*pi*u)" dataz="0.3*cos(pi*v)""#;
    let mut made = world("", &body(ball)).unwrap();
    run(&mut made, 40);
    let found = made.bodies[0].superquadric().unwrap();
    assert!(
        found.axes.distance(DVec3::new(0.5, 0.4, 0.3)) < 0.01,
        "{found:?}"
    );
    assert!(
        found.centre.distance(DVec3::new(0.2, 0.0, 0.0)) < 0.01,
        "{found:?}"
    );
    let error = world("", &body(r#"datax="u""#)).unwrap_err();
    assert!(error.contains("datay"), "{error}");
}

fn solid(properties: &str, mesh: &str, elastic: &str, rest: &str) -> String {
    format!(
        r#"<Body id="Block" model="Solid" type="Mesh">
          <Properties timestep="0.01" {properties} />
          <Mesh {mesh}><Box size="[0.3, 0.1, 0.1]" /></Mesh>
          <Elastic young="1e5" poisson="0.3" density="1000" {elastic} />
          {rest}
        </Body>"#
    )
}

#[test]
fn tetrahedra_of_ten_nodes_come_from_cells_and_from_filled_shapes() {
    for mesh in [
        r#"cells="[6, 2, 2]" elements="Tetrahedron10""#,
        r#"resolution="0.05" elements="Tetrahedron10""#,
    ] {
        let mut made = world("", &solid("", mesh, "", "")).unwrap();
        let mesh = made.bodies[0].description().mesh().unwrap();
        assert_eq!(mesh.mesh.blocks[0].kind.node_count(), 10);
        run(&mut made, 2);
    }
    let error = world(
        "",
        &solid(
            "",
            r#"cells="[6, 2, 2]" elements="Tetrahedron10""#,
            r#"strain="Warped""#,
            "",
        ),
    );
    assert!(error.unwrap_err().contains("only tetrahedra of four nodes"));
}

#[test]
fn a_mesh_starts_as_warm_as_a_formula_says_and_conducts_by_a_tensor() {
    let heat = r#"<Process type="Heat" temperature="300" warmth="100*u" conductivity="1"
                           anisotropy="[4, 1, 1]" axes="[0, 0, 30]" />"#;
    let made = world("", &solid("", r#"cells="[6, 2, 2]""#, "", heat)).unwrap();
    let body = &made.bodies[0];
    for (x, t) in body.state.positions.iter().zip(body.temperatures()) {
        let u = (x.x + 0.15) / 0.3;
        assert!((t - 300.0 - 100.0 * u).abs() < 1e-9, "{x} {t}");
    }
    let creep = r#"<Process type="Maxwell" time="1" field="1+u" />"#;
    let error = world("", &solid("", r#"cells="[6, 2, 2]""#, "", creep)).unwrap_err();
    assert!(error.contains("elements of a mesh"), "{error}");
}

#[test]
fn global_deformations_and_solvers_are_chosen_or_refused() {
    let mesh = r#"cells="[6, 2, 2]""#;
    let mut made = world(
        "",
        &solid(r#"formulation="Global" degree="1""#, mesh, "", ""),
    )
    .unwrap();
    assert_eq!(made.bodies[0].formulation().name(), "Global");
    run(&mut made, 3);
    let error = world("", &solid(r#"solver="ADI""#, mesh, "", "")).unwrap_err();
    assert!(error.contains("ADI"), "{error}");
    assert!(world("", &solid(r#"solver="Multigrid""#, mesh, "", "")).is_ok());
}

/// A light sheet goes with a wind that grows with time and differs from place to place.
#[test]
fn a_stream_may_be_any_formula_of_place_and_time() {
    let wind = r#"<Force id="Wind" type="Viscous">
      <Properties c="5" u="[0, 0, 0]" stream="Formula" sx="0" sy="0" sz="0.4*t*(1+step(x))" />
    </Force>"#;
    let sheet = |id: &str, shift: f64| {
        format!(
            r#"<Body id="{id}" model="Surface" type="FormulaPatch">
              <Properties timestep="0.01" x="0.1*u+{shift}" y="0.1*v" z="0" />
              <NaturalShape />
              <Particles grid="[4, 4]"><All mass="0.001" tension="[[1, 0], [0, 1]]" /></Particles>
              <Bind type="Force" ref="Wind" />
            </Body>"#
        )
    };
    let bodies = sheet("Left", -1.0) + &sheet("Right", 1.0);
    let mut made = world(wind, &bodies).unwrap();
    run(&mut made, 100);
    for (body, expected) in made.bodies.iter().zip([0.4, 0.8]) {
        let speed = body.momentum().z / 0.016;
        assert!((speed - expected).abs() < 0.02, "{speed} {expected}");
    }
    let error = world(&wind.replace("step(x)", "u"), &bodies).unwrap_err();
    assert!(error.contains("`u` is not a known name"), "{error}");
}

#[test]
fn formula_bodies_and_helices_start_in_shapes_of_their_own() {
    let strip = r#"<Body id="Strip" model="Surface" type="FormulaPatch">
      <Properties timestep="0.01" x="u" y="0.2*v" z="0" startx="1.5*u" startz="0.1*sin(pi*u)" />
      <NaturalShape />
      <Particles grid="[5, 3]"><All tension="[[1, 0], [0, 1]]" /></Particles>
    </Body>"#;
    let coil = r#"<Body id="Coil" model="Curve" type="Helix">
      <Properties timestep="0.01" radius="0.1" pitch="0.05" turns="2" startpitch="0.1" />
      <NaturalShape />
      <Particles grid="[21]"><All tension="1" rigidity="0.01" twist="0.01" /></Particles>
    </Body>"#;
    let made = world("", &(strip.to_owned() + coil)).unwrap();
    let (rest, start) = (
        &made.bodies[0].description().rest_positions,
        &made.bodies[0].state.positions,
    );
    assert!(rest[2].distance(DVec3::new(0.5, 0.0, 0.0)) < 1e-12);
    assert!(
        start[2].distance(DVec3::new(0.75, 0.0, 0.1)) < 1e-12,
        "{}",
        start[2]
    );
    let end = |of: &[DVec3]| of[20].z;
    assert!((end(&made.bodies[1].description().rest_positions) - 0.1).abs() < 1e-12);
    assert!((end(&made.bodies[1].state.positions) - 0.2).abs() < 1e-12);
}

fn patch(properties: &str, particles: &str) -> String {
    let points: String = (0..16)
        .map(|n| {
            let (x, y) = (f64::from(n % 4) / 3.0, f64::from(n / 4) / 3.0);
            format!(r#"<Node index="{n}" pos="[{x}, {y}, 0]" />"#)
        })
        .collect();
    format!(
        r#"<Body id="Patch" model="Surface" type="BSplinePatch">
          <Properties timestep="0.04" formulation="DynamicNurbs" integrator="Static" weights="Fixed" degree="3"
                      points="[4, 4]" {properties} />
          <NaturalShape>{points}</NaturalShape>
          <Particles grid="[17, 17]">
            <All mass="0.01" tension="[[1, 0], [0, 1]]" rigidity="[[0.1, 0.1], [0.1, 0.1]]" />
            {particles}
          </Particles>
        </Body>"#
    )
}

#[test]
fn patches_pass_through_places_and_are_trimmed() {
    let corners = r#"<Single particle="[0, 0]" fixed="Yes" /><Single particle="[16, 0]" fixed="Yes" />
        <Single particle="[0, 16]" fixed="Yes" /><Single particle="[16, 16]" fixed="Yes" />"#;
    let line = r#"<Region from="[0, 8]" to="[16, 8]" placez="0.1*sin(2*pi*u)" />"#;
    let particles = corners.to_owned() + line;
    let mut made = world("", &patch(r#"subdivide="0.005""#, &particles)).unwrap();
    run(&mut made, 1);
    for i in 0..17 {
        let z = made.bodies[0].state.positions[8 * 17 + i].z;
        let wanted = 0.1 * (std::f64::consts::TAU * i as f64 / 16.0).sin();
        assert!((z - wanted).abs() < 0.008, "{i}: {z} {wanted}");
    }
    let curve = r#"<Body id="Hole" model="Curve" type="FormulaCurve">
      <Properties timestep="0.04" x="0.5+0.3*cos(2*pi*u)" y="0.5+0.3*sin(2*pi*u)" z="0" />
      <NaturalShape />
      <Particles grid="[40]"><All tension="1" /></Particles>
    </Body>"#;
    let trimmed = |properties: &str| -> Result<usize, String> {
        let made = world("", &(patch(properties, corners) + curve))?;
        let frame = pliant::FrameMaker::new(&made).frame(&made, &mut Workspace::new(&made));
        Ok(frame.bodies[0].topology.triangles.len())
    };
    let [whole, outside, inside] = ["", r#"trim="Hole""#, r#"keep="Inside" trim="Hole""#]
        .map(|properties| trimmed(properties).unwrap());
    assert!(outside < whole && inside < whole && outside + inside > whole);
    assert!(inside < outside, "{inside} {outside}");
    let error = trimmed(r#"trim="Nothing""#).unwrap_err();
    assert!(error.contains("Nothing"), "{error}");
    let misplaced = rod("", r#"<Single particle="[0]" placez="1" />"#);
    assert!(world("", &misplaced).unwrap_err().contains("DynamicNurbs"));
}
