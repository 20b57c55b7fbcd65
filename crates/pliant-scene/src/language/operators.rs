//! `Taper`, `Twist`, `Bend`, `Stretch` and `Lattice`: what deforms a shape before it is simulated.

use super::solids::PLACEMENT;
use super::{Attribute, Child, Element, Kind, Occurs, Range};

/// Every operator, and more.
macro_rules! operators {
    ($($more:expr),*) => {
        [
            $crate::language::Child::new(&$crate::language::TAPER, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::TWIST, $crate::language::Occurs::Many),
            $crate::language::Child::new(&$crate::language::BEND, $crate::language::Occurs::Many),
            $crate::language::Child::new(
                &$crate::language::STRETCH,
                $crate::language::Occurs::Many,
            ),
            $crate::language::Child::new(
                &$crate::language::LATTICE,
                $crate::language::Occurs::Many,
            ),
            $($more),*
        ]
    };
}
pub(super) use operators;

/// The operators, which act in the order in which they are written.
pub static OPERATORS: [Child; 5] = operators!();

const AXIS: Attribute = Attribute::or("axis", Kind::Direction, "[0, 0, 1]", "The axis.");
const THROUGH: Attribute = Attribute::or(
    "c",
    Kind::Vector,
    "[0, 0, 0]",
    "A point of the axis, from which `from` and `to` count.",
);
const FROM: Attribute = Attribute::required(
    "from",
    Kind::Number(Range::ANY),
    "Where it begins along the axis, in metres from `c`.",
);
const TO: Attribute = Attribute::required(
    "to",
    Kind::Number(Range::ANY),
    "Where it ends along the axis, in metres from `c`; beyond `from`.",
);

/// Cross sections that shrink or grow.
pub static TAPER: Element = Element {
    name: "Taper",
    doc: "Makes cross sections of a shape smaller or larger along an axis: by 1 at `from`, by `factor` \
          at `to`, evenly between, the same before and after.",
    attributes: &[
        AXIS,
        THROUGH,
        FROM,
        TO,
        Attribute::required(
            "factor",
            Kind::Number(Range::POSITIVE),
            "How large cross sections are at `to`, by what they were.",
        ),
    ],
    example: r#"<Taper axis="[0, 0, 1]" from="0" to="2" factor="0.4" />"#,
    ..Element::NEW
};

/// Cross sections that turn.
pub static TWIST: Element = Element {
    name: "Twist",
    doc: "Turns cross sections of a shape about an axis: not at all up to `from`, by `angle` from `to` \
          on, evenly between. It keeps the volume.",
    attributes: &[
        AXIS,
        THROUGH,
        FROM,
        TO,
        Attribute::required(
            "angle",
            Kind::Number(Range::ANY),
            "The whole turn, in degrees.",
        ),
    ],
    example: r#"<Twist axis="[0, 0, 1]" from="0" to="2" angle="180" />"#,
    ..Element::NEW
};

/// An axis that becomes an arc.
pub static BEND: Element = Element {
    name: "Bend",
    doc: "Bends an axis to an arc of a circle between `from` and `to`, towards a side; before it nothing \
          moves, behind it the shape goes on straight. The axis keeps its length.",
    attributes: &[
        AXIS,
        THROUGH,
        FROM,
        TO,
        Attribute::or(
            "towards",
            Kind::Direction,
            "[1, 0, 0]",
            "The side it bends to; not along the axis.",
        ),
        Attribute::required(
            "angle",
            Kind::Number(Range::ANY),
            "The whole angle of the arc, in degrees; not zero.",
        ),
    ],
    example: r#"<Bend axis="[0, 0, 1]" towards="[1, 0, 0]" from="0" to="2" angle="90" />"#,
    ..Element::NEW
};

/// An affine map.
pub static STRETCH: Element = Element {
    name: "Stretch",
    doc: "Scales a shape, turns it and moves it, all about the point `c`.",
    attributes: &[
        Attribute::or(
            "c",
            Kind::Vector,
            "[0, 0, 0]",
            "The point about which it scales and turns.",
        ),
        PLACEMENT[0],
        PLACEMENT[1],
        Attribute::or(
            "shift",
            Kind::Vector,
            "[0, 0, 0]",
            "The move, applied last.",
        ),
    ],
    example: r#"<Stretch c="[0, 0, 1]" scale="[1, 1, 1.5]" rotation="[0, 0, 30]" />"#,
    ..Element::NEW
};

/// Free-form deformation.
pub static LATTICE: Element = Element {
    name: "Lattice",
    doc: "Free-form deformation: a box of control points that carries what lies in it. Its control \
          points are moved (`Control`), or points of the shape are, and the control points follow by the \
          smallest change that does it (`Move`). What lies outside of the box stays.",
    attributes: &[
        Attribute::required(
            "box",
            Kind::Corners,
            "The lowest and the highest corner of the box.",
        ),
        Attribute::or(
            "points",
            Kind::Grid,
            "[4, 4, 4]",
            "Control points along x, y and z, at least 2 each.",
        ),
        Attribute::or(
            "basis",
            Kind::Choice(&["Bernstein", "BSpline"]),
            "Bernstein",
            "The functions between the control points: `Bernstein` polynomials, with which each point \
             moves the whole box a little, or `BSpline`, with which it moves what is near.",
        ),
        Attribute::or(
            "degree",
            Kind::Count { least: 1, most: 20 },
            "3",
            "The degree of the B-splines; the highest that `points` allows if it is too high.",
        )
        .when("basis", &["BSpline"]),
    ],
    children: &[
        Child::new(&CONTROL, Occurs::Many),
        Child::new(&MOVE, Occurs::Many),
    ],
    example: r#"<Lattice box="[[0, 0, 0], [1, 1, 2]]" points="[3, 3, 4]">
  <Control index="[2, 2, 3]" by="[0.2, 0.2, 0.5]" />
  <Move point="[0.5, 0.5, 1]" to="[0.5, 0.8, 1]" />
</Lattice>"#,
    ..Element::NEW
};

/// A control point that is moved.
pub static CONTROL: Element = Element {
    name: "Control",
    doc: "Moves one control point of a `Lattice`.",
    attributes: &[
        Attribute::required(
            "index",
            Kind::Grid,
            "Which one: three indices along x, y and z, from 0.",
        ),
        Attribute::required("by", Kind::Vector, "How far, in metres."),
    ],
    example: r#"<Control index="[0, 0, 3]" by="[0, 0, 0.5]" />"#,
    ..Element::NEW
};

/// A point of the shape that is moved.
pub static MOVE: Element = Element {
    name: "Move",
    doc: "Moves a point of the shape inside a `Lattice`; all of them together, after its `Control` \
          elements.",
    attributes: &[
        Attribute::required(
            "point",
            Kind::Vector,
            "The point, before the lattice deforms it.",
        ),
        Attribute::required("to", Kind::Vector, "Where it goes."),
    ],
    example: r#"<Move point="[0, 0, 1]" to="[0, 0.3, 1]" />"#,
    ..Element::NEW
};
