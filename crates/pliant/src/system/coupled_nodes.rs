//! The nodes that contact and joints couple beside the matrices of bodies, and what couples them: what
//! `contact_sweeps.rs` sweeps over.
//!
//! ```text
//! C_ij = Σ w_i w_j B     over the links of both nodes, i ≠ j
//! ```
//!
//! A joint on a soft body has many nodes, each of which it couples with all others. Its share of C is kept as
//! the factors that it is made of ([`WideLink`]), with the mean motion Σ w_i z_i of its nodes, which every
//! node that moves keeps up to date: the work is that of its nodes, not of their pairs.
//!
//! Nodes that share an unknown (rigid parts, ties), nodes that obstacles hold, and bodies that are solved for
//! exactly (`small_bodies.rs`) are outside: they are ends of links, but not swept over.

use super::island::Member;
use super::pair_contact::PairContact;
use super::small_bodies::SmallBodies;
use super::sweep_rows::SweepRows;
use glam::{DMat3, DVec3};

/// A vertex that is not swept over.
const NONE: u32 = u32::MAX;

/// Links of more nodes than two features of contact have are wide.
const NARROW: usize = 4;

/// A node that is swept over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swept {
    vertex: u32,
    /// The member to which it belongs, and its row there.
    pub(super) member: u32,
    pub(super) row: u32,
    /// Its place among the unknowns of all members.
    pub(super) unknown: u32,
}

/// A node of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// The place in the order of the sweep, or the vertex if it is outside.
    pub(super) index: u32,
    pub(super) is_outside: bool,
    pub(super) weight: f64,
}

/// Nodes that something couples: a range of ends, and the block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    first: u32,
    last: u32,
    pub(super) block: DMat3,
}

/// A link of many nodes, and how far they have moved.
#[derive(Clone, Copy, Debug)]
struct WideLink {
    block: DMat3,
    /// Σ w_i z_i over the nodes that are swept over.
    moved: DVec3,
}

/// The nodes and what couples them; see the module.
#[derive(Debug, Default)]
pub(super) struct CoupledNodes {
    /// In the order of the sweep.
    pub(super) nodes: Vec<Swept>,
    /// The place of each vertex in that order.
    place_of: Vec<u32>,
    links: Vec<Link>,
    ends: Vec<End>,
    /// Places of the links with ends outside.
    outer_links: Vec<u32>,
    /// Links of each node: those of node i begin at `first_links[i]`.
    node_links: Vec<u32>,
    first_links: Vec<u32>,
    /// C without wide links.
    couplings: SweepRows,
    wide_links: Vec<WideLink>,
    /// The wide link of each link, or [`NONE`].
    wide_of: Vec<u32>,
    /// The wide links of node i begin at `first_wide[i]`, with the weight of the node in each.
    node_wide: Vec<(u32, f64)>,
    first_wide: Vec<u32>,
    /// Scratch memory: the coupling of a node with another, one more than its place.
    coupling_of: Vec<u32>,
    /// Where the unknowns of each member begin.
    pub(super) first: Vec<usize>,
    /// Members with ends of links outside.
    pub(super) outside: Vec<usize>,
}

impl CoupledNodes {
    /// Finds what is coupled; returns the number of unknowns of all members.
    pub(super) fn prepare(
        &mut self,
        members: &[Member],
        contact: &PairContact,
        small: &SmallBodies,
    ) -> usize {
        self.place_of.resize(contact.places.len(), NONE);
        self.first.clear();
        let mut count = 0;
        for member in members {
            self.first.push(count);
            count += member.mover.direction.len();
        }
        self.find_nodes(members, contact, small);
        if !self.nodes.is_empty() {
            self.list_links(members, contact);
            self.list_node_links();
            self.couple();
        }
        count
    }

