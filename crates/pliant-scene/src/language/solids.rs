//! Implicit shapes: what a mesh is made of, or what selects a part of one.

use super::{Attribute, Child, Element, Kind, Range};

/// Every shape that has an inside, and more.
macro_rules! solids {
    ($($more:expr),*) => {
        [
            $crate::language::Child::new(&$crate::language::SPHERE, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::ELLIPSOID, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::BOX, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::BAR, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::CAPSULE, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::TUBE, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::TORUS, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::SUPERQUADRIC, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::RABBIT, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::HOUND, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::UNION, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::INTERSECTION, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::DIFFERENCE, $crate::language::Occurs::Many),
            $($more),*
        ]
    };
}
pub(super) use solids;

/// Every shape that has an inside: groups hold them, meshes are filled with them, parts of meshes
/// are selected by them.
pub static SOLIDS: [Child; 13] = solids!();

const CENTRE: Attribute = Attribute::or("c", Kind::Vector, "[0, 0, 0]", "The centre.");
const RADIUS: Attribute =
    Attribute::required("r", Kind::Number(Range::POSITIVE), "The radius, in metres.");
const AXES: Attribute = Attribute::required("axes", Kind::Extent, "The three semi-axes.");
const TURN: Attribute = Attribute::or(
    "rotation",
    Kind::Vector,
    "[0, 0, 0]",
    "A turn about the centre: its axis, as long as its angle in degrees.",
);
const FROM: Attribute = Attribute::required("from", Kind::Vector, "The middle of one end.");
const TO: Attribute = Attribute::required("to", Kind::Vector, "The middle of the other end.");

/// Scales, then turns, then moves.
pub(super) const PLACEMENT: [Attribute; 3] = [
    Attribute::or(
        "scale",
        Kind::Extent,
        "[1, 1, 1]",
        "Factors along x, y and z, applied first.",
    ),
    Attribute::or(
        "rotation",
        Kind::Vector,
        "[0, 0, 0]",
        "A turn about the origin, applied second: its axis, as long as its angle in degrees.",
    ),
    Attribute::or(
        "position",
        Kind::Vector,
        "[0, 0, 0]",
        "Where the origin goes, applied last.",
    ),
];

/// A ball.
pub static SPHERE: Element = Element {
    name: "Sphere",
    doc: "A ball as a shape to mesh or to select with. With `cells=\"[n]\"` a mesh of it is a \
          swollen cube of n cells along each edge.",
    attributes: &[CENTRE, RADIUS],
    example: r#"<Sphere c="[0, 0, 1]" r="0.5" />"#,
    ..Element::NEW
};

/// An ellipsoid.
pub static ELLIPSOID: Element = Element {
    name: "Ellipsoid",
    doc: "An ellipsoid as a shape to mesh or to select with. With `cells=\"[n]\"` a mesh of it is \
          a swollen cube of n cells along each edge.",
    attributes: &[CENTRE, AXES, TURN],
    example: r#"<Ellipsoid c="[0, 0, 1]" axes="[0.5, 0.3, 0.3]" rotation="[0, 20, 0]" />"#,
    ..Element::NEW
};

/// A box.
pub static BOX: Element = Element {
    name: "Box",
    doc: "A box as a shape to mesh or to select with. With `cells=\"[l, m, n]\"` a mesh of it has \
          l × m × n cells.",
    attributes: &[
        CENTRE,
        Attribute::required("size", Kind::Extent, "The three edge lengths."),
        TURN,
        Attribute::or(
            "rounding",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "The radius of its rounded edges, in metres; not with `cells`.",
        ),
    ],
    example: r#"<Box c="[0, 0, 0.5]" size="[1, 1, 1]" rounding="0.1" />"#,
    ..Element::NEW
};

/// A bar between two points.
pub static BAR: Element = Element {
    name: "Bar",
    doc: "A straight bar of rectangular cross-section. With `cells=\"[l, m, n]\"` a mesh of it \
          has l cells along it, m across its width and n across its height.",
    attributes: &[
        FROM,
        TO,
        Attribute::required(
            "width",
            Kind::Number(Range::POSITIVE),
            "The width of the cross-section, in metres: level, unless the bar stands upright.",
        ),
        Attribute::required(
            "height",
            Kind::Number(Range::POSITIVE),
            "The height of the cross-section, in metres.",
        ),
    ],
    example: r#"<Bar from="[0, 0, 1]" to="[1, 0, 1]" width="0.2" height="0.2" />"#,
    ..Element::NEW
};

/// A limb.
pub static CAPSULE: Element = Element {
    name: "Capsule",
    doc: "A straight limb with round ends, which may be thicker at one of them.",
    attributes: &[
        FROM,
        TO,
        Attribute::required(
            "r",
            Kind::Number(Range::POSITIVE),
            "The radius about `from`, in metres.",
        ),
        Attribute::optional(
            "end",
            Kind::Number(Range::POSITIVE),
            "The radius about `to`, in metres; `r` if left out.",
        ),
    ],
    example: r#"<Capsule from="[0, 0, 0]" to="[0, 0, 1]" r="0.2" end="0.1" />"#,
    ..Element::NEW
};

