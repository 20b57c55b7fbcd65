//! The features that can touch: those of bodies and those of obstacles, over one list of vertices.
//!
//! Vertices are the nodes of all bodies, one body after the other, then the vertices of obstacles. An
//! obstacle that has a shape of points, edges and triangles is met by faces and edges as another body is;
//! one that has none (a plane, a surface without end), or whose penalties a body has asked for, is met by
//! nodes (`obstacle_contact.rs`).

use crate::body::Body;
use crate::contact::{ContactMethod, PairContactSettings};
use crate::obstacle::Obstacle;
use glam::DVec3;
use pliant_proximity::{Complex, Pair, Rules, Search};
use std::sync::Arc;

/// The features of a world; see the module.
pub(super) struct PairFeatures {
    pub(super) search: Search,
    /// The first vertex of each body, and the number of all nodes.
    pub(super) first: Vec<usize>,
    /// The body of each vertex; obstacles are counted on after the bodies.
    pub(super) body_of: Vec<u32>,
    /// Places at rest.
    pub(super) rest: Vec<DVec3>,
    /// The radius of obstacles about each of their vertices, in metres; zero for nodes.
    radii: Vec<f64>,
    /// What each body keeps from obstacles, in metres, and its friction with them.
    kept: Vec<f64>,
    frictions: Vec<f64>,
    /// Obstacles that each body meets with its nodes.
    pub(super) met_by_nodes: Arc<[Vec<usize>]>,
    friction_of_bodies: f64,
    /// Mean length of the edges of bodies at rest, in metres.
    pub(super) spacing: f64,
}

impl PairFeatures {
    /// Those of bodies and obstacles.
    pub(super) fn new(
        settings: &PairContactSettings,
        bodies: &[Body],
        obstacles: &[Obstacle],
    ) -> Self {
        let mut parts = Parts::default();
        let mut first = vec![0];
        let mut rules = Rules::default();
        for (index, body) in bodies.iter().enumerate() {
            parts.add_body(index, body);
            first.push(parts.rest.len());
            // Pieces of a body that breaks lie on each other where they part.
            if !settings.with_itself || !body.description().processes.is_empty() {
                rules.without_self.push(index as u32);
            }
        }
        for &[a, b] in &settings.exceptions {
            match a == b {
                true => rules.without_self.push(a as u32),
                false => rules.apart.push([a as u32, b as u32]),
            }
        }
        let mut met_by_nodes = vec![Vec::new(); bodies.len()];
        for (index, obstacle) in obstacles.iter().enumerate() {
            let group = (bodies.len() + index) as u32;
            let has_shape = parts.add_obstacle(group, obstacle);
            for (place, body) in bodies.iter().enumerate() {
                let description = body.description();
                let meets = description.collides_with.contains(&index);
                let is_hard = description.contact.method == ContactMethod::Projection;
                if meets && !(is_hard && has_shape) {
                    met_by_nodes[place].push(index);
                }
                if !(meets && is_hard) {
                    rules.apart.push([place as u32, group]);
                }
            }
        }
        let settings_of = |body: &Body| body.description().contact;
        let kept: Vec<f64> = bodies.iter().map(|b| settings_of(b).thickness).collect();
        let farthest = kept.iter().copied().fold(0.0, f64::max);
        let nodes = first[bodies.len()];
        let mut reaching = parts.radii.clone();
        reaching[nodes..].iter_mut().for_each(|r| *r += farthest);
        let own = bodies.iter().map(|body| settings_of(body).friction);
        let frictions = own.chain(obstacles.iter().map(|obstacle| obstacle.friction));
        let spacing = parts.mean_edge(nodes as u32);
        let complex = Complex::of_parts(
            parts.triangles,
            &parts.lines,
            &parts.points,
            parts.body_of.clone(),
            parts.still,
        );
        let search = Search::new(&complex, &rules).expect("features are those of bodies");
        Self {
            search: search.with_radii(reaching),
            first,
            body_of: parts.body_of,
            rest: parts.rest,
            radii: parts.radii,
            kept,
            frictions: frictions.collect(),
            met_by_nodes: met_by_nodes.into(),
            friction_of_bodies: settings.friction,
            spacing,
        }
    }

    /// The radii about both features of a pair, in metres, and their friction.
    pub(super) fn radius_and_friction(&self, pair: &Pair) -> (f64, f64) {
        let ends = [0, pair.kind.first_count()].map(|k| pair.nodes[k]);
        let [a, b] = ends.map(|vertex| self.body_of[vertex as usize] as usize);
        let bodies = self.kept.len();
        let (body, other, vertex) = match (a < bodies, b < bodies) {
            (true, true) => return (0.0, self.friction_of_bodies),
            (true, false) => (a, b, ends[1]),
            _ => (b, a, ends[0]),
        };
        // Pairs of two obstacles do not move and are not there.
        let kept = self.kept.get(body).copied().unwrap_or(0.0);
        let friction = self.frictions[body].max(self.frictions[other]);
        (self.radii[vertex as usize] + kept, friction)
    }
}

/// Features while they are collected.
#[derive(Default)]
struct Parts {
    rest: Vec<DVec3>,
    radii: Vec<f64>,
    body_of: Vec<u32>,
    still: Vec<bool>,
    triangles: Vec<[u32; 3]>,
    lines: Vec<[u32; 2]>,
    points: Vec<u32>,
}

impl Parts {
    fn add_body(&mut self, index: usize, body: &Body) {
        let base = self.rest.len() as u32;
        let topology = body.formulation().topology(body);
        // Triangles at poles and ends of closed grids may name a node twice.
        let whole = |t: &&[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        let own = topology.triangles.iter().filter(whole);
        self.triangles
            .extend(own.map(|t| t.map(|node| base + node)));
        let own = topology.lines.iter().filter(|line| line[0] != line[1]);
        self.lines.extend(own.map(|l| l.map(|node| base + node)));
        self.points
            .extend(topology.points.iter().map(|node| base + node));
        self.rest
            .extend_from_slice(&body.description().rest_positions);
        self.close(index as u32, body.quarantine.is_some());
    }

    /// Whether the obstacle has a shape.
    fn add_obstacle(&mut self, group: u32, obstacle: &Obstacle) -> bool {
        let Some(shape) = obstacle.contact_shape() else {
            return false;
        };
        let base = self.rest.len() as u32;
        let own = shape.triangles.iter();
        self.triangles.extend(own.map(|t| t.map(|v| base + v)));
        self.lines
            .extend(shape.edges.iter().map(|e| e.map(|v| base + v)));
        self.points.extend(shape.points.iter().map(|v| base + v));
        self.rest.extend(shape.vertices);
        self.radii.extend(shape.radii);
        self.close(group, true);
        true
    }

    /// Mean length of the edges between the first vertices, in metres.
    fn mean_edge(&self, count: u32) -> f64 {
        let sides = self
            .triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let edges = sides.chain(self.lines.iter().copied());
        let (mut sum, mut edge_count) = (0.0, 0_usize);
        for [a, b] in edges.filter(|edge| edge[0] < count) {
            sum += self.rest[a as usize].distance(self.rest[b as usize]);
            edge_count += 1;
        }
        sum / edge_count.max(1) as f64
    }

    /// Fills what is said of each vertex for those of the last body.
    fn close(&mut self, group: u32, still: bool) {
        let count = self.rest.len();
        self.radii.resize(count, 0.0);
        self.body_of.resize(count, group);
        self.still.resize(count, still);
    }
}
