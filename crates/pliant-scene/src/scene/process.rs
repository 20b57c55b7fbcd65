//! What makes a body more than elastic.

use crate::expression::Expression;

/// One process of a body and when it is at work.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// What happens.
    pub kind: ProcessKind,
    /// When it begins, in seconds.
    pub from: f64,
    /// When it ends, in seconds; infinite if it does not.
    pub until: f64,
}

/// What a process does; see the reference of the scene language.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum ProcessKind {
    Maxwell {
        time: f64,
        field: Option<Expression>,
        rate: f64,
        power: f64,
        swell: f64,
    },
    Voigt {
        time: f64,
        field: Option<Expression>,
    },
    FourUnit {
        relaxation: f64,
        retardation: f64,
        stiffness: f64,
    },
    Prony {
        branches: Vec<Branch>,
    },
    Plastic {
        criterion: Yield,
        limit: f64,
        hardening: f64,
        delay: f64,
    },
    Fracture {
        criterion: Breaks,
        limit: f64,
        spread: f64,
        seed: u32,
        count: u32,
        order: u32,
    },
    Heat(Box<Heat>),
    Fluid(Fluid),
}

impl ProcessKind {
    /// The attribute that varies by a formula, if one does.
    pub fn formula(&self) -> Option<&'static str> {
        match self {
            Self::Maxwell { field, .. } | Self::Voigt { field, .. } => {
                field.is_some().then_some("field")
            }
            Self::Heat(heat) if heat.warmth.is_some() => Some("warmth"),
            Self::Heat(heat) if heat.conducts.is_some() => Some("conducts"),
            _ => None,
        }
    }
}

/// A unit of a process of type `Prony`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Branch {
    /// The share of the stiffness that relaxes.
    pub share: f64,
    /// The time in which it relaxes, in seconds.
    pub time: f64,
}

/// Numbers of a process of type `Heat`; see the reference of the scene language.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Heat {
    pub temperature: f64,
    pub warmth: Option<Expression>,
    pub conductivity: f64,
    pub conducts: Option<Expression>,
    pub capacity: f64,
    pub exchange: f64,
    pub near: f64,
    pub air: f64,
    pub ambient: f64,
    pub softens: f64,
    pub soft: f64,
    pub melts: f64,
    pub solidifies: bool,
}

/// Numbers of a process of type `Fluid`; see the reference of the scene language.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Fluid {
    pub spacing: f64,
    pub repulsion: f64,
    pub attraction: f64,
    pub viscosity: f64,
    pub warms: f64,
    pub molten: bool,
}

/// What decides whether a body yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Yield {
    Deformation,
    VonMises,
    Tresca,
}

/// What decides whether a link breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Breaks {
    Elongation,
    Stress,
}
