//! ChainMail: fast, geometric deformation of very many elements, without forces or time.
//!
//! [`Mail`] is the algorithm, the formulation of that name makes a body of it, which
//! `MailMover` moves.

mod mail;
mod mover;
#[cfg(test)]
mod tests;

pub use mail::{LinkLimits, Mail};
pub(crate) use mover::{Cutting, MailMemory, MailMover, MailSettings};
