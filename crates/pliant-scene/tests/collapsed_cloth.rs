//! Cloth so soft that its triangles collapse and turn over in their plane: a passive scene gains no energy.

use pliant::{Workspace, World};
use pliant_io::MemoryAssets;
use pliant_scene::{build_with, parse};

const SCENE: &str = r#"<EDMConfig id="S"><Simulation duration="1" fps="10" /><MaterialContainer />
<ExternalForces><Force id="G" type="Gravity"><Properties g="[0, 0, -9.81]" /></Force></ExternalForces>
<RigidObjects></RigidObjects><DeformableBodies><Body id="C" model="Surface" type="Mesh">
<Properties timestep="0.005" /><Mesh cells="[20, 16]"><Rectangle c="[0.75, 0.6, 0]" width="1.5" height="1.2" /></Mesh>
<Elastic young="3e4" thickness="0.001" density="500" poisson="0.3" rigidity="1e-5" />
<Fixed box="[[-0.001, -0.001, -1], [0.001, 0.001, 1]]" /><Fixed box="[[1.499, -0.001, -1], [1.501, 0.001, 1]]" />
<Bind type="Force" ref="G" /></Body></DeformableBodies></EDMConfig>"#;

#[test]
fn cloth_that_collapses_gains_no_energy() {
    let scene = parse(SCENE, "cloth.xml").unwrap();
    let mut world: World = build_with(&scene, "cloth.xml", &MemoryAssets::default()).unwrap();
    let mut workspace = Workspace::new(&world);
    let first = workspace.energies(&world).total();
    let (mut highest, mut moved) = (f64::NEG_INFINITY, 0.0_f64);
    for _ in 0..200 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0);
        highest = highest.max(report.energies.total());
        moved = moved.max(report.energies.kinetic);
    }
    println!("{first} {highest} {moved}");
    assert!(moved > 1.0);
    assert!(highest < first + 0.01 * moved, "{first} {highest} {moved}");
}
