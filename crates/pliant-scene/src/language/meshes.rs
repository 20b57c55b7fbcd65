//! `Mesh` and what only bodies of type `Mesh` have: `Elastic`, `Zone`, `Fixed`, `Core`, `Pose`,
//! `Skin`.

use super::muscles::MUSCLE;
use super::solids::{PLACEMENT, solids};
use super::{
    Attribute, BEND, Child, Element, Kind, LATTICE, Occurs, Range, SOLIDS, STRETCH, TAPER, TWIST,
};
use crate::scene::{Elements, Strain, VertexRotation};

/// The extensions of files that meshes are read from.
pub const MESH_FILES: &[&str] = &[
    "msh", "vtk", "vtu", "node", "ele", "veg", "obj", "stl", "ply",
];

/// The elements of a body.
pub static MESH: Element = Element {
    name: "Mesh",
    doc: "The elements of a body of type `Mesh`, where they are at rest: read from a file \
          (`file`) or made of the one shape inside. A solid takes tetrahedra or bricks from its \
          file, or fills the closed surface in it with tetrahedra of about `resolution`; a shape \
          is filled in the same way, or divided into `cells`. A surface takes the faces of its \
          file, covers a shape with triangles of about `resolution`, or divides a `Rectangle` \
          into `cells`. `Taper`, `Twist`, `Bend`, `Stretch` and `Lattice` deform it, in the order in which \
          they stand, once it is in its place (not with a `Skin`).",
    attributes: &[
        Attribute::optional(
            "file",
            Kind::File(MESH_FILES),
            "The mesh, relative to the scene file: Gmsh, VTK, TetGen (either of its two files), \
             VegaFEM; OBJ, STL and PLY hold surfaces only.",
        ),
        Attribute::optional(
            "resolution",
            Kind::Number(Range::POSITIVE),
            "The spacing of the nodes that fill a shape, in metres. A surface is covered by cutting cubes \
             of this size: its triangles are about half as long (the mean spacing of their nodes is \
             0.42 to 0.49 of it).",
        ),
        Attribute::optional(
            "cells",
            Kind::Grid,
            "Regular cells of a simple shape, as its element says; a solid has five tetrahedra a \
             cell. Tetrahedra are too stiff in bending: a solid that bends needs several cells \
             across its thickness, or `elements=\"Brick20\"`.",
        ),
        Attribute::optional(
            "elements",
            Kind::Named(Elements::WORDS),
            "The kind of elements, with their number of nodes. A solid of any shape or file has \
             `Tetrahedron4` or `Tetrahedron10` (each edge of a tetrahedron of four nodes gets one in \
             its middle; far less stiff in bending), one of a `Box` or `Bar` with `cells` or of a file \
             `Brick20`; a surface has `Triangle3` or, of a `Rectangle` or a file, the others. `strain` \
             of `Elastic` says which strains they have. If left out, what the file has, else the first.",
        ),
        Attribute::or(
            "repair",
            Kind::Boolean,
            "No",
            "Whether a surface that is to be filled is mended first: vertices welded, holes \
             closed, triangles turned.",
        ),
        PLACEMENT[0],
        PLACEMENT[1],
        PLACEMENT[2],
    ],
    children: &solids!(
        Child::new(&RECTANGLE, Occurs::Many),
        Child::new(&TAPER, Occurs::Many),
        Child::new(&TWIST, Occurs::Many),
        Child::new(&BEND, Occurs::Many),
        Child::new(&STRETCH, Occurs::Many),
        Child::new(&LATTICE, Occurs::Many)
    ),
    example: r#"<Mesh resolution="0.1" position="[0, 0, 1]">
  <Union blend="0.1">
    <Ellipsoid axes="[0.5, 0.3, 0.3]" />
    <Capsule from="[0.4, 0, 0.1]" to="[0.5, 0, 0.6]" r="0.15" end="0.1" />
  </Union>
</Mesh>"#,
    ..Element::NEW
};

