//! `Joints`: what holds points of bodies together.

use super::{Attribute, Child, Element, Kind, Occurs, Range};

/// Holds all joints.
pub static JOINTS: Element = Element {
    name: "Joints",
    doc: "Holds all joints. Bodies that are joined move as one system, which asks for implicit \
          integrators (the default is): as one, bodies of the default move by it, and all others by \
          `Implicit`. Those that a joint of type Point, Hinge or Line joins pass through each other, unless it has `meets`.",
    children: &[Child::new(&JOINT, Occurs::Many)],
    example: r#"<Joints>
  <Joint id="Hook" body="Sheet" at="[0, 0, 0]" />
</Joints>"#,
    ..Element::NEW
};

/// The types whose second end may be a place.
const HELD_AT: &[&str] = &["Point", "Hinge", "Line", "Distance"];

/// One joint.
pub static JOINT: Element = Element {
    name: "Joint",
    doc: "Holds a point of a body to a point of another, or to a place of the world. A joint without \
          `stiffness` is hard: its force is found with the step, to 1e-6 of the size of its bodies.",
    attributes: &[
        Attribute::required("id", Kind::Identifier, "Its name, in messages."),
        Attribute::or(
            "type",
            Kind::Choice(&["Point", "Hinge", "Line", "Distance", "Track", "Path", "Sticky"]),
            "Point",
            "What it keeps. Point: both ends in one place. Hinge: two points of an `axis`, so that \
             the bodies turn about it alone. Line: the end of `body` on the straight line from `at` \
             to `to`, which `other` carries. Distance: the ends `least` to `most` apart. Track: the \
             end of `body` on the line through all `Place`s, a ring if the last is the first. Path: the end of `body` where the \
             `Place`s are in time. Sticky: every surface node of `body` within `radius` of `at` \
             sticks to the rigid `other` where it comes within `reach` of it, until `until`.",
        ),
        Attribute::required(
            "body",
            Kind::Identifier,
            "The id of a body (Primal, Rod or a mesh) or of an object that moves.",
        ),
        Attribute::optional(
            "other",
            Kind::Identifier,
            "The id of the other body; a place of the world if left out.",
        )
        .when("type", &["Point", "Hinge", "Line", "Distance", "Sticky"]),
        Attribute::required(
            "at",
            Kind::Vector,
            "Where the joint is at the start. A rigid body is held there even outside of its shape, \
             others by the nodes around it.",
        ),
        Attribute::required("axis", Kind::Direction, "The direction of the hinge.")
            .when("type", &["Hinge"]),
        Attribute::required(
            "to",
            Kind::Vector,
            "The other end at the start: of the distance, or another place of the line.",
        )
        .when("type", &["Line", "Distance"]),
        Attribute::optional(
            "least",
            Kind::Number(Range::ANY),
            "The smallest distance, in metres; that of the start if neither it nor `most` is given. Of \
             a hinge the least angle by which `body` turns from the start, in degrees, not above 0; \
             free if left out.",
        )
        .when("type", &["Distance", "Hinge"]),
        Attribute::optional(
            "most",
            Kind::Number(Range::NOT_NEGATIVE),
            "The largest distance, in metres. Of a hinge the largest angle, in degrees, at most 170 \
             above the least; free if left out.",
        )
        .when("type", &["Distance", "Hinge"]),
        Attribute::optional(
            "speed",
            Kind::Number(Range::ANY),
            "A motor: it turns `body` about the axis against `other`, which is rigid, or against the \
             world, by so many degrees per second, as far as its `torque` can. 0 is a brake.",
        )
        .when("type", &["Hinge"]),
        Attribute::optional(
            "torque",
            Kind::Number(Range::POSITIVE),
            "The largest torque of the motor, in newton metres; without end if left out. A motor \
             of a hinge with limits needs it.",
        )
        .when("type", &["Hinge"]),
        Attribute::or(
            "curve",
            Kind::Choice(&["Smooth", "Straight"]),
            "Smooth",
            "The line between the places: smooth, or straight from each to the next. A corner takes \
             away what a speed has across the piece after it.",
        )
        .when("type", &["Track"]),
        Attribute::required(
            "radius",
            Kind::Number(Range::POSITIVE),
            "How far from `at` nodes may stick, in metres.",
        )
        .when("type", &["Sticky"]),
        Attribute::required(
            "reach",
            Kind::Number(Range::POSITIVE),
            "The distance from the surface of `other` at which a node sticks, in metres.",
        )
        .when("type", &["Sticky"]),
        Attribute::optional(
            "meets",
            Kind::Boolean,
            "Whether the two bodies meet each other where the scene has `Contact`. If left out, those \
             of types Distance and Sticky do, others pass through each other.",
        )
        .when("type", &["Point", "Hinge", "Line", "Distance", "Sticky"]),
        Attribute::optional(
            "spread",
            Kind::Number(Range::POSITIVE),
            "The length over which its force is spread over a body that is not rigid, in metres: \
             nodes bear it by exp(-distance / spread).",
        )
        .when("type", HELD_AT),
        Attribute::optional(
            "stiffness",
            Kind::Number(Range::POSITIVE),
            "In newtons per metre: the joint is a spring.",
        ),
        Attribute::optional(
            "strength",
            Kind::Number(Range::POSITIVE),
            "The force at which it breaks, in newtons; never, if left out. A hinge bears the sum of what \
             its axis bears.",
        ),
        Attribute::or(
            "from",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "When it begins to hold, in seconds. A hard joint that begins later holds its ends as they \
             are then; at a soft `other` it waits until they are in one place. What slides can begin \
             later only with a `stiffness`.",
        ),
        Attribute::optional(
            "until",
            Kind::Number(Range::POSITIVE),
            "When it lets go, in seconds; never, if left out.",
        ),
    ],
    children: &[Child::new(&PLACE, Occurs::Many)],
    example: r#"<Joint id="Hook" body="Sheet" at="[0, 0, 0]" strength="50" />"#,
    ..Element::NEW
};

/// A place of a path or a track.
pub static PLACE: Element = Element {
    name: "Place",
    doc: "A place of a `Joint` of type `Track` or `Path`.",
    attributes: &[
        Attribute::optional(
            "time",
            Kind::Number(Range::NOT_NEGATIVE),
            "When the end is there, in seconds. A path needs it, a track has none.",
        ),
        Attribute::required("at", Kind::Vector, "Where it is."),
    ],
    example: r#"<Place time="2" at="[0, 0, 1]" />"#,
    ..Element::NEW
};
