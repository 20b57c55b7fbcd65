//! Short runs of small scenes with hostile numbers: whatever is accepted must step.

use crate::{Random, Sample, Target, steps};
use pliant::IntegratorKind;
use pliant::linear::SolverKind;

/// The target.
pub const TARGET: Target = Target {
    name: "runs",
    samples: Vec::new,
    make,
    read,
};

/// Steps that are taken.
const STEPS: usize = 3;

/// Any number between 1e-8 and 1e9.
pub fn number(random: &mut Random) -> String {
    let power = random.below(17) as i32 - 8;
    let digits = 1 + random.below(9);
    format!("{digits}e{power}")
}

/// A body of a random kind with random settings on a floor.
fn make(_: &[Sample], random: &mut Random) -> Sample {
    let contacts = ["Projection", "Exponential", "Quadratic"];
    let energies = ["Exact", "Exact", "Exact", "Published", "AsPrinted"];
    let step = *random.pick(&["0.0001", "0.001", "0.01", "0.1"]);
    let settings = format!(
        r#"timestep="{step}" integrator="{}" solver="{}" contact="{}" energy="{}" iterations="50""#,
        random.pick(IntegratorKind::ALL).name(),
        random.pick(SolverKind::ALL).name(),
        random.pick(&contacts),
        random.pick(&energies),
    );
    let (mass, stiffness) = (number(random), number(random));
    let body = match random.below(4) {
        0 => format!(
            r#"<Body id="A" model="Surface" type="FormulaPatch"><Properties {settings} x="u" y="v"
z="0.01" /><NaturalShape /><Particles grid="[5, 4]"><All mass="{mass}"
tension="[[{stiffness}, 0], [0, {stiffness}]]" /></Particles>"#
        ),
        1 => format!(
            r#"<Body id="A" model="Solid" type="FormulaSolid"><Properties {settings} x="u" y="v"
z="w" /><NaturalShape /><Particles grid="[3, 3, 3]"><All mass="{mass}" /></Particles>"#
        ),
        2 => format!(
            r#"<Body id="A" model="Surface" type="Mesh"><Properties {settings} />
<Mesh cells="[3, 3]"><Rectangle width="1" height="1" /></Mesh>
<Elastic young="{stiffness}" density="{mass}" thickness="0.001" />"#
        ),
        _ => format!(
            r#"<Body id="A" model="Solid" type="Mesh"><Properties {settings} />
<Mesh cells="[2, 2, 2]"><Box size="[1, 1, 1]" /></Mesh>
<Elastic young="{stiffness}" density="{mass}" strain="{}" />"#,
            random.pick(&["Linear", "Warped", "Corotated", "Green", "NeoHookean"]),
        ),
    };
    let text = format!(
        r#"<EDMConfig id="R"><MaterialContainer /><ExternalForces><Force id="G" type="Gravity">
<Properties g="[0, 0, -{}]" /></Force></ExternalForces><RigidObjects><Object id="Floor" type="Plane">
<Properties n="[0, 0, 1]" x0="[0, 0, -0.5]" /></Object></RigidObjects><DeformableBodies>{body}
<Bind type="Force" ref="G" /><Bind type="Collision" ref="Floor" /></Body></DeformableBodies>
</EDMConfig>"#,
        number(random)
    );
    Sample {
        name: "run.xml".to_owned(),
        bytes: text.into_bytes(),
    }
}

fn read(input: &Sample) -> usize {
    steps::run(input, STEPS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_io::MemoryAssets;
    use pliant_scene::{build_with, parse};

    #[test]
    fn many_of_the_scenes_are_accepted() {
        let is_accepted = |seed: &u64| {
            let input = make(&[], &mut Random::new(*seed));
            let text = String::from_utf8(input.bytes).unwrap();
            parse(&text, "run.xml")
                .is_ok_and(|scene| build_with(&scene, "run.xml", &MemoryAssets::default()).is_ok())
        };
        let accepted = (0..200).filter(is_accepted).count();
        assert!(accepted > 60, "{accepted} of 200");
    }
}
