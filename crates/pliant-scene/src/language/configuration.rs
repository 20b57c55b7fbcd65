//! `EDMConfig` and what stands beside the four containers: the run, the camera, the lights, the
//! expected values; and the elements that several others share.

use super::{
    Attribute, Child, DEFORMABLE_BODIES, EXTERNAL_FORCES, Element, JOINTS, Kind,
    MATERIAL_CONTAINER, Occurs, PICTURE, RIGID_OBJECTS, Range,
};
use crate::scene::Quantity;

/// The main node.
pub static CONFIGURATION: Element = Element {
    name: "EDMConfig",
    published: true,
    doc: "The whole scene. It need not be the root of the document, but there is exactly one. Its \
          four containers are mandatory, even if empty, and stand in any order; the other children \
          are additions and may be left out.",
    attributes: &[
        Attribute::required("id", Kind::Identifier, "The name of the scene.").published(),
    ],
    children: &[
        Child::new(&DESCRIPTION, Occurs::Maybe),
        Child::new(&SIMULATION, Occurs::Maybe),
        Child::new(&CONTACT, Occurs::Maybe),
        Child::new(&JOINTS, Occurs::Maybe),
        Child::new(&CAMERA, Occurs::Maybe),
        Child::new(&LIGHT, Occurs::Many),
        Child::new(&PICTURE, Occurs::Maybe),
        Child::new(&MATERIAL_CONTAINER, Occurs::Once),
        Child::new(&EXTERNAL_FORCES, Occurs::Once),
        Child::new(&RIGID_OBJECTS, Occurs::Once),
        Child::new(&DEFORMABLE_BODIES, Occurs::Once),
        Child::new(&EXPECTED, Occurs::Many),
    ],
    example: r#"<EDMConfig id="Nothing">
  <MaterialContainer />
  <ExternalForces />
  <RigidObjects />
  <DeformableBodies />
</EDMConfig>"#,
    ..Element::NEW
};

/// A sentence or two on the scene.
pub static DESCRIPTION: Element = Element {
    name: "Description",
    doc: "What the scene shows, in a sentence or two; printed in lists of scenes.",
    text: true,
    example: "<Description>A sheet of cloth falls on a ball.</Description>",
    ..Element::NEW
};

/// How long and how the scene is simulated.
pub static SIMULATION: Element = Element {
    name: "Simulation",
    doc: "How long the scene runs and how many frames it shows.",
    attributes: &[
        Attribute::or(
            "duration",
            Kind::Number(Range::POSITIVE),
            "10",
            "Simulated time in seconds.",
        ),
        Attribute::or(
            "fps",
            Kind::Number(Range::POSITIVE),
            "50",
            "Frames a simulated second. Whole steps lie between two frames, so that there are a few \
             more or fewer where the step does not divide them: steps of 0.02 s give 50 or 25, not 30.",
        ),
        Attribute::optional(
            "threads",
            Kind::Count {
                least: 1,
                most: 1024,
            },
            "Threads to use; as many as there are processors if left out. The result is the same \
             with any number.",
        ),
        Attribute::or(
            "bounds",
            Kind::Number(Range::POSITIVE),
            "1000000",
            "The largest distance of a particle from the origin; a body that goes beyond counts \
             as lost.",
        ),
    ],
    example: r#"<Simulation duration="4" fps="30" />"#,
    ..Element::NEW
};