/// A flat sheet.
pub static RECTANGLE: Element = Element {
    name: "Rectangle",
    doc: "A flat sheet in the plane z = 0 for the `Mesh` of a surface, divided into \
          `cells=\"[m, n]\"`; triangles are halves of cells.",
    attributes: &[
        Attribute::or("c", Kind::Vector, "[0, 0, 0]", "Its centre."),
        Attribute::required(
            "width",
            Kind::Number(Range::POSITIVE),
            "Its length along x, in metres.",
        ),
        Attribute::required(
            "height",
            Kind::Number(Range::POSITIVE),
            "Its length along y, in metres.",
        ),
    ],
    example: r#"<Rectangle width="2" height="1" />"#,
    ..Element::NEW
};

const YOUNG: &str = "Young's modulus, in pascals.";
const POISSON: &str = "Poisson's ratio.";
const DENSITY: &str = "The mass of a cubic metre, in kilograms.";
const POISSON_RANGE: Kind = Kind::Number(Range::between(-1.0, 0.5));

/// What a mesh is made of.
pub static ELASTIC: Element = Element {
    name: "Elastic",
    doc: "What a body is made of, in physical units. The elements of a `Mesh`: how they answer to \
          deformation; surfaces of three-node triangles are cloth, which stretches as `young` and \
          `thickness` say and bends as `rigidity` says. A body over a grid: `Elastic` \
          gives its particles masses and weights such that refining the grid converges, with half \
          the mass at edges and a quarter at corners; `All`, `Single` and `Region` then set \
          neither `mass` nor `tension`, `rigidity` and `twist`, but a `Field` may multiply them. \
          Grids take `young`, `poisson`, `density`, `alpha`, `beta` (primal ones that are \
          stepped by Newton's method), `thickness` (of a curve: its \
          diameter), `stretching` and `rigidity`, and need energy=\"Exact\". A grid surface does \
          not grow narrower when it is stretched: `young` times `thickness` is its stiffness along \
          one direction, as for woven cloth, and `poisson` enters through shear and bending, which is that \
          of a plate, as for cloth over a mesh. A grid \
          solid is too stiff in bending until its cells are much smaller than its height: a bar ten \
          times as long as high droops by 34 % of what beam theory says with 10 x 2 cells along and \
          up, by 83 % with 40 x 4.",
    attributes: &[
        Attribute::optional(
            "strain",
            Kind::Named(Strain::WORDS),
            "How strain is measured. All elements have `Linear`, `Green` and `Springs`; solids \
             (`Tetrahedron4`, `Tetrahedron10`, `Brick20`) have `Corotated`, `NeoHookean` and `SplitNeoHookean` too, of them \
             `Tetrahedron4` alone `Warped`; triangles of three nodes are cloth with `Corotated` and \
             `Green`, and have `Active`. If left out, `Corotated` for tetrahedra of four nodes and cloth, \
             `Green` for all others.",
        ),
        Attribute::optional(
            "rotation",
            Kind::Named(VertexRotation::WORDS),
            "How the rotation of a vertex is found. `Svd` if left out with `Warped`; with `Springs` it \
             makes them linear in the frames of their vertices.",
        )
        .when("strain", &["Warped", "Springs"]),
        Attribute::or("young", Kind::Number(Range::POSITIVE), "1e6", YOUNG),
        Attribute::or("poisson", POISSON_RANGE, "0.33", POISSON),
        Attribute::or("density", Kind::Number(Range::POSITIVE), "1000", DENSITY),
        Attribute::or(
            "alpha",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "Rayleigh's damping by mass, in 1/s.",
        ),
        Attribute::or(
            "beta",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "Rayleigh's damping by stiffness, in seconds.",
        ),
        Attribute::optional(
            "thickness",
            Kind::Number(Range::POSITIVE),
            "The thickness of a surface, or the diameter of a curve, in metres; 0.001 if left out.",
        ),
        Attribute::optional(
            "stretching",
            Kind::Number(Range::POSITIVE),
            "The stiffness of a grid against stretching, instead of that of `young` and \
             `thickness`: of a curve in newtons (E times the section), of a surface in newtons per \
             metre (E times the thickness).",
        ),
        Attribute::optional(
            "rigidity",
            Kind::Number(Range::NOT_NEGATIVE),
            "The flexural rigidity D of cloth as a plate, or β of an active surface, in newton metres (a strip of it bends as a \
             beam of D (1 - ν²) times its width), or of a curve over a grid, in newton square metres \
             (E times the second moment of the section); that of a plate or a round rod if left out. \
             Woven cloth bends far more easily than a plate.",
        ),
        Attribute::or(
            "volume",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "The resistance of tetrahedra to a change of volume, in pascals.",
        )
        .when("strain", &["Springs"]),
        Attribute::or(
            "angular",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "The stiffness of angular springs, in newton metres per radian: at each end of a spring one to \
             the spring that continues it, if one does so within 45 degrees.",
        )
        .when("strain", &["Springs"]),
        Attribute::or(
            "tension",
            Kind::Number(Range::NOT_NEGATIVE),
            "1",
            "The tension τ of an active surface, in newtons per metre.",
        )
        .when("strain", &["Active"]),
        Attribute::optional(
            "elongation",
            Kind::Number(Range::NOT_NEGATIVE),
            "The elongation, as a share of its length, from which a spring is stiffer; never if \
             left out.",
        )
        .when("strain", &["Springs"]),
        Attribute::or(
            "factor",
            Kind::Number(Range::at_least(1.0)),
            "10",
            "How many times stiffer a spring is beyond `elongation`.",
        )
        .when("strain", &["Springs"]),
        Attribute::optional(
            "momentum",
            Kind::Boolean,
            "Whether a free body is given the momenta that external forces alone would give it, \
             whatever ghost forces and numerical damping do. It counts with the integrators \
             SemiImplicit and Implicit; the others keep momenta to second order by themselves. If \
             left out, Yes with `Warped`, No with the others.",
        ),
    ],
    children: &[
        Child::new(&ZONE, Occurs::Many),
        Child::new(&MUSCLE, Occurs::Many),
    ],
    example: r#"<Elastic strain="Corotated" young="5e4" poisson="0.45" density="900" beta="0.01">
  <Zone box="[[-1, -1, -1], [0, 1, 1]]" young="5e5" />
</Elastic>"#,
    ..Element::NEW
};