/// A tube or cylinder.
pub static TUBE: Element = Element {
    name: "Tube",
    doc: "A straight cylinder, with a round hole along it if `hole` is given. With \
          `cells=\"[l, m, n]\"` a mesh of it has l cells around (an even number), m through the \
          wall and n along; then it needs a hole.",
    attributes: &[
        FROM,
        TO,
        RADIUS,
        Attribute::or(
            "hole",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "The radius of the hole, in metres.",
        ),
    ],
    example: r#"<Tube from="[0, 0, 1]" to="[2, 0, 1]" r="0.3" hole="0.2" />"#,
    ..Element::NEW
};

/// A ring.
pub static TORUS: Element = Element {
    name: "Torus",
    doc: "A ring. With `cells=\"[m, n]\"` a mesh of it has m cells around (an even number) and \
          n × n across.",
    attributes: &[
        Attribute::required(
            "a",
            Kind::Number(Range::POSITIVE),
            "The radius of the tube.",
        ),
        CENTRE,
        Attribute::required(
            "r",
            Kind::Number(Range::POSITIVE),
            "The distance from the centre of the hole to the middle of the tube.",
        ),
        Attribute::or(
            "axis",
            Kind::Direction,
            "[0, 0, 1]",
            "The direction that the ring turns about.",
        ),
    ],
    example: r#"<Torus a="0.2" r="0.6" c="[0, 0, 1]" axis="[1, 0, 0]" />"#,
    ..Element::NEW
};

/// A superellipsoid.
pub static SUPERQUADRIC: Element = Element {
    name: "Superquadric",
    doc: "A superellipsoid: an ellipsoid that may be squarer or flatter.",
    attributes: &[
        CENTRE,
        AXES,
        TURN,
        Attribute::or(
            "poles",
            Kind::Number(Range::POSITIVE),
            "1",
            "Its squareness from pole to pole: near 0 square, 1 round, 2 flat faces between the \
             axes.",
        ),
        Attribute::or(
            "equator",
            Kind::Number(Range::POSITIVE),
            "1",
            "Its squareness along the equator.",
        ),
    ],
    example: r#"<Superquadric c="[0, 0, 1]" axes="[1, 1, 0.5]" poles="0.5" equator="0.5" />"#,
    ..Element::NEW
};

/// The rabbit that comes with Pliant.
pub static RABBIT: Element = Element {
    name: "Rabbit",
    doc: "A rabbit that sits on z = 0 and looks along x: 1 m from the ground to the tips of its \
          ears.",
    attributes: &PLACEMENT,
    example: r#"<Rabbit />"#,
    ..Element::NEW
};

/// The hound's head that comes with Pliant.
pub static HOUND: Element = Element {
    name: "Hound",
    doc: "The head of a hound with hanging ears that looks along x: 1 m from the cut of the neck, \
          at z = 0, to the crown.",
    attributes: &PLACEMENT,
    example: r#"<Hound rotation="[0, 0, 90]" />"#,
    ..Element::NEW
};

/// Shapes as one.
pub static UNION: Element = Element {
    name: "Union",
    doc: "All that lies in one of its shapes or another; with `blend` the creases between them \
          are filled. An animal is a union of ellipsoids and capsules.",
    attributes: &[
        Attribute::or(
            "blend",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "How far from a crease the filling reaches, in metres.",
        ),
        PLACEMENT[0],
        PLACEMENT[1],
        PLACEMENT[2],
    ],
    children: &SOLIDS,
    example: r#"<Union blend="0.1">
  <Ellipsoid axes="[0.5, 0.3, 0.3]" />
  <Capsule from="[0.4, 0, 0.1]" to="[0.5, 0, 0.6]" r="0.15" end="0.1" />
</Union>"#,
    ..Element::NEW
};

/// What shapes share.
pub static INTERSECTION: Element = Element {
    name: "Intersection",
    doc: "What lies in every one of its shapes.",
    attributes: &PLACEMENT,
    children: &SOLIDS,
    example: r#"<Intersection>
  <Sphere r="0.6" />
  <Box size="[1, 1, 1]" />
</Intersection>"#,
    ..Element::NEW
};

/// What is left of a shape.
pub static DIFFERENCE: Element = Element {
    name: "Difference",
    doc: "What lies in its first shape and in none of the others.",
    attributes: &PLACEMENT,
    children: &SOLIDS,
    example: r#"<Difference>
  <Sphere r="0.6" />
  <Box c="[0, 0, 0.5]" size="[2, 2, 1]" />
</Difference>"#,
    ..Element::NEW
};