    /// Lists the nodes that are swept over.
    fn find_nodes(&mut self, members: &[Member], contact: &PairContact, small: &SmallBodies) {
        for node in self.nodes.drain(..) {
            self.place_of[node.vertex as usize] = NONE;
        }
        for (nodes, _) in contact.links.iter() {
            let moving = nodes.iter().filter(|(vertex, _)| {
                let body = contact.features.body_of[*vertex as usize] as usize;
                member_of(members, body).is_some()
            });
            if moving.count() < 2 {
                continue;
            }
            for &(vertex, _) in nodes {
                let body = contact.features.body_of[vertex as usize] as usize;
                if self.place_of[vertex as usize] != NONE {
                    continue;
                }
                let Some(member) = member_of(members, body) else {
                    continue;
                };
                let row = vertex as usize - contact.range_of(body).start;
                let unknowns = &members[member].mover.unknowns;
                if unknowns.tied.is_some()
                    || unknowns.held[row]
                    || small.serves(&members[member])
                    || members[member].mover.contact.bounds.is_held(row)
                {
                    continue;
                }
                self.place_of[vertex as usize] = 0;
                self.nodes.push(Swept {
                    vertex,
                    member: member as u32,
                    row: row as u32,
                    unknown: (self.first[member] + row) as u32,
                });
            }
        }
        self.nodes.sort_unstable_by_key(|node| node.unknown);
        for (place, node) in (0..).zip(&self.nodes) {
            self.place_of[node.vertex as usize] = place;
        }
    }

    /// Lists the links that reach them, with their ends.
    fn list_links(&mut self, members: &[Member], contact: &PairContact) {
        self.ends.clear();
        self.links.clear();
        self.outer_links.clear();
        self.outside.clear();
        for (nodes, block) in contact.links.iter() {
            let first = self.ends.len();
            for &(vertex, weight) in nodes {
                let place = self.place_of[vertex as usize];
                let body = contact.features.body_of[vertex as usize] as usize;
                let Some(member) = member_of(members, body) else {
                    continue;
                };
                let is_outside = place == NONE;
                if is_outside {
                    self.outside.push(member);
                }
                self.ends.push(End {
                    index: if is_outside { vertex } else { place },
                    is_outside,
                    weight,
                });
            }
            let ends = &self.ends[first..];
            let outer = ends.iter().filter(|end| end.is_outside).count();
            if ends.len() < 2 || outer == ends.len() {
                self.ends.truncate(first);
                continue;
            }
            if outer > 0 {
                self.outer_links.push(self.links.len() as u32);
            }
            self.links.push(Link {
                first: first as u32,
                last: self.ends.len() as u32,
                block,
            });
        }
        self.outside.sort_unstable();
        self.outside.dedup();
    }

    /// The links of each node.
    fn list_node_links(&mut self) {
        let inner = self.ends.iter().filter(|end| !end.is_outside);
        self.first_links.clear();
        self.first_links.resize(self.nodes.len() + 1, 0);
        for end in inner.clone() {
            self.first_links[end.index as usize + 1] += 1;
        }
        for place in 0..self.nodes.len() {
            self.first_links[place + 1] += self.first_links[place];
        }
        self.node_links.clear();
        self.node_links.resize(inner.count(), 0);
        for (number, link) in (0..).zip(&self.links) {
            for end in &self.ends[link.first as usize..link.last as usize] {
                if !end.is_outside {
                    let next = &mut self.first_links[end.index as usize];
                    self.node_links[*next as usize] = number;
                    *next += 1;
                }
            }
        }
        // Every entry has gone on to where the next one begins.
        self.first_links.rotate_right(1);
        self.first_links[0] = 0;
    }

    /// The ends of each link of a node, with its block and the weight of the node.
    pub(super) fn links_of(&self, place: usize) -> impl Iterator<Item = (&[End], &DMat3, f64)> {
        let range = self.first_links[place] as usize..self.first_links[place + 1] as usize;
        self.node_links[range].iter().map(move |&link| {
            let link = &self.links[link as usize];
            let ends = &self.ends[link.first as usize..link.last as usize];
            let is_node = |end: &&End| !end.is_outside && end.index as usize == place;
            let weight = ends.iter().find(is_node).map_or(0.0, |end| end.weight);
            (ends, &link.block, weight)
        })
    }

    /// The ends and blocks of links with ends outside.
    pub(super) fn outer_links(&self) -> impl Iterator<Item = (&[End], &DMat3)> {
        self.outer_links.iter().map(|&link| {
            let link = &self.links[link as usize];
            let ends = &self.ends[link.first as usize..link.last as usize];
            (ends, &link.block)
        })
    }