/// Contact between bodies.
pub static CONTACT: Element = Element {
    name: "Contact",
    doc: "Bodies meet each other and themselves. Bodies that may touch then move as one system, which asks for \
          integrators that are implicit (the default is). Where those of such bodies are not all \
          TwoStage or all Static, they move by backward Euler; what touches nothing in a step moves by its own. In a scene of two or more bodies without this element \
          they meet each other all the same, but not themselves, at a thickness of 2 mm or a quarter of the smallest \
          spacing of nodes, if all have the same integrator and it is one of TwoStage, Implicit and Static; bodies that \
          cross, touch or enclose each other at the start pass through each other, and a warning says which. Snakes, \
          fitted superquadrics and dynamic NURBS are not matter and meet nothing unasked. Obstacles are met by faces and edges: spheres, capsules and boxes \
          exactly, other shapes as triangles, 64 to a full turn, whose middles lie inside by up to \
          0.12 % of the radius, on which cylinders, ellipsoids and tori roll slower than round ones (4 to 10 % over some metres \
          at steps of 10 ms; spheres and capsules are round); planes and hyperboloids by nodes, and so are all objects for bodies \
          with penalties. `restitution` counts between rigid objects, and where nodes meet. Scenes with an `Object` that moves have contact even without this element, at a thickness of 2 mm, a twentieth of the \
          smallest of these objects or a quarter of the smallest spacing of nodes. \
          Bodies that melt and solidify again, and meshes that break inside of a carried surface, do not meet \
          themselves.",
    attributes: &[
        Attribute::or(
            "method",
            Kind::Choice(&["IntersectionFree", "None"]),
            "IntersectionFree",
            "How contact is kept. IntersectionFree: surfaces push each other within `thickness`, and \
             places move only along lines that are proved free, so that no surface, curve or particle \
             ever passes through another. A scene that starts with surfaces that cross is refused, or mended by `repair`. \
             None: bodies pass through each other and through themselves, and meet obstacles by nodes.",
        ),
        Attribute::or(
            "thickness",
            Kind::Number(Range::POSITIVE),
            "0.002",
            "Distance in metres at which surfaces begin to push each other. Between parts of one body \
             it is at most 0.9 of their distance at rest. Bodies that start closer to each other stay where \
             they are: they meet at the gap with which they start, which grows up to the thickness as they part. What passes beside another within this distance, without \
             crossing it, and goes farther than that in one step, may not feel it: thin curves that are fast \
             need short steps.",
        ),
        Attribute::or(
            "friction",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "Coulomb's coefficient of friction between all that meets. The largest of this and of \
             both their own values counts.",
        ),
        Attribute::or(
            "sticking",
            Kind::Number(Range::POSITIVE),
            "0.001",
            "Speed in metres per second below which a contact counts as sticking: what sticks under a \
             load creeps, slower than this.",
        ),
        Attribute::or(
            "self",
            Kind::Boolean,
            "Yes",
            "Whether bodies meet themselves. Those that solidify again after they have melted do not. \
             Pieces of a mesh that breaks begin two thousandths of its smallest element apart.",
        ),
        Attribute::or(
            "repair",
            Kind::Boolean,
            "No",
            "Whether bodies that cross, touch or enclose each other or obstacles at the start are moved \
             apart first, along the shortest of some ways; bodies that are held or led stay. They keep \
             their shapes: a body that crosses itself is refused all the same. Without it such scenes \
             are refused.",
        ),
    ],
    children: &[Child::new(&WITHOUT, Occurs::Many)],
    example: r#"<Contact thickness="0.004" friction="0.4">
  <Without body="Sheet" other="Sheet" />
</Contact>"#,
    ..Element::NEW
};

/// A pair of bodies that do not meet.
pub static WITHOUT: Element = Element {
    name: "Without",
    doc: "Two bodies that pass through each other; the same body twice passes through itself.",
    attributes: &[
        Attribute::required("body", Kind::Identifier, "The id of a body."),
        Attribute::required(
            "other",
            Kind::Identifier,
            "The id of another body, or of the same.",
        ),
    ],
    example: r#"<Without body="Sheet" other="Sheet" />"#,
    ..Element::NEW
};

/// The view of the scene.
pub static CAMERA: Element = Element {
    name: "Camera",
    doc: "From where the scene is seen. Without it, the view is chosen so that everything is in it.",
    attributes: &[
        Attribute::required("eye", Kind::Vector, "Position of the eye."),
        Attribute::or(
            "target",
            Kind::Vector,
            "[0, 0, 0]",
            "The point in the middle of the picture.",
        ),
        Attribute::or(
            "up",
            Kind::Direction,
            "[0, 0, 1]",
            "The direction that points up in the picture.",
        ),
        Attribute::or(
            "fov",
            Kind::Number(Range::between(0.0, 180.0)),
            "40",
            "Height of the view as an angle in degrees.",
        ),
    ],
    example: r#"<Camera eye="[8, -8, 5]" target="[0, 0, 1]" />"#,
    ..Element::NEW
};

/// A light.
pub static LIGHT: Element = Element {
    name: "Light",
    doc: "A light, either at a point (`pos`) or far away (`direction`): exactly one of the two. \
          Without any, there is one behind the eye.",
    attributes: &[
        Attribute::optional("pos", Kind::Vector, "Position of the light."),
        Attribute::optional(
            "direction",
            Kind::Direction,
            "The direction in which the light of a far lamp travels.",
        ),
        Attribute::or(
            "intensity",
            Kind::Number(Range::NOT_NEGATIVE),
            "1",
            "Brightness; 1 lights a white surface fully.",
        ),
        Attribute::optional(
            "shadows",
            Kind::Boolean,
            "Whether things throw shadows in its light. If left out, only the first light of the \
             scene has shadows.",
        ),
    ],
    example: r#"<Light direction="[-1, 1, -2]" intensity="0.8" />"#,
    ..Element::NEW
};

