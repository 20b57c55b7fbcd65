//! A simulation on this machine that browsers look at: one run, any number of pages.
//!
//! The simulation is on a thread of its own ([`Hub`]) and leaves its newest frame in a slot. Each page has
//! a connection with two threads ([`client`]): one reads requests, the other turns the newest frame into
//! bytes whenever the page has taken the last one. So a page costs the simulation nothing but the frame
//! that all of them share, and one that is slow or gone is dropped without anybody waiting for it.
//!
//! Pages may ask for what they like but for files of this machine: those are neither read nor written
//! (`permit`).

pub mod client;
mod hub;
mod permit;
pub mod serve;

pub use hub::Hub;
pub use permit::{MOST_MESSAGE, Permit};
