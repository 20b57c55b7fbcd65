//! Scenes with bodies over meshes: what the file says is what the world has.

use glam::DVec3;

use pliant::mesh::{ElementKind, tetrahedron_volumes};
use pliant::{Body, FrameMaker, Workspace, World};
use pliant_scene::{Override, build, parse_with_overrides};
use std::path::{Path, PathBuf};

fn scene(model: &str, content: &str) -> String {
    format!(
        r#"<EDMConfig id="Test">
  <MaterialContainer />
  <ExternalForces>
    <Force id="Gravity" type="Gravity"><Properties g="[0, 0, -9.81]" /></Force>
    <Force id="Push" type="Thruster"><Properties f="[0, 6, 0]" from="0" until="1" /></Force>
    <Force id="Pull" type="Spring"><Properties k="600" r0="[0, 3, 0]" /></Force>
  </ExternalForces>
  <RigidObjects />
  <DeformableBodies>
    <Body id="Body" model="{model}" type="Mesh">
      <Properties timestep="0.01" solver="Cholesky" />
      {content}
    </Body>
  </DeformableBodies>
</EDMConfig>"#
    )
}

fn built_with(model: &str, content: &str, overrides: &[Override]) -> Result<World, String> {
    let text = scene(model, content);
    let parsed = parse_with_overrides(&text, "s.xml", overrides).map_err(|e| e.to_string())?;
    assert_eq!(parsed.warnings, []);
    build(&parsed, "s.xml", &samples()).map_err(|errors| errors.to_string())
}

fn built(model: &str, content: &str) -> World {
    built_with(model, content, &[]).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Meshes that other programs wrote.
fn samples() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.join("../pliant-io/tests/meshes")
}

fn extent(positions: &[DVec3]) -> (DVec3, DVec3) {
    let low = positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = positions.iter().copied();
    (low, high.fold(DVec3::NEG_INFINITY, DVec3::max))
}

fn mass(body: &Body) -> f64 {
    body.description().masses.iter().sum()
}

const BOX: &str = r#"<Mesh cells="[4, 2, 2]"><Box size="[2, 1, 1]" /></Mesh>"#;

#[test]
fn every_strain_and_kind_of_element_is_built_and_steps() {
    let solids = [
        r#"strain="Linear""#,
        r#"strain="Warped""#,
        r#"strain="Warped" rotation="Frames""#,
        r#"strain="Corotated""#,
        r#"strain="Green""#,
        r#"strain="NeoHookean""#,
        r#"strain="Springs""#,
        r#"strain="Springs" rotation="Svd" volume="1e5""#,
        r#"strain="Springs" elongation="0.2" factor="20""#,
    ];
    let mut bodies: Vec<(&str, String)> = solids
        .iter()
        .map(|elastic| {
            (
                "Solid",
                format!("{BOX}<Elastic {elastic} alpha=\"1\" beta=\"0.01\" />"),
            )
        })
        .collect();
    bodies.push((
        "Surface",
        r#"<Mesh cells="[3, 2]"><Rectangle width="3" height="2" /></Mesh>
           <Elastic strain="Corotated" thickness="0.02" rigidity="0.1" />"#
            .to_string(),
    ));
    for strain in ["Linear", "Green", "Springs"] {
        bodies.push((
            "Solid",
            format!(
                r#"<Mesh cells="[3, 1, 1]" elements="Brick20"><Box size="[3, 1, 1]" /></Mesh>
                   <Elastic strain="{strain}" />"#
            ),
        ));
        for kind in ["Triangle3", "Triangle6", "Quad4", "Quad9"] {
            bodies.push((
                "Surface",
                format!(
                    r#"<Mesh cells="[3, 2]" elements="{kind}">
                         <Rectangle width="3" height="2" />
                       </Mesh>
                       <Elastic strain="{strain}" thickness="0.02" />"#
                ),
            ));
        }
    }
    for (model, body) in bodies {
        let held = format!(
            r#"{body}<Fixed box="[[-2, -2, -2], [-0.9, 2, 2]]" />
               <Bind type="Force" ref="Gravity" />"#
        );
        let mut world = built(model, &held);
        let volume = if model == "Solid" { 2.0 } else { 6.0 * 0.02 };
        let brick = body.contains("Brick20");
        let expected = if brick { 3000.0 } else { 1000.0 * volume };
        assert!(
            (mass(&world.bodies[0]) / expected - 1.0).abs() < 1e-9,
            "{body}"
        );
        let mut workspace = Workspace::new(&world);
        for _ in 0..3 {
            let report = world.step(&mut workspace);
            assert_eq!(report.non_finite, 0, "{body}");
        }
        assert_eq!(world.bodies[0].quarantine, None, "{body}");
        let (low, _) = extent(&world.bodies[0].state.positions);
        let rest = extent(&world.bodies[0].description().rest_positions).0;
        assert!(low.z < rest.z, "{body} does not fall");
    }
}