/// A value the scene must reach, for tests.
pub static EXPECTED: Element = Element {
    name: "Expected",
    doc: "A bound on what the simulation gives, checked when the scene is run as a test. At least \
          one of `min` and `max` is needed. `x`, `y` and `z` are the coordinates of one particle \
          and need `body` and `particle`, or `near` for a body of type `Mesh`; `displacement_x`, \
          `displacement_y`, `displacement_z` and `displacement` (its length) tell how far it has moved \
          from where it is at rest; with a part of the body in place of one particle (`box`, `from` and \
          `to`, `region`, `near` and `within`) all of these are means over its nodes, weighted by their \
          masses; `height` (the extent \
          of a body in z), `length` (of a curve; of a surface or solid, of its first edge; not of a \
          mesh), `volume` (of a closed body) and `volume_ratio` (to that at rest) need `body`; \
          `lowest_z`, `highest_z`, \
          `speed` (of the fastest particle) and the energies are of one body, or of all if `body` \
          is left out; the other quantities are counts over the whole run.",
    attributes: &[
        Attribute::required("quantity", Kind::Named(Quantity::WORDS), "What is bounded."),
        Attribute::optional("body", Kind::Reference, "The body it is measured on."),
        Attribute::optional(
            "particle",
            Kind::Particle,
            "The particle it is measured on; only for places and displacements.",
        ),
        Attribute::optional(
            "near",
            Kind::Vector,
            "It is measured on the node of a mesh that is nearest to this point at rest; only for \
             places and displacements.",
        ),
        Attribute::optional(
            "within",
            Kind::Number(Range::POSITIVE),
            "The distance from `near`, in metres, of the nodes whose mean is taken.",
        ),
        Attribute::optional(
            "from",
            Kind::Particle,
            "The first particle of a block of them whose mean is taken; with `to`, for bodies on grids.",
        ),
        Attribute::optional("to", Kind::Particle, "The last particle of the block."),
        Attribute::optional(
            "box",
            Kind::Corners,
            "The lowest and the highest corner of a box, in coordinates of the scene: the nodes that lie \
             in it at rest, whose mean is taken.",
        ),
        Attribute::optional(
            "region",
            Kind::Count {
                least: 0,
                most: i32::MAX as u32,
            },
            "The nodes of a region of a mesh, as its file numbers it whose mean is taken.",
        ),
        Attribute::optional(
            "time",
            Kind::Number(Range::NOT_NEGATIVE),
            "When it is measured, in seconds; at the end if left out.",
        ),
        Attribute::optional("min", Kind::Number(Range::ANY), "The least allowed."),
        Attribute::optional("max", Kind::Number(Range::ANY), "The most allowed."),
        Attribute::or(
            "origin",
            Kind::Choice(&["Derived", "Recorded"]),
            "Recorded",
            "Where the bounds come from. `Derived`: from a formula, a symmetry, the geometry of the \
             scene or a rule that every run must keep, so that a run that misses them is wrong. \
             `Recorded`: from a run that was looked at, so that a run that misses them is \
             different.",
        ),
    ],
    example: r#"<Expected quantity="z" body="Sheet" particle="[5, 5]" time="2" min="-4" max="0" origin="Recorded" />"#,
    ..Element::NEW
};

/// What an instance is made of; its attributes depend on the type of its parent.
pub static PROPERTIES: Element = Element {
    name: "Properties",
    published: true,
    doc: "Describes an instance; its attributes depend on the type of the parent and are listed \
          there. If there is more than one, only the first counts (with a warning).",
    ..Element::NEW
};

/// Links instances together.
pub static BIND: Element = Element {
    name: "Bind",
    published: true,
    doc: "Links an instance to the body or object it stands in: `Material` gives it a material, \
          `Force` lets a force act on it (on one particle, if `particle` is given; on a mesh, on \
          the node nearest to `near`, or on all `within` a distance of it; on a part of any body by \
          `box`, `from` and `to`, or `region`: a `Load` is spread over it, and its nodes get equal parts \
          of a `Spring` or `Thruster`), `Collision` lets it \
          collide with an object. An `Object` takes `Material`, and one that moves by itself `Force`: \
          `Gravity`, `Gyro`, `Spring` and `Thruster` act on it as a whole.",
    attributes: &[
        Attribute::required(
            "type",
            Kind::Choice(&["Material", "Force", "Collision"]),
            "What is bound.",
        )
        .published(),
        Attribute::required(
            "ref",
            Kind::Reference,
            "The id of the material, force or object.",
        )
        .published(),
        Attribute::optional(
            "particle",
            Kind::Particle,
            "The one particle the force acts on; only with type `Force`.",
        )
        .published(),
        Attribute::optional(
            "near",
            Kind::Vector,
            "The point whose nearest node at rest the force acts on; only with type `Force`, for \
             bodies of type `Mesh`.",
        ),
        Attribute::optional(
            "within",
            Kind::Number(Range::POSITIVE),
            "The distance from `near`, in metres, up to which nodes share the force: each gets an \
             equal part of a `Spring` or `Thruster`, and springs carry them as they lie.",
        ),
        Attribute::optional(
            "from",
            Kind::Particle,
            "The first particle of a block of them that the force acts on; with `to`, for bodies on grids.",
        ),
        Attribute::optional("to", Kind::Particle, "The last particle of the block."),
        Attribute::optional(
            "box",
            Kind::Corners,
            "The lowest and the highest corner of a box, in coordinates of the scene: the nodes that lie \
             in it at rest share the force.",
        ),
        Attribute::optional(
            "region",
            Kind::Count {
                least: 0,
                most: i32::MAX as u32,
            },
            "The nodes of a region of a mesh, as its file numbers it share the force.",
        ),
    ],
    example: r#"<Bind type="Force" ref="Wind" particle="[9, 0]" />"#,
    ..Element::NEW
};
