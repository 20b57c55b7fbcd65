//! The scene language as one table: every element, its attributes, its children, what they mean
//! and an example of each.
//!
//! The parser's checks, the schema (`docs/scene.xsd`) and the reference
//! (`docs/scene-language.md`) all come from this table. The elements and attributes of
//! \[Thesis\] section 4.4 keep their names, meanings and defaults; additions follow its
//! conventions (CamelCase elements, lower-case one-word attributes, "Yes" and "No", vectors in
//! brackets).

mod bodies;
mod body_properties;
mod configuration;
mod fit_properties;
mod forces;
mod image_forces;
mod joints;
mod kind;
mod materials;
mod meshes;
mod modelled_bodies;
mod muscles;
mod nurbs_properties;
mod objects;
mod operators;
mod particles;
mod picture;
mod processes;
mod range;
mod shapes;
mod solids;
mod streams;
pub(crate) mod time_span;
mod volume_forces;

pub use bodies::{BODY, DEFORMABLE_BODIES};
pub use configuration::{
    BIND, CAMERA, CONFIGURATION, CONTACT, DESCRIPTION, EXPECTED, LIGHT, PROPERTIES, SIMULATION,
    WITHOUT,
};
pub(crate) use forces::file_of;
pub use forces::{EXTERNAL_FORCES, FORCE};
pub use joints::{JOINT, JOINTS, PLACE};
pub use kind::Kind;
pub use materials::{FINISHES, MATERIAL, MATERIAL_CONTAINER, PATTERNS};
pub use meshes::{CORE, ELASTIC, FIXED, MESH, MESH_FILES, POSE, RECTANGLE, SKIN, ZONE};
pub use muscles::MUSCLE;
pub(crate) use objects::pose_of;
pub use objects::{OBJECT, PART, RIGID_OBJECTS};
pub use operators::{BEND, CONTROL, LATTICE, MOVE, OPERATORS, STRETCH, TAPER, TWIST};
pub use particles::{ALL, FIELD, PARTICLES, REGION, SINGLE};
pub use picture::{LARGEST_SIDE, MOST_MOMENTS, PICTURE};
pub use processes::{BRANCH, PROCESS, PROCESSES, ProcessType};
pub use range::Range;
pub use shapes::{INITIAL_SHAPE, NATURAL_SHAPE, NODE};
pub use solids::{
    BAR, BOX, CAPSULE, DIFFERENCE, ELLIPSOID, HOUND, INTERSECTION, RABBIT, SOLIDS, SPHERE,
    SUPERQUADRIC, TORUS, TUBE, UNION,
};

use crate::diagnostics::Reporter;
use crate::parse::Values;
use crate::settings::Settings;
use crate::value::Value;
use pliant::BodyDescription;
use pliant::choice::Word;
use pliant::force::NodalForce;
use pliant::obstacle::{ImplicitSurface, ObstacleError, Part};
use std::error::Error;
use std::sync::Arc;

/// Whether an attribute must be given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Presence {
    /// It must be given.
    Required,
    /// It may be left out, which means something of its own.
    Optional,
    /// It may be left out; then this value counts.
    Default(&'static str),
}

/// An attribute that is used only if another attribute has one of certain values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct When {
    /// The other attribute, of the same element.
    pub attribute: &'static str,
    /// Its values.
    pub values: &'static [&'static str],
}

/// Puts the value of an attribute into the description of a body.
pub(crate) type Setter = fn(&Value, &mut BodyDescription);

/// One attribute of an element.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: &'static str,
    /// What its value looks like.
    pub kind: Kind,
    /// Whether it must be given.
    pub presence: Presence,
    /// The condition under which it is used.
    pub when: Option<When>,
    /// Whether it is of the published language, rather than an addition.
    pub published: bool,
    /// What it means, with its unit.
    pub doc: &'static str,
    /// What it sets in the engine, where it belongs to a body and needs nothing else.
    pub(crate) sets: Option<Setter>,
}

impl Attribute {
    const fn new(
        name: &'static str,
        kind: Kind,
        presence: Presence,
        published: bool,
        doc: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            presence,
            when: None,
            published,
            doc,
            sets: None,
        }
    }

    const fn required(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self::new(name, kind, Presence::Required, false, doc)
    }

    const fn optional(name: &'static str, kind: Kind, doc: &'static str) -> Self {
        Self::new(name, kind, Presence::Optional, false, doc)
    }

    const fn or(name: &'static str, kind: Kind, default: &'static str, doc: &'static str) -> Self {
        Self::new(name, kind, Presence::Default(default), false, doc)
    }

    const fn published(mut self) -> Self {
        self.published = true;
        self
    }

    const fn sets(mut self, setter: Setter) -> Self {
        self.sets = Some(setter);
        self
    }

    /// What it means, and what each of its words does.
    pub fn explanation(&self) -> String {
        let mut text = self.doc.to_owned();
        if let Kind::Named(words) = self.kind {
            for Word { name, summary } in words {
                text.push_str(&format!(" `{name}`: {summary}"));
            }
        }
        text
    }

    const fn when(mut self, attribute: &'static str, values: &'static [&'static str]) -> Self {
        self.when = Some(When { attribute, values });
        self
    }
}

/// How often a child may stand in its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occurs {
    /// Exactly once.
    Once,
    /// Once or not at all.
    Maybe,
    /// Any number of times.
    Many,
    /// At least once; only the first counts.
    First,
}

/// A child of an element.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// The element.
    pub element: &'static Element,
    /// How often it may stand there.
    pub occurs: Occurs,
    /// The one type of the parent that has it.
    pub only: Option<&'static str>,
    /// The one type of the parent that has it not.
    pub except: Option<&'static str>,
}