#[test]
fn a_mesh_is_scaled_turned_and_moved_and_starts_elsewhere() {
    let world = built(
        "Solid",
        r#"<Mesh cells="[4, 2, 2]" scale="[2, 1, 1]" rotation="[0, 0, 90]" position="[0, 0, 5]">
             <Box size="[2, 1, 1]" />
           </Mesh>
           <Elastic density="10" />
           <InitialShape scale="[1, 0.5, 1]" position="[7, 0, 0]" />"#,
    );
    let body = &world.bodies[0];
    let (low, high) = extent(&body.description().rest_positions);
    assert!(low.distance(DVec3::new(-0.5, -2.0, 4.5)) < 1e-12, "{low}");
    assert!(high.distance(DVec3::new(0.5, 2.0, 5.5)) < 1e-12, "{high}");
    assert!((mass(body) - 40.0).abs() < 1e-9);
    let (low, high) = extent(&body.state.positions);
    assert!(low.distance(DVec3::new(6.5, -1.0, 4.5)) < 1e-12, "{low}");
    assert!(high.distance(DVec3::new(7.5, 1.0, 5.5)) < 1e-12, "{high}");
}

#[test]
fn the_resolution_is_that_of_the_scene_whatever_the_scale() {
    let nodes = |scale: f64, radius: f64| {
        let content = format!(
            r#"<Mesh resolution="0.2" scale="[{scale}, {scale}, {scale}]"><Sphere r="{radius}" /></Mesh>
               <Elastic />"#
        );
        built("Solid", &content).node_count()
    };
    assert_eq!(nodes(4.0, 0.25), nodes(1.0, 1.0));
}

