//! The features that can touch: those of bodies and those of obstacles, over one list of vertices.
//!
//! Vertices are the nodes of all bodies, one body after the other, then the vertices of obstacles. An
//! obstacle that has a shape of points, edges and triangles is met by faces and edges as another body is;
//! one that has none (a plane, a surface without end), or whose penalties a body has asked for, is met by
//! nodes (`obstacle_contact.rs`).

use super::flat_faces::FlatFaces;
use super::self_distance::SelfDistances;
use crate::body::{Body, ContactFeatures};
use crate::contact::{ContactMethod, PairContactSettings};
use crate::obstacle::{ContactShape, Obstacle};
use glam::DVec3;
use pliant_proximity::{Complex, Pair, PairKind, Rules, Search, closest};
use std::sync::Arc;

/// How far a plane reaches that rigid bodies meet, by the size of the scene.
const LARGE: f64 = 1e3;

/// The features of a world; see the module.
pub(super) struct PairFeatures {
    search: Search,
    /// The first vertex of each body, and the number of all nodes.
    pub(super) first: Vec<usize>,
    /// The body of each vertex; obstacles are counted on after the bodies.
    pub(super) body_of: Vec<u32>,
    /// Places at rest.
    pub(super) rest: Vec<DVec3>,
    /// The radius about each vertex, in metres.
    radii: Vec<f64>,
    /// Four nodes of each body that carry its frame, if it is rigid.
    frames: Vec<Option<[u32; 4]>>,
    /// Faces of rigid shapes.
    faces: FlatFaces,
    /// Whether each vertex belongs to a triangle.
    in_triangle: Vec<bool>,
    selves: SelfDistances,
    /// Scratch memory: whether each body may meet itself.
    may_meet: Vec<bool>,
    /// How far from each other pieces of each body begin that were one, in metres.
    gaps: Vec<f64>,
    /// What each body keeps from obstacles, in metres, and its friction with them.
    kept: Vec<f64>,
    frictions: Vec<f64>,
    /// The same of restitution, then those of obstacles.
    restitutions: Vec<f64>,
    /// Obstacles that each body meets with its nodes.
    pub(super) met_by_nodes: Arc<[Vec<usize>]>,
    friction_of_bodies: f64,
    /// Mean length of the edges of the finest body at rest, in metres; zero if none has edges.
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
        let mut frames = Vec::new();
        let mut gaps = Vec::new();
        for (index, body) in bodies.iter().enumerate() {
            let base = parts.rest.len() as u32;
            let (frame, gap) = parts.add_body(index, body, settings.meets);
            gaps.push(gap);
            frames.push(frame.map(|nodes| nodes.map(|node| base + node)));
            first.push(parts.rest.len());
            let meets_itself = settings.with_itself && body.can_meet_itself();
            if !meets_itself || frames[index].is_some() {
                rules.without_self.push(index as u32);
            }
        }
        for &[a, b] in &settings.exceptions {
            match a == b {
                true => rules.without_self.push(a as u32),
                false => rules.apart.push([a as u32, b as u32]),
            }
        }
        let met_by_nodes = parts.add_obstacles(bodies, obstacles, &frames, &mut rules, settings);
        let settings_of = |body: &Body| body.description().contact;
        let kept: Vec<f64> = bodies.iter().map(|b| settings_of(b).thickness).collect();
        let farthest = kept.iter().copied().fold(0.0, f64::max);
        let nodes = first[bodies.len()];
        let mut reaching = parts.radii.clone();
        reaching[nodes..].iter_mut().for_each(|r| *r += farthest);
        let of_bodies = bodies.iter().map(|body| settings_of(body).friction);
        let frictions = of_bodies.chain(obstacles.iter().map(|obstacle| obstacle.friction));
        let of_bodies = bodies.iter().map(|body| settings_of(body).restitution);
        let restitutions = of_bodies.chain(obstacles.iter().map(|obstacle| obstacle.restitution));
        let spacing = parts.smallest_mean_edge(bodies.len());
        let is_rigid = |t: &&[u32; 3]| {
            let body = parts.body_of[t[0] as usize] as usize;
            frames.get(body).is_none_or(Option::is_some)
        };
        let faces = FlatFaces::new(parts.triangles.iter().filter(is_rigid), &parts.rest);
        let in_triangle = parts.in_triangle();
        let mut complex = Complex::of_parts(
            parts.triangles,
            &parts.lines,
            &parts.points,
            parts.body_of.clone(),
            parts.still,
        );
        let is_edge = |edge: &[u32; 2]| !faces.inner_sides.contains(edge);
        complex.edges.retain(is_edge);
        let search = Search::new(&complex, &rules).expect("features are those of bodies");
        let mut search = search.with_radii(reaching);
        let (body_of, rest) = (&parts.body_of, &parts.rest);
        let selves = SelfDistances::new(&mut search, body_of, rest, bodies.len(), spacing);
        Self {
            search,
            selves,
            may_meet: Vec::new(),
            first,
            body_of: parts.body_of,
            rest: parts.rest,
            radii: parts.radii,
            frames,
            faces,
            in_triangle,
            gaps,
            kept,
            frictions: frictions.collect(),
            restitutions: restitutions.collect(),
            met_by_nodes: met_by_nodes.into(),
            friction_of_bodies: settings.friction,
            spacing,
        }
    }

    /// Says which bodies move.
    pub(super) fn wake(&mut self, moves: impl Fn(usize) -> bool) {
        self.search.wake(|group| moves(group as usize));
    }

    /// Finds the pairs that may come within `reach` of each other on the way between two places.
    pub(super) fn find(&mut self, ways: [&[DVec3]; 2], reach: f64, pairs: &mut Vec<Pair>) {
        let mut may_meet = std::mem::take(&mut self.may_meet);
        may_meet.clear();
        may_meet.extend((0..self.kept.len()).map(|body| {
            let range = self.first[body]..self.first[body + 1];
            self.selves.may_meet(body, range, reach, &self.rest, ways)
        }));
        self.search
            .wake_selves(|group| may_meet.get(group as usize).is_none_or(|may| *may));
        self.may_meet = may_meet;
        self.search.update(ways[0], ways[1], reach, pairs);
    }

    /// The same between different bodies, roughly: some pairs stay apart.
    pub(super) fn find_between(&mut self, ways: [&[DVec3]; 2], reach: f64, pairs: &mut Vec<Pair>) {
        self.search.wake_selves(|_| false);
        self.search.update_by_boxes(ways[0], ways[1], reach, pairs);
    }

    /// Four nodes that carry the frame of the rigid body to which a vertex with a radius belongs, and the
    /// radius.
    pub(super) fn round_frame(&self, vertex: u32) -> Option<([u32; 4], f64)> {
        let radius = self.radii[vertex as usize];
        let frame = *self.frames.get(self.body_of[vertex as usize] as usize)?;
        (radius > 0.0).then_some((frame?, radius))
    }

    /// Whether a point is nearer to another triangle of the same flat face, at `distance` squared from
    /// this one, so that the other pushes it.
    pub(super) fn has_nearer_mate(&self, pair: &Pair, distance: f64, places: &[DVec3]) -> bool {
        self.mates_of(pair).any(|mate| {
            let other = closest(mate.kind, &mate.gather(places)).squared_distance;
            other < distance || (other == distance && mate < *pair)
        })
    }

    /// The pairs of a point with the triangles next to its own in the same flat face.
    pub(super) fn mates_of(&self, pair: &Pair) -> impl Iterator<Item = Pair> {
        let [point, a, b, c] = pair.nodes;
        let mates = match pair.kind {
            PairKind::PointTriangle => self.faces.mates([a, b, c]),
            _ => &[],
        };
        mates
            .iter()
            .map(move |mate| Pair::point_triangle(point, *mate))
    }

    /// Whether an edge of a pair of edges is that of no triangle, so that its ends have pairs with edges alone.
    pub(super) fn has_lone_edge(&self, pair: &Pair) -> bool {
        let lone = |nodes: [u32; 2]| nodes.iter().any(|&node| !self.in_triangle[node as usize]);
        let [a, b, c, d] = pair.nodes;
        lone([a, b]) || lone([c, d])
    }

    /// How far from each other pieces of a body begin that were one, in metres.
    pub(super) fn gap(&self, body: usize) -> f64 {
        self.gaps.get(body).copied().unwrap_or(0.0)
    }

    /// Whether a body, or what is counted on after the bodies, is rigid.
    pub(super) fn is_rigid(&self, body: usize) -> bool {
        self.frames.get(body).is_none_or(Option::is_some)
    }

    /// The coefficient of restitution of a pair: that of rigid bodies with each other and with obstacles.
    /// What is soft rebounds by its elasticity.
    pub(super) fn restitution(&self, pair: &Pair) -> f64 {
        let [first, second] = pair.features();
        let sides = [first[0], second[0]].map(|v| self.body_of[v as usize] as usize);
        if !sides.iter().all(|&side| self.is_rigid(side)) {
            return 0.0;
        }
        self.restitutions[sides[0]].max(self.restitutions[sides[1]])
    }

    /// The radii about both features of a pair, in metres, and their friction.
    pub(super) fn radius_and_friction(&self, pair: &Pair) -> (f64, f64) {
        let ends = [0, pair.kind.first_count()].map(|k| pair.nodes[k]);
        let [a, b] = ends.map(|vertex| self.body_of[vertex as usize] as usize);
        let radius: f64 = ends.iter().map(|&v| self.radii[v as usize]).sum();
        let bodies = self.kept.len();
        let kept = match (a < bodies, b < bodies) {
            // Pairs of two obstacles do not move and are not there.
            (true, true) => 0.0,
            (true, false) => self.kept[a],
            _ => self.kept.get(b).copied().unwrap_or(0.0),
        };
        let friction = self.frictions[a].max(self.frictions[b]);
        (radius + kept, friction.max(self.friction_of_bodies))
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
    /// Four nodes that carry the frame of the body, if it is rigid, and the gap of pieces that were one.
    fn add_body(&mut self, index: usize, body: &Body, meets: bool) -> (Option<[u32; 4]>, f64) {
        let base = self.rest.len() as u32;
        let mut features = body.formulation().contact_features(body);
        if !meets {
            features = ContactFeatures {
                frame: features.frame,
                ..ContactFeatures::default()
            };
        }
        self.triangles
            .extend(features.triangles.iter().map(|t| t.map(|node| base + node)));
        self.lines
            .extend(features.lines.iter().map(|l| l.map(|node| base + node)));
        self.points
            .extend(features.points.iter().map(|node| base + node));
        self.radii.extend(features.radii);
        self.rest
            .extend_from_slice(&body.description().rest_positions);
        self.close(index as u32, body.quarantine.is_some());
        (features.frame, features.gap)
    }

    /// Adds obstacles, and rules for those that a body does not meet by faces; returns the obstacles that
    /// each body meets with its nodes.
    fn add_obstacles(
        &mut self,
        bodies: &[Body],
        obstacles: &[Obstacle],
        frames: &[Option<[u32; 4]>],
        rules: &mut Rules,
        settings: &PairContactSettings,
    ) -> Vec<Vec<usize>> {
        let sizes = self.rest.iter().map(|x| x.abs().max_element());
        let reach = LARGE * sizes.fold(1.0, f64::max);
        let mut met_by_nodes = vec![Vec::new(); bodies.len()];
        for (index, obstacle) in obstacles.iter().enumerate() {
            let group = (bodies.len() + index) as u32;
            let shape = obstacle.contact_shape_within(settings.facet_depth());
            let is_flat = shape.is_none();
            let shape = shape.or_else(|| obstacle.flat_shape(reach));
            let shape = shape.filter(|_| settings.meets);
            let has_shape = shape.is_some();
            self.add_obstacle(group, shape.unwrap_or_default());
            for (place, body) in bodies.iter().enumerate() {
                let description = body.description();
                let meets = description.collides_with.contains(&index);
                let is_hard = description.contact.method == ContactMethod::Projection;
                let may = has_shape && !settings.by_nodes.contains(&[place, index]);
                let by_faces = is_hard && may && (frames[place].is_some() || !is_flat);
                if meets && !by_faces {
                    met_by_nodes[place].push(index);
                }
                if !(meets && by_faces) {
                    rules.apart.push([place as u32, group]);
                }
            }
        }
        met_by_nodes
    }

    fn add_obstacle(&mut self, group: u32, shape: ContactShape) {
        let base = self.rest.len() as u32;
        let triangles = shape.triangles.iter();
        self.triangles
            .extend(triangles.map(|t| t.map(|v| base + v)));
        self.lines
            .extend(shape.edges.iter().map(|e| e.map(|v| base + v)));
        self.points.extend(shape.points.iter().map(|v| base + v));
        self.rest.extend(shape.vertices);
        self.radii.extend(shape.radii);
        self.close(group, true);
    }

    /// Whether each vertex belongs to a triangle.
    fn in_triangle(&self) -> Vec<bool> {
        let mut belongs = vec![false; self.rest.len()];
        for &vertex in self.triangles.iter().flatten() {
            belongs[vertex as usize] = true;
        }
        belongs
    }

    /// The smallest mean length of the edges of a body, of which there are so many, in metres; zero if
    /// none has edges. One huge body must not let all others reach far.
    fn smallest_mean_edge(&self, bodies: usize) -> f64 {
        let sides = self
            .triangles
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut sums = vec![(0.0, 0_usize); bodies];
        for [a, b] in sides.chain(self.lines.iter().copied()) {
            if let Some((sum, count)) = sums.get_mut(self.body_of[a as usize] as usize) {
                *sum += self.rest[a as usize].distance(self.rest[b as usize]);
                *count += 1;
            }
        }
        let means = sums.iter().filter(|(_, count)| *count > 0);
        let means = means.map(|(sum, count)| sum / *count as f64);
        let smallest = means.fold(f64::INFINITY, f64::min);
        if smallest.is_finite() { smallest } else { 0.0 }
    }

    /// Fills what is said of each vertex for those of the last body.
    fn close(&mut self, group: u32, still: bool) {
        let count = self.rest.len();
        self.radii.resize(count, 0.0);
        self.body_of.resize(count, group);
        self.still.resize(count, still);
    }
}