impl Child {
    const fn new(element: &'static Element, occurs: Occurs) -> Self {
        Self {
            element,
            occurs,
            only: None,
            except: None,
        }
    }

    const fn only(mut self, parent_type: &'static str) -> Self {
        self.only = Some(parent_type);
        self
    }

    const fn except(mut self, parent_type: &'static str) -> Self {
        self.except = Some(parent_type);
        self
    }

    /// Whether it may stand in a parent of a type; of an unknown type, every child may.
    pub fn belongs_to(&self, parent_type: Option<&str>) -> bool {
        parent_type.is_none_or(|parent_type| {
            self.only.is_none_or(|only| only == parent_type)
                && self.except.is_none_or(|except| except != parent_type)
        })
    }
}

/// One type of an element whose `Properties` depend on its `type` attribute.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The value of `type`.
    pub name: &'static str,
    /// The value of `model` the type belongs to, for bodies.
    pub model: Option<&'static str>,
    /// What it is.
    pub doc: &'static str,
    /// The attributes of its `Properties`, in groups that types share.
    pub attributes: &'static [&'static [Attribute]],
    /// A minimal example of the whole element; empty where the element's own example shows it.
    pub example: &'static str,
    /// What it makes of its attributes.
    pub(crate) makes: Makes,
}

type MakeForce = fn(&mut Reporter, &Values<'_>) -> Result<Arc<dyn NodalForce>, Box<dyn Error>>;
type MakeSurface = fn(&Settings, Vec<Part>) -> Result<Box<dyn ImplicitSurface>, ObstacleError>;

/// What a type makes of the attributes of its `Properties`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Makes {
    /// What the element it belongs to makes of every type.
    Nothing,
    /// A force.
    Force(MakeForce),
    /// The surface of an obstacle about its own origin; a union makes it of its parts.
    Surface(MakeSurface),
}

impl Variant {
    const NEW: Self = Self {
        name: "",
        model: None,
        doc: "",
        attributes: &[],
        example: "",
        makes: Makes::Nothing,
    };

    /// All attributes of the type's `Properties`.
    pub fn properties(&self) -> impl Iterator<Item = &'static Attribute> + use<> {
        self.attributes.iter().flat_map(|group| group.iter())
    }
}

/// One element of the language.
#[derive(Debug)]
pub struct Element {
    /// Its name.
    pub name: &'static str,
    /// Whether it is of the published language, rather than an addition.
    pub published: bool,
    /// What it is.
    pub doc: &'static str,
    /// Its own attributes.
    pub attributes: &'static [Attribute],
    /// More of its own attributes, in groups that belong to one of its kinds.
    pub groups: &'static [&'static [Attribute]],
    /// What may stand inside it, in any order.
    pub children: &'static [Child],
    /// Its types, if its `Properties` depend on one.
    pub variants: &'static [Variant],
    /// Whether it holds text.
    pub text: bool,
    /// A minimal example; empty where the types have their own.
    pub example: &'static str,
}

impl Element {
    const NEW: Self = Self {
        name: "",
        published: false,
        doc: "",
        attributes: &[],
        groups: &[],
        children: &[],
        variants: &[],
        text: false,
        example: "",
    };

    /// All of its own attributes.
    pub fn own_attributes(&self) -> impl Iterator<Item = &'static Attribute> + use<> {
        let groups = self.groups.iter().flat_map(|group| group.iter());
        self.attributes.iter().chain(groups)
    }

    /// The type of a name (for bodies: of the model).
    pub fn variant(&self, name: &str, model: Option<&str>) -> Option<&'static Variant> {
        self.variants
            .iter()
            .find(|variant| variant.name == name && (model.is_none() || variant.model == model))
    }

    /// The attributes of `Properties` over all types, each once.
    pub fn all_properties(&self) -> Vec<&'static Attribute> {
        let mut all: Vec<&'static Attribute> = Vec::new();
        for attribute in self.variants.iter().flat_map(Variant::properties) {
            if !all.iter().any(|known| known.name == attribute.name) {
                all.push(attribute);
            }
        }
        all
    }
}

/// Every element, each once (`Properties` and `Bind` are shared), in the order of reading: an
/// element is followed by what it holds.
pub fn elements() -> Vec<&'static Element> {
    let mut found = Vec::new();
    gather(&CONFIGURATION, &mut found);
    found
}

fn gather(element: &'static Element, found: &mut Vec<&'static Element>) {
    if found.iter().any(|known| known.name == element.name) {
        return;
    }
    found.push(element);
    for child in element.children {
        gather(child.element, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_conventions() {
        for element in elements() {
            assert!(element.name.starts_with(|c: char| c.is_ascii_uppercase()));
            assert!(!element.doc.is_empty(), "{} has no text", element.name);
            let on_element = element.own_attributes();
            let properties = element.variants.iter().flat_map(Variant::properties);
            for attribute in on_element.chain(properties) {
                let name = attribute.name;
                assert!(
                    name.chars()
                        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()),
                    "{name}"
                );
                assert!(attribute.doc.ends_with('.'), "{name}: {}", attribute.doc);
            }
        }
    }

    #[test]
    fn no_attribute_stands_twice_in_a_list() {
        for element in elements() {
            for variant in element.variants {
                let mut names: Vec<&str> = variant.properties().map(|a| a.name).collect();
                names.sort_unstable();
                let count = names.len();
                names.dedup();
                assert_eq!(names.len(), count, "{} {}", element.name, variant.name);
            }
        }
    }
}