#[test]
fn implicit_shapes_are_filled_and_covered() {
    let animal = r#"<Difference>
        <Union blend="0.1">
          <Ellipsoid axes="[0.6, 0.4, 0.4]" rotation="[0, 30, 0]" />
          <Capsule from="[0.4, 0, 0]" to="[0.6, 0, 0.7]" r="0.2" end="0.15" />
        </Union>
        <Box c="[0, 0, -1.2]" size="[4, 4, 2]" />
      </Difference>"#;
    let solid = built(
        "Solid",
        &format!(r#"<Mesh resolution="0.12">{animal}</Mesh><Elastic /><Skin resolution="0.05" />"#),
    );
    let (low, _) = extent(&solid.bodies[0].description().rest_positions);
    assert!((low.z + 0.2).abs() < 0.03, "{low}");
    // What is shown is the fine surface.
    let frame = FrameMaker::new(&solid).frame(&solid, &mut Workspace::new(&solid));
    assert!(frame.bodies[0].positions.len() > 2 * solid.node_count());
    let balloon = built(
        "Surface",
        r#"<Mesh resolution="0.2"><Sphere r="1" /></Mesh>
           <Elastic thickness="0.01" density="100" />"#,
    );
    let area = mass(&balloon.bodies[0]);
    assert!(
        (area / (4.0 * std::f64::consts::PI) - 1.0).abs() < 0.03,
        "{area}"
    );
}

#[test]
fn files_give_tetrahedra_with_regions_and_surfaces_are_filled() {
    let world = built(
        "Solid",
        r#"<Mesh file="gmsh_41_two_groups.msh" />
           <Elastic density="1000" momentum="Yes"><Zone region="7" density="3000" /></Elastic>"#,
    );
    let mesh = world.bodies[0].description().mesh().unwrap();
    let volumes = tetrahedron_volumes(&mesh.mesh);
    let total: f64 = volumes.iter().sum();
    assert!(mesh.mesh.elements_of(ElementKind::Tetrahedron4) > 0 && mesh.keeps_momentum);
    let heavy = mass(&world.bodies[0]);
    assert!(
        heavy > 1100.0 * total && heavy < 2900.0 * total,
        "{heavy} {total}"
    );

    let refused = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/refused");
    let fill = |file: &str| {
        let file = refused.join(file).to_string_lossy().into_owned();
        let content =
            format!(r#"<Mesh file="{file}" resolution="0.15" repair="Yes" /><Elastic /><Skin />"#);
        built_with("Solid", &content, &[])
    };
    // The lid is closed again; what passes through itself cannot be mended.
    let closed = fill("open-box.obj").unwrap();
    assert!((mass(&closed.bodies[0]) / 1000.0 - 1.0).abs() < 0.03);
    let crossing = fill("crossing-boxes.obj").unwrap_err();
    assert!(crossing.contains("even after it was mended"), "{crossing}");
}

#[test]
fn forces_near_a_point_are_shared_and_springs_carry_nodes_as_they_lie() {
    let place = r#"near="[1, 0, 0]" within="0.75""#;
    let forced = |bind: &str| {
        let content = format!("{BOX}<Elastic young=\"1e5\" density=\"1\" />{bind}");
        let mut world = built("Solid", &content);
        let mut workspace = Workspace::new(&world);
        world.step(&mut workspace);
        let body = &world.bodies[0];
        (body.momentum() / 0.01, body.description().forces.len())
    };
    let (one, nodes) = forced(r#"<Bind type="Force" ref="Push" near="[1, 0, 0]" />"#);
    assert!(nodes == 1 && one.distance(6.0 * DVec3::Y) < 1e-6, "{one}");
    let (many, nodes) = forced(&format!(r#"<Bind type="Force" ref="Push" {place} />"#));
    // The face x = 1 and the five nearest nodes of the plane before it.
    assert_eq!(nodes, 14);
    assert!(many.distance(6.0 * DVec3::Y) < 1e-6, "{many}");
    // All nodes are pulled by the same way: k times the way of the point.
    let (pulled, _) = forced(&format!(r#"<Bind type="Force" ref="Pull" {place} />"#));
    let expected = 600.0 * DVec3::new(-1.0, 3.0, 0.0);
    assert!(
        pulled.distance(expected) < 0.2 * expected.length(),
        "{pulled}"
    );
    assert!((pulled.z / expected.length()).abs() < 1e-6, "{pulled}");
}

#[test]
fn cores_follow_their_path_and_zones_their_shape() {
    let mut world = built(
        "Solid",
        &format!(
            r#"{BOX}
           <Elastic density="100"><Zone density="300"><Box c="[0.5, 0, 0]" size="[1, 2, 2]" /></Zone></Elastic>
           <Core motion="Path" pivot="[-1, 0, 0]">
             <Capsule from="[-1, -1, 0]" to="[-1, 1, 0]" r="0.2" />
             <Pose time="0" />
             <Pose time="0.05" rotation="[0, 0, 90]" shift="[0, 0, 2]" />
           </Core>"#
        ),
    );
    assert!((mass(&world.bodies[0]) - 400.0).abs() < 1e-9);
    let mut workspace = Workspace::new(&world);
    while world.time < 0.06 {
        world.step(&mut workspace);
    }
    let body = &world.bodies[0];
    let rest = &body.description().rest_positions;
    let mut cores = 0;
    for (now, rest) in body.state.positions.iter().zip(rest) {
        if rest.x == -1.0 && rest.z == 0.0 {
            cores += 1;
            assert!(
                now.distance(DVec3::new(-1.0 - rest.y, 0.0, 2.0)) < 1e-9,
                "{now}"
            );
        }
    }
    assert_eq!(cores, 3);
}

#[test]
fn meshes_are_changed_from_outside_the_file() {
    let content = format!("{BOX}<Elastic />");
    let set = |attribute: &str, value: &str| -> Override {
        ("Body".to_owned(), attribute.to_owned(), value.to_owned())
    };
    let changes = [
        set("density", "10"),
        set("cells", "[8, 2, 2]"),
        set("newton", "3"),
    ];
    let world = built_with("Solid", &content, &changes).unwrap();
    assert!((mass(&world.bodies[0]) - 20.0).abs() < 1e-9);
    assert_eq!(world.node_count(), 81);
    assert_eq!(world.bodies[0].description().newton_iterations, 3);
    let refused = built_with("Solid", &content, &[set("hold", "1")]).unwrap_err();
    assert!(
        refused.contains("expected an attribute of `Body`"),
        "{refused}"
    );
}

#[test]
fn solids_flow_yield_relax_soften_and_break() {
    let hung = |process: &str| {
        format!(
            r#"{BOX}<Elastic young="1e5" density="1000" />
            <Fixed box="[[-1, -9, -9], [-1, 9, 9]]" />{process}<Bind type="Force" ref="Gravity" />"#
        )
    };
    let sag_after = |process: &str| {
        let mut world = built("Solid", &hung(process));
        let mut workspace = Workspace::new(&world);
        for _ in 0..30 {
            assert_eq!(world.step(&mut workspace).quarantined, 0, "{process}");
        }
        (extent(&world.bodies[0].state.positions).0.z, world)
    };
    let (elastic, _) = sag_after("");
    for process in [
        r#"<Process type="Maxwell" time="0.1" />"#,
        r#"<Process type="FourUnit" relaxation="0.3" retardation="0.1" />"#,
        r#"<Process type="Prony"><Branch share="0.5" time="0.02" /><Branch share="0.2" time="0.1" /></Process>"#,
        r#"<Process type="Plastic" yield="VonMises" limit="5000" hardening="0.1" />"#,
        r#"<Process type="Heat" temperature="500" conductivity="1" softens="300" soft="0.2" melts="600" />"#,
        r#"<Process type="Fracture" breaks="Stress" limit="4000" count="4" />"#,
    ] {
        let (sag, world) = sag_after(process);
        let differs = (sag - elastic).abs() > 0.001;
        assert!(differs, "{process}: {sag} beside {elastic}");
        let breaks = process.contains("Fracture");
        assert_eq!(world.bodies[0].broken_count() > 0, breaks, "{process}");
    }
}

#[test]
fn processes_that_solids_cannot_have_are_refused() {
    for (process, message) in [
        (r#"<Process type="Voigt" time="1" />"#, "mesh"),
        (
            r#"<Process type="Maxwell" time="1" field="1 + u" />"#,
            "formula in u, v and w",
        ),
        (r#"<Process type="Prony" />"#, "at least one branch"),
        (
            r#"<Process type="Maxwell" time="1"><Branch share="0.5" time="1" /></Process>"#,
            "only a Prony series",
        ),
    ] {
        let error = built_with("Solid", &format!("{BOX}<Elastic />{process}"), &[]);
        let error = error.expect_err(process);
        assert!(error.contains(message), "{process}: {error}");
    }
}

/// The energy of a square of cloth of 1 m², stretched to twice its width and held across, in units
/// of Young's modulus times thickness by 1 - ν².
fn energy_of_stretched_cloth(elastic: &str) -> f64 {
    let mut world = built(
        "Surface",
        &format!(
            r#"<Mesh cells="[4, 4]" elements="Triangle3"><Rectangle width="1" height="1" /></Mesh>
               <Elastic {elastic} young="1e5" poisson="0.3" thickness="0.01" />"#
        ),
    );
    let rest = extent(&world.bodies[0].description().rest_positions).0;
    for x in &mut world.bodies[0].state.positions {
        x.x += x.x - rest.x;
    }
    let mut workspace = Workspace::new(&world);
    workspace.energies(&world).elastic / (1e3 / (1.0 - 0.09))
}

#[test]
fn cloth_measures_the_strain_that_is_asked_for() {
    // Corotated: ½ (s - 1)²; Green: ½ (½ (s² - 1))², with s = 2.
    for (elastic, expected) in [
        ("", 0.5),
        (r#"strain="Corotated""#, 0.5),
        (r#"strain="Green""#, 0.5 * 1.5 * 1.5),
    ] {
        let found = energy_of_stretched_cloth(elastic);
        assert!((found / expected - 1.0).abs() < 1e-9, "{elastic}: {found}");
    }
}

/// The parser refuses grid coordinates on a mesh; a scene that a program has made is refused too.
#[test]
fn a_force_on_a_particle_of_a_body_without_a_grid_is_refused() {
    let content = format!("{BOX}<Elastic />\n<Bind type=\"Force\" ref=\"Push\" />");
    let mut parsed = parse_with_overrides(&scene("Solid", &content), "s.xml", &[]).unwrap();
    assert_eq!(parsed.bodies[0].forces.len(), 1);
    build(&parsed, "s.xml", &samples()).unwrap();
    parsed.bodies[0].forces[0].particle = Some([1, 0, 0]);
    let refused = build(&parsed, "s.xml", &samples()).unwrap_err().to_string();
    assert!(refused.contains("no grid coordinates"), "{refused}");
}