    /// Adds up what couples each node with each other.
    fn couple(&mut self) {
        self.list_wide();
        let mut couplings = std::mem::take(&mut self.couplings);
        let mut coupling_of = std::mem::take(&mut self.coupling_of);
        couplings.clear();
        coupling_of.clear();
        coupling_of.resize(self.nodes.len(), 0);
        for place in 0..self.nodes.len() {
            let first = couplings.len() as u32;
            for (ends, block, weight) in self.links_of(place) {
                if ends.len() > NARROW {
                    continue;
                }
                let others = ends.iter().filter(|end| !end.is_outside);
                for end in others.filter(|end| end.index as usize != place) {
                    let known = &mut coupling_of[end.index as usize];
                    if *known <= first {
                        let unknown = self.nodes[end.index as usize].unknown;
                        *known = couplings.push(unknown, DMat3::ZERO) as u32 + 1;
                    }
                    couplings.add(*known as usize - 1, *block * (weight * end.weight));
                }
            }
            couplings.end_row();
        }
        self.couplings = couplings;
        self.coupling_of = coupling_of;
    }

    /// The links of many nodes.
    fn list_wide(&mut self) {
        self.wide_links.clear();
        self.wide_of.clear();
        for link in &self.links {
            let is_wide = (link.last - link.first) as usize > NARROW;
            self.wide_of.push(match is_wide {
                true => self.wide_links.len() as u32,
                false => NONE,
            });
            if is_wide {
                self.wide_links.push(WideLink {
                    block: link.block,
                    moved: DVec3::ZERO,
                });
            }
        }
        self.node_wide.clear();
        self.first_wide.clear();
        for place in 0..self.nodes.len() {
            self.first_wide.push(self.node_wide.len() as u32);
            let range = self.first_links[place] as usize..self.first_links[place + 1] as usize;
            for &number in &self.node_links[range] {
                let wide = self.wide_of[number as usize];
                if wide != NONE {
                    let link = &self.links[number as usize];
                    let ends = &self.ends[link.first as usize..link.last as usize];
                    let is_node = |end: &&End| !end.is_outside && end.index as usize == place;
                    let weight = ends.iter().find(is_node).map_or(0.0, |end| end.weight);
                    self.node_wide.push((wide, weight));
                }
            }
        }
        self.first_wide.push(self.node_wide.len() as u32);
    }

    /// The wide links of a node, with its weights.
    #[inline(always)]
    fn wide_of_node(&self, place: usize) -> &[(u32, f64)] {
        &self.node_wide[self.first_wide[place] as usize..self.first_wide[place + 1] as usize]
    }

    /// Finds how far the nodes of wide links have moved. [`CoupledNodes::moved`] keeps it up to date.
    pub(super) fn begin(&mut self, z: &[DVec3]) {
        if self.wide_links.is_empty() {
            return;
        }
        for link in &mut self.wide_links {
            link.moved = DVec3::ZERO;
        }
        for (place, node) in self.nodes.iter().enumerate() {
            let range = self.first_wide[place] as usize..self.first_wide[place + 1] as usize;
            for &(wide, weight) in &self.node_wide[range] {
                self.wide_links[wide as usize].moved += weight * z[node.unknown as usize];
            }
        }
    }

    /// Takes note of a motion of a node.
    #[inline(always)]
    pub(super) fn moved(&mut self, place: usize, by: DVec3) {
        let range = self.first_wide[place] as usize..self.first_wide[place + 1] as usize;
        for &(wide, weight) in &self.node_wide[range] {
            self.wide_links[wide as usize].moved += weight * by;
        }
    }

    /// What couplings answer to the motion of other nodes. [`CoupledNodes::begin`] comes first.
    #[inline(always)]
    pub(super) fn coupled(&self, place: usize, z: &[DVec3]) -> DVec3 {
        let mut sum = self.couplings.product(place, z);
        for &(wide, weight) in self.wide_of_node(place) {
            let WideLink { block, moved } = &self.wide_links[wide as usize];
            let motion = z[self.nodes[place].unknown as usize];
            sum += weight * (*block * (*moved - weight * motion));
        }
        sum
    }
}

/// The place of a body among members.
fn member_of(members: &[Member], body: usize) -> Option<usize> {
    members
        .binary_search_by(|member| member.body.cmp(&body))
        .ok()
}
