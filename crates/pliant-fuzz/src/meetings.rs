//! Short runs of several bodies of every formulation that meet each other and rigid bodies, with loads
//! and deformed shapes: whatever is accepted must step, and no surface may pass through another.

use crate::runs::number;
use crate::{Random, Sample, Target, steps};

/// The target.
pub const TARGET: Target = Target {
    name: "meetings",
    samples: Vec::new,
    make,
    read: |input| steps::run(input, 3),
};

/// Where bodies stand above each other, in metres.
const LEVELS: usize = 3;

/// A number that bodies get on with, or now and then any.
fn gentle(random: &mut Random) -> String {
    const GENTLE: &[&str] = &["0.01", "0.1", "0.3", "0.5", "1", "2", "5", "10"];
    match random.below(12) {
        0 => number(random),
        _ => (*random.pick(GENTLE)).to_owned(),
    }
}

fn vector(random: &mut Random) -> String {
    let sign = |random: &mut Random| *random.pick(&["", "-"]);
    let [x, y, z] = [0; 3].map(|_| format!("{}{}", sign(random), gentle(random)));
    format!("[{x}, {y}, {z}]")
}

/// Several bodies above each other.
fn make(_: &[Sample], random: &mut Random) -> Sample {
    let count = 1 + random.below(LEVELS);
    let meet = random.below(6) > 0;
    let bodies: String = (0..count).map(|n| body(n, meet, random)).collect();
    let objects: String = (0..random.below(3)).map(|n| object(n, random)).collect();
    let contact = match meet {
        false => String::new(),
        true => format!(
            r#"<Contact thickness="{}" friction="{}" self="{}" />"#,
            random.pick(&["0.001", "0.004", "0.02", "0.2"]),
            random.pick(&["0", "0.3", "1", "1e6"]),
            random.pick(&["Yes", "No"]),
        ),
    };
    let joints = joints(random);
    let text = format!(
        r#"<EDMConfig id="R">{contact}{joints}<MaterialContainer /><ExternalForces>
<Force id="G" type="Gravity"><Properties g="[0, 0, -{}]" /></Force>{}</ExternalForces>
<RigidObjects><Object id="Floor" type="Plane" friction="0.5"><Properties n="[0, 0, 1]" x0="[0, 0, 0]" />
</Object>{objects}</RigidObjects><DeformableBodies>{bodies}</DeformableBodies></EDMConfig>"#,
        gentle(random),
        force(random),
    );
    Sample {
        name: "meeting.xml".to_owned(),
        bytes: text.into_bytes(),
    }
}

