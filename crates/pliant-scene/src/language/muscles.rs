//! `Muscle`: springs that contract.

use super::meshes::{CORNERS, REGION};
use super::{Attribute, Element, Kind, Range, SOLIDS};

/// Springs that contract.
pub static MUSCLE: Element = Element {
    name: "Muscle",
    doc: "Springs of a mesh with the strain `Springs` that contract by a signal in time: those whose middle \
          lies, at rest, in a `box` or in the shapes inside, or whose ends belong to elements of a \
          `region`, and that lie along `direction`. A spring belongs to the first muscle that takes it. \
          What muscles do is work in the energy ledger.",
    attributes: &[
        REGION,
        CORNERS,
        Attribute::required(
            "contraction",
            Kind::Rule,
            "By which share of its length a spring contracts, by w, the time in seconds, and u, where its \
             middle lies along `direction` from the first spring of the muscle (0) to the last (1). \
             Negative lengthens. What goes beyond -1 and 0.9 is cut off.",
        ),
        Attribute::optional(
            "direction",
            Kind::Direction,
            "The direction of the muscle; all springs belong to it, and u is 0, if left out.",
        ),
        Attribute::or(
            "angle",
            Kind::Number(Range::between(0.0, 90.0)),
            "20",
            "How far a spring may be off `direction`, in degrees.",
        ),
    ],
    children: &SOLIDS,
    example: r#"<Muscle box="[[-1, 0, -1], [1, 1, 1]]" direction="[1, 0, 0]" contraction="0.1*max(0, sin(6*w-3*u))" />"#,
    ..Element::NEW
};
