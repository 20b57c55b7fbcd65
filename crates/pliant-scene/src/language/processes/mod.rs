//! `Process`: what makes a body more than elastic. One file per kind of process: its attributes and
//! what the engine makes of them.

mod fluid;
mod fracture;
mod heat;
mod plastic;
mod viscoelastic;

pub use viscoelastic::BRANCH;

use super::time_span::FOR_SOME_TIME;
use super::{Attribute, Child, Element, Kind, Occurs, Range};
use crate::diagnostics::Reporter;
use crate::parse::Values;
use crate::scene::Process;
use pliant::choice::Word;
use pliant::process::ProcessKind;

/// A kind of process.
#[derive(Clone, Copy, Debug)]
pub struct ProcessType {
    /// Its name and what it does.
    pub word: Word,
    /// Reports what the table cannot say about its attributes.
    pub(crate) check: fn(&mut Reporter, &Values<'_>),
    /// The process over nodes with these material coordinates, or what is wrong with it.
    pub(crate) make: fn(&Process, &[[f64; 3]]) -> Result<ProcessKind, String>,
}

impl ProcessType {
    const fn new(
        name: &'static str,
        summary: &'static str,
        make: fn(&Process, &[[f64; 3]]) -> Result<ProcessKind, String>,
    ) -> Self {
        Self {
            word: Word { name, summary },
            check: |_, _| {},
            make,
        }
    }

    const fn check(mut self, check: fn(&mut Reporter, &Values<'_>)) -> Self {
        self.check = check;
        self
    }
}

/// All kinds of process.
pub static PROCESSES: [ProcessType; 8] = [
    viscoelastic::MAXWELL,
    viscoelastic::VOIGT,
    viscoelastic::FOUR_UNIT,
    viscoelastic::PRONY,
    plastic::PLASTIC,
    fracture::FRACTURE,
    heat::HEAT,
    fluid::FLUID,
];

static WORDS: [Word; PROCESSES.len()] = {
    let mut words = [Word::plain(""); PROCESSES.len()];
    let mut i = 0;
    while i < words.len() {
        words[i] = PROCESSES[i].word;
        i += 1;
    }
    words
};

/// Where `Plastic` and `Fracture` begin.
const LIMIT: &[Attribute] = &[Attribute::required(
    "limit",
    Kind::Number(Range::POSITIVE),
    "Where yielding or breaking begins: a ratio of lengths, or a stress in newtons (over a \
         mesh in pascals).",
)
.when("type", &["Plastic", "Fracture"])];

/// A process of a body.
pub static PROCESS: Element = Element {
    name: "Process",
    doc: "What makes a body more than elastic; several work one after the other. They act on \
          strains, which are ratios: relative elongation, half the angle of shear, and for bending \
          curvature times half the spacing of the grid. Bodies with processes need \
          energy=\"Exact\". Solids of tetrahedra can have `Maxwell`, `FourUnit`, `Prony`, \
          `Plastic`, `Heat` without melting, and `Fracture`, which parts them along the faces of \
          elements; their stresses are in pascals. Solids of tetrahedra are refused three things that grids have. \
          `Voigt`: `beta` of `Elastic` resists the rate of strain in the same way, for every strain. Tresca's \
          criterion of `Plastic`: flow would jump between the edges of its hexagon; von Mises' differs from it by 15 % \
          at most. `Plastic` together with `Maxwell`, `FourUnit` or `Prony`: the stresses of viscoelastic branches act \
          beside the elastic one, and which of them reaches the limit is not defined; `delay` of `Plastic` makes flow \
          itself viscous.",
    attributes: &[Attribute::required(
        "type",
        Kind::Named(&WORDS),
        "What happens.",
    )],
    groups: &[
        FOR_SOME_TIME,
        viscoelastic::DASHPOT,
        viscoelastic::SERIES,
        LIMIT,
        plastic::ATTRIBUTES,
        fracture::ATTRIBUTES,
        heat::ATTRIBUTES,
        fluid::ATTRIBUTES,
    ],
    children: &[Child::new(&BRANCH, Occurs::Many)],
    example: r#"<Process type="Fracture" limit="0.3" spread="0.2" seed="7" />"#,
    ..Element::NEW
};