pub(super) const REGION: Attribute = Attribute::optional(
    "region",
    Kind::Count {
        least: 0,
        most: i32::MAX as u32,
    },
    "A region of the mesh, as its file numbers it.",
);
pub(super) const CORNERS: Attribute = Attribute::optional(
    "box",
    Kind::Corners,
    "The lowest and the highest corner of a box, in coordinates of the scene.",
);

/// A part of another material.
pub static ZONE: Element = Element {
    name: "Zone",
    doc: "A part of a mesh that is made of something else: the elements of a `region`, or those \
          whose middle lies in a `box` or in the shapes inside. What is left out is as in \
          `Elastic`; of two zones that share an element the first counts. Springs take `young` and \
          `density` of a zone: layers, such as those of skin. Not for cloth.",
    attributes: &[
        REGION,
        CORNERS,
        Attribute::optional("young", Kind::Number(Range::POSITIVE), YOUNG),
        Attribute::optional("poisson", POISSON_RANGE, POISSON),
        Attribute::optional("density", Kind::Number(Range::POSITIVE), DENSITY),
    ],
    children: &SOLIDS,
    example: r#"<Zone young="2e4"><Sphere c="[0.5, 0, 0.5]" r="0.2" /></Zone>"#,
    ..Element::NEW
};

/// Sets of coordinates.
pub(super) const COORDINATES: &[&str] = &["x", "y", "z", "xy", "xz", "yz", "xyz"];