/// Now and then a joint of the lowest body to a place, to the next body or to a rigid one.
fn joints(random: &mut Random) -> String {
    if random.below(4) > 0 {
        return String::new();
    }
    let other = *random.pick(&["", r#"other="B1""#, r#"other="O0""#]);
    let at = *random.pick(&["[0, 0, 0.4]", "[0.25, 0.2, 0.4]", "[0, 0, 0.9]"]);
    let (kind, rest) = match random.below(7) {
        0 => ("Point", other.to_owned()),
        1 => (
            "Hinge",
            format!(
                r#"{other} axis="{}" most="{}""#,
                vector(random),
                gentle(random)
            ),
        ),
        2 => ("Line", format!(r#"{other} to="{}""#, vector(random))),
        3 => ("Distance", format!(r#"{other} to="{}""#, vector(random))),
        4 => (
            "Distance",
            format!(r#"to="[0, 0, 2]" most="{}""#, gentle(random)),
        ),
        5 => (
            "Sticky",
            r#"other="O0" radius="0.5" reach="0.2""#.to_owned(),
        ),
        _ => ("Path", String::new()),
    };
    let places = match kind {
        "Path" => format!(
            r#"<Place time="0" at="{at}" /><Place time="0.1" at="{}" />"#,
            vector(random)
        ),
        _ => String::new(),
    };
    // Ends that are apart need a spring.
    let hard = *random.pick(&["", r#"stiffness="100""#, r#"stiffness="1e9""#]);
    let more = *random.pick(&["", r#"strength="1""#, r#"from="0.01""#, r#"until="0.02""#]);
    format!(
        r#"<Joints><Joint id="J" type="{kind}" body="B0" at="{at}" {rest} {hard} {more}>{places}</Joint></Joints>"#
    )
}

/// The force `F`, which some bodies bind.
fn force(random: &mut Random) -> String {
    let ramp = *random.pick(&["", r#"ramp="[[0, 0], [0.02, 1]]""#, r#"ramp="[[0, 1]]""#]);
    let (kind, properties) = match random.below(7) {
        0 => (
            "Spring",
            format!(r#"k="{}" r0="[0, 0, 1]""#, number(random)),
        ),
        1 => ("Thruster", format!(r#"f="{}""#, vector(random))),
        2 => ("Pressure", format!(r#"p="{}""#, number(random))),
        3 => ("Gyro", format!(r#"a="{}""#, vector(random))),
        4 => (
            "Viscous",
            format!(r#"c="{}" u="{}""#, gentle(random), vector(random)),
        ),
        _ => {
            let over = *random.pick(&["Face", "Edge", "Volume"]);
            let size = *random.pick(&["f", "q"]);
            (
                "Load",
                format!(r#"over="{over}" {size}="{}""#, vector(random)),
            )
        }
    };
    format!(r#"<Force id="F" type="{kind}"><Properties {properties} {ramp} /></Force>"#)
}

/// A rigid body beside or among the others.
fn object(number_of: usize, random: &mut Random) -> String {
    let place = format!(
        "[{}, {}, {}]",
        *random.pick(&["0", "0.1", "-0.2", "1.5"]),
        *random.pick(&["0", "0.15", "-1.5"]),
        *random.pick(&["0.25", "0.9", "1.5", "3.5"])
    );
    let (kind, size) = *random.pick(&[
        ("Sphere", r#"r="0.15""#),
        ("Box", r#"size="[0.3, 0.2, 0.1]" axis="[0.2, 0.1, 1]""#),
        ("Capsule", r#"h="0.3" r="0.08" axis="[1, 0.1, 0]""#),
        ("Cylinder", r#"h="0.2" r="0.1" capped="Yes""#),
        ("Torus", r#"r="0.2" a="0.05""#),
        ("Ellipsoid", r#"axes="[0.2, 0.1, 0.1]""#),
    ]);
    let motion = match random.below(6) {
        0 => String::new(),
        1 => format!(
            r#"motion="Hinge" point="{place}" axis="{}""#,
            vector(random)
        ),
        2 => format!(
            r#"motion="Turning" point="{place}" axis="{}" speed="{}""#,
            vector(random),
            gentle(random)
        ),
        3 => r#"motion="Path""#.to_owned(),
        _ => format!(
            r#"motion="Free" density="{}" velocity="{}" spin="{}""#,
            number(random),
            vector(random),
            vector(random)
        ),
    };
    let (poses, force) = match motion.contains("Path") {
        true => (
            format!(
                r#"<Pose time="0" /><Pose time="0.05" rotation="{0}" shift="{0}" />"#,
                vector(random)
            ),
            "",
        ),
        false if motion.is_empty() => (String::new(), ""),
        false => (String::new(), r#"<Bind type="Force" ref="G" />"#),
    };
    format!(
        r#"<Object id="O{number_of}" type="{kind}" {motion}><Properties c="{place}" {size} />{poses}{force}
</Object>"#
    )
}

/// One of the operators that deform shapes.
fn operator(random: &mut Random) -> String {
    let factor = gentle(random);
    match random.below(8) {
        0 => format!(r#"<Taper from="0" to="1" factor="{factor}" />"#),
        1 => format!(
            r#"<Twist from="0" to="1" angle="{}" />"#,
            vector_angle(random)
        ),
        2 => format!(
            r#"<Bend from="0" to="1" angle="{}" />"#,
            vector_angle(random)
        ),
        3 => format!(r#"<Stretch scale="[1, {factor}, 1]" rotation="[0, 0, 30]" />"#),
        4 => format!(
            r#"<Lattice box="[[-1, -1, -1], [1, 1, 4]]" points="[2, 3, 2]"><Control index="[1, 2, 1]"
by="[0, {factor}, 0.1]" /><Move point="[0, 0, 1]" to="[0, 0.1, 1]" /></Lattice>"#
        ),
        _ => String::new(),
    }
}

fn vector_angle(random: &mut Random) -> &'static str {
    random.pick::<&str>(&["1e-9", "20", "-90", "720", "1e9"])
}

/// A process, or none.
fn process(random: &mut Random) -> String {
    match random.below(16) {
        0 => format!(r#"<Process type="Maxwell" time="{}" />"#, gentle(random)),
        1 => format!(r#"<Process type="Plastic" limit="{}" />"#, gentle(random)),
        2 => format!(
            r#"<Process type="Fracture" limit="{}" count="5" />"#,
            gentle(random)
        ),
        3 => format!(
            r#"<Process type="Heat" conductivity="{}" melts="300" temperature="310" />"#,
            gentle(random)
        ),
        _ => String::new(),
    }
}

/// Step, integrator and velocity of a body; integrators that cannot meet others are for the bold.
fn settings(is_bold: bool, random: &mut Random) -> String {
    let step = *random.pick(&["0.001", "0.01", "0.05"]);
    let integrators = match is_bold {
        true => ["Static", "SemiImplicit", "Explicit"],
        false => ["Implicit", "Newmark", "Midpoint"],
    };
    let integrator = match random.below(4) {
        0 => format!(r#"integrator="{}""#, random.pick(&integrators)),
        _ => String::new(),
    };
    let velocity = match random.below(3) {
        0 => format!(r#"velocity="{}""#, vector(random)),
        _ => String::new(),
    };
    format!(r#"timestep="{step}" {integrator} {velocity} friction="0.2""#)
}

/// A body of a random kind on its level, which meets others or not.
fn body(level: usize, meets: bool, random: &mut Random) -> String {
    // Now and then one in another.
    let z = match random.below(15) {
        0 => 0.4,
        _ => 0.4 + level as f64,
    };
    // Some integrators and formulations cannot meet others, which they are told now and then.
    let is_bold = !meets || random.below(12) == 0;
    let settings = settings(is_bold, random);
    let (mass, stiffness) = (gentle(random), number(random));
    let formulation = match is_bold {
        true => *random.pick(&["Primal", "Hybrid", "Sticks", "ChainMail"]),
        false => *random.pick(&["Primal", "Primal", "Hybrid"]),
    };
    let is_free = formulation == "ChainMail";
    let deformed = match is_free {
        true => String::new(),
        false => operator(random),
    };
    let grid = format!(r#"{settings} formulation="{formulation}" x="0.5*u" y="0.5*v""#);
    let shape = format!("<NaturalShape>{deformed}</NaturalShape>");
    let kind = random.below(6);
    let text = match kind {
        0 => format!(
            r#"model="Curve" type="FormulaCurve"><Properties {settings} formulation="{formulation}"
x="0.5*u" y="0" z="{z}" />{shape}<Particles grid="[7]"><All mass="{mass}" tension="{stiffness}" /></Particles>"#
        ),
        1 => format!(
            r#"model="Surface" type="FormulaPatch"><Properties {grid} z="{z}" />{shape}
<Particles grid="[5, 4]"><All mass="{mass}" tension="[[{stiffness}, 0], [0, {stiffness}]]" /></Particles>"#
        ),
        2 => format!(
            r#"model="Solid" type="FormulaSolid"><Properties {grid} z="{z} + 0.5*w" />{shape}
<Particles grid="[3, 3, 3]"><All mass="{mass}" /></Particles>"#
        ),
        3 => format!(
            r#"model="Surface" type="Mesh"><Properties {settings} />
<Mesh cells="[4, 3]" position="[0, 0, {z}]"><Rectangle width="1" height="1" />{}</Mesh>
<Elastic young="{stiffness}" density="{mass}" thickness="0.001" />"#,
            operator(random)
        ),
        4 => format!(
            r#"model="Solid" type="Mesh"><Properties {settings} />
<Mesh resolution="0.2" position="[0, 0, {z}]"><Superquadric c="[0, 0, 0]" axes="[0.3, 0.3, 0.2]" poles="0.5" />{}
</Mesh><Elastic young="{stiffness}" density="{mass}" />"#,
            operator(random)
        ),
        _ => format!(
            r#"model="Solid" type="Mesh"><Properties {settings} />
<Mesh cells="[2, 2, 2]" position="[0, 0, {z}]"><Box size="[0.5, 0.5, 0.3]" />{}</Mesh>
<Elastic young="{stiffness}" density="{mass}" strain="{}" />"#,
            operator(random),
            random.pick(&["Linear", "Warped", "Corotated", "Green", "NeoHookean"]),
        ),
    };
    let part = *random.pick(&["", r#"box="[[-2, -2, -2], [2, 2, 9]]""#]);
    let bound = match random.below(3) {
        0 => format!(r#"<Bind type="Force" ref="F" {part} />"#),
        _ => String::new(),
    };
    // Elements that are no tetrahedra and sticks have no processes, ChainMail has no forces.
    let is_plain = kind == 3 || formulation == "Sticks" || is_free;
    let process = match is_plain && kind < 4 {
        true => String::new(),
        false => process(random),
    };
    let forces = match is_free && kind < 3 {
        true => String::new(),
        false => format!(r#"{bound}<Bind type="Force" ref="G" />"#),
    };
    format!(
        r#"<Body id="B{level}" {text}{process}{forces}<Bind type="Collision" ref="Floor" /></Body>"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_io::MemoryAssets;
    use pliant_scene::{build_with, parse};

    #[test]
    fn many_of_the_scenes_are_accepted_and_every_kind_is_among_them() {
        let mut accepted = Vec::new();
        let mut refused = Vec::new();
        for seed in 0..400 {
            let input = make(&[], &mut Random::new(seed));
            let text = String::from_utf8(input.bytes).unwrap();
            let scene = match parse(&text, "meeting.xml") {
                Ok(scene) => scene,
                Err(errors) => {
                    refused.push(errors.to_string());
                    continue;
                }
            };
            match build_with(&scene, "meeting.xml", &MemoryAssets::default()) {
                Ok(_) => accepted.push(text),
                Err(errors) => refused.push(errors.to_string()),
            }
        }
        assert!(
            accepted.len() > 120,
            "{} of 400; {:#?}",
            accepted.len(),
            refused
        );
        for word in [
            "<Contact",
            "<Joint ",
            "Hybrid",
            "Sticks",
            "ChainMail",
            "Free",
            "Hinge",
            "Turning",
            "Path",
            "Load",
            "Pressure",
            "<Taper",
            "<Twist",
            "<Bend",
            "<Stretch",
            "<Lattice",
            "Superquadric",
            "Fracture",
            "Curve",
        ] {
            assert!(accepted.iter().any(|text| text.contains(word)), "{word}");
        }
    }
}
