//! `NaturalShape`, `InitialShape` and `Node`.

use super::operators::operators;
use super::solids::PLACEMENT;
use super::{Attribute, Child, Element, Kind, Occurs, Range};

const SHAPE_CHILDREN: &[Child] = &operators!(Child::new(&NODE, Occurs::Many));

/// The rest shape.
pub static NATURAL_SHAPE: Element = Element {
    name: "NaturalShape",
    published: true,
    doc: "The shape the body has at rest, given by `Node` children, and then deformed by `Taper`, \
          `Twist`, `Bend`, `Stretch` and `Lattice` in the order in which they stand.",
    children: SHAPE_CHILDREN,
    example: r#"<NaturalShape>
  <Node index="0" pos="[-2, -2, 0]" />
  <Node index="1" pos="[2, -2, 0]" />
  <Node index="2" pos="[-2, 2, 0]" />
  <Node index="3" pos="[2, 2, 0]" />
</NaturalShape>"#,
    ..Element::NEW
};

/// The shape at the start.
pub static INITIAL_SHAPE: Element = Element {
    name: "InitialShape",
    published: true,
    doc: "The shape the body starts from, written as `NaturalShape` is; the natural shape if left \
          out, or if it has operators such as `Stretch` but no `Node`. A body of type `Mesh` has no nodes to give: it starts scaled and turned about its \
          centre of mass and moved, by the attributes that only it has, and is then deformed by operators.",
    attributes: &PLACEMENT,
    children: SHAPE_CHILDREN,
    example: r#"<InitialShape>
  <Node index="0" pos="[-2, -2, 0]" />
  <Node index="1" pos="[2, -2, 1]" />
  <Node index="2" pos="[-2, 2, 1]" />
  <Node index="3" pos="[2, 2, 0]" />
</InitialShape>"#,
    ..Element::NEW
};

/// A control point.
pub static NODE: Element = Element {
    name: "Node",
    published: true,
    doc: "One control point of a shape. For the ellipsoid types index 0 holds the semi-axes and \
          index 1 the centre.",
    attributes: &[
        Attribute::required(
            "index",
            Kind::Count {
                least: 0,
                most: u32::MAX,
            },
            "Which control point, from 0.",
        )
        .published(),
        Attribute::required("pos", Kind::Vector, "Its position.").published(),
        Attribute::optional(
            "weight",
            Kind::Number(Range::POSITIVE),
            "How strongly it draws a NURBS shape, 1 if left out; only for the B-spline types.",
        ),
    ],
    example: r#"<Node index="3" pos="[2.0, 2.0, 0.5]" />"#,
    ..Element::NEW
};