/// Nodes that stay.
pub static FIXED: Element = Element {
    name: "Fixed",
    doc: "Nodes of a mesh that stay where they are: those of a `region`, or those that lie at \
          rest in a `box` or in the shapes inside.",
    attributes: &[
        REGION,
        CORNERS,
        Attribute::or(
            "coordinates",
            Kind::Choice(COORDINATES),
            "xyz",
            "Which coordinates stay: all of them, or single ones, as on rollers and planes of symmetry.",
        ),
    ],
    children: &SOLIDS,
    example: r#"<Fixed box="[[-1, -1, -1], [0, 1, 1]]" />"#,
    ..Element::NEW
};

/// A bone.
pub static CORE: Element = Element {
    name: "Core",
    doc: "Nodes of a mesh that move together as a rigid body, such as a bone: those of a \
          `region`, or those that lie at rest in a `box` or in the shapes inside. A node belongs \
          to one core only.",
    attributes: &[
        REGION,
        CORNERS,
        Attribute::or(
            "motion",
            Kind::Choice(&["Free", "Hinge", "Path"]),
            "Free",
            "How it may move: in every way, about a `Hinge`, or along a `Path` of poses.",
        ),
        Attribute::required("point", Kind::Vector, "A point of the hinge's axis.")
            .when("motion", &["Hinge"]),
        Attribute::required(
            "axis",
            Kind::Direction,
            "The direction of the hinge's axis.",
        )
        .when("motion", &["Hinge"]),
        Attribute::optional(
            "pivot",
            Kind::Vector,
            "The point about which the poses turn; the middle of its nodes if left out.",
        )
        .when("motion", &["Path"]),
    ],
    children: &solids!(Child::new(&POSE, Occurs::Many)),
    example: r#"<Core motion="Path" pivot="[0, 0, 0]">
  <Capsule from="[-1, 0, 0]" to="[1, 0, 0]" r="0.1" />
  <Pose time="0" />
  <Pose time="1" rotation="[0, 0, 45]" shift="[0, 0, 0.2]" />
</Core>"#,
    ..Element::NEW
};

/// Where a core is at a time.
pub static POSE: Element = Element {
    name: "Pose",
    doc: "Where a `Core` or an `Object` of motion `Path` is at a time, relative to where it is at rest. It moves \
          evenly from one pose to the next, starting and ending gently, and stays at the last. A \
          turn from one pose to the next goes the shortest way, so it is less than half a turn.",
    attributes: &[
        Attribute::required(
            "time",
            Kind::Number(Range::NOT_NEGATIVE),
            "When, in seconds; later than the pose before.",
        ),
        Attribute::or(
            "rotation",
            Kind::Vector,
            "[0, 0, 0]",
            "How it is turned about the pivot: the axis, as long as the angle in degrees.",
        ),
        Attribute::or("shift", Kind::Vector, "[0, 0, 0]", "How far it has moved."),
    ],
    example: r#"<Pose time="1.5" rotation="[0, 0, 90]" shift="[0, 0, 0.2]" />"#,
    ..Element::NEW
};

/// A fine surface.
pub static SKIN: Element = Element {
    name: "Skin",
    doc: "A fine surface that a mesh of tetrahedra carries: it is drawn and exported instead of \
          the boundary of the mesh. With `resolution`, the surface of the shape that the mesh was \
          made of; with `file`, one that is scaled, turned and moved as the mesh is; with \
          neither, the surface that was filled.",
    attributes: &[
        Attribute::optional(
            "resolution",
            Kind::Number(Range::POSITIVE),
            "The size of its triangles, in metres.",
        ),
        Attribute::optional(
            "file",
            Kind::File(MESH_FILES),
            "The surface, relative to the scene file.",
        ),
    ],
    example: r#"<Skin resolution="0.05" />"#,
    ..Element::NEW
};
