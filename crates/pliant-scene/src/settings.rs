//! The values of an element's attributes: checked, with defaults filled in.

use crate::expression::Expression;
use crate::language::{Attribute, Kind};
use crate::value::Value;
use glam::DVec3;

/// The values of an element's attributes.
///
/// The getters give a harmless value for an attribute that is missing or wrong: the mistake has
/// been reported, so that the scene is refused in the end, and reading goes on to find the next.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub(crate) entries: Vec<Entry>,
}

/// An attribute and its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) attribute: &'static Attribute,
    pub(crate) value: Option<Value>,
    pub(crate) given: bool,
}

impl Settings {
    fn value(&self, name: &str) -> Option<&Value> {
        let entry = self
            .entries
            .iter()
            .find(|entry| entry.attribute.name == name)?;
        entry.value.as_ref()
    }

    /// Whether the file (or an override) gives the attribute, rightly or wrongly.
    pub fn is_given(&self, name: &str) -> bool {
        self.entries
            .iter()
            .any(|entry| entry.attribute.name == name && entry.given)
    }

    /// The first attribute that is given by a formula.
    pub(crate) fn formula(&self) -> Option<&'static str> {
        let mut given = self.entries.iter().filter(|entry| entry.given);
        let formula = given.find(|entry| entry.attribute.kind == Kind::Rule)?;
        Some(formula.attribute.name)
    }

    /// A number, if there is one.
    pub fn optional_number(&self, name: &str) -> Option<f64> {
        match self.value(name) {
            Some(&Value::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// A number; 1 stands for one that is wrong.
    pub fn number(&self, name: &str) -> f64 {
        self.optional_number(name).unwrap_or(1.0)
    }

    /// A whole number, if there is one.
    pub fn optional_count(&self, name: &str) -> Option<u32> {
        match self.value(name) {
            Some(&Value::Count(count)) => Some(count),
            _ => None,
        }
    }

    /// A whole number; 1 stands for one that is wrong.
    pub fn count(&self, name: &str) -> u32 {
        self.optional_count(name).unwrap_or(1)
    }

    /// Yes or No, if it is given.
    pub fn optional_boolean(&self, name: &str) -> Option<bool> {
        match self.value(name) {
            Some(&Value::Boolean(boolean)) => Some(boolean),
            _ => None,
        }
    }

    /// Yes or No; No if it is not given.
    pub fn boolean(&self, name: &str) -> bool {
        self.optional_boolean(name).unwrap_or(false)
    }

    /// A vector, if there is one.
    pub fn optional_vector(&self, name: &str) -> Option<DVec3> {
        match self.value(name) {
            Some(&Value::Vector(vector)) => Some(vector),
            _ => None,
        }
    }

    /// A vector; the unit vector along z stands for one that is wrong.
    pub fn vector(&self, name: &str) -> DVec3 {
        self.optional_vector(name).unwrap_or(DVec3::Z)
    }

    /// One of the words of the language.
    pub fn word(&self, name: &str) -> Option<&'static str> {
        match self.value(name) {
            Some(&Value::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// The choice that a word names; the default stands for one that is wrong.
    pub fn choice<T: Default>(&self, name: &str, of: fn(&str) -> Option<T>) -> T {
        self.word(name).and_then(of).unwrap_or_default()
    }

    /// A name, a path.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.value(name) {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Counts or indices.
    pub fn indices(&self, name: &str) -> Option<&[u32]> {
        match self.value(name) {
            Some(Value::Indices(indices)) => Some(indices),
            _ => None,
        }
    }

    /// The rows of a matrix.
    pub fn matrix(&self, name: &str) -> Option<&[Vec<f64>]> {
        match self.value(name) {
            Some(Value::Matrix(rows)) => Some(rows),
            _ => None,
        }
    }

    /// A formula.
    pub fn rule(&self, name: &str) -> Option<&Expression> {
        match self.value(name) {
            Some(Value::Rule(rule)) => Some(rule),
            _ => None,
        }
    }
}
