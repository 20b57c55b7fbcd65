//! The guarantee of contact between bodies: which pairs may come close, and how far all places may move
//! along straight lines before one of them does.

use super::groups::Groups;
use super::island::Member;
use super::pair_contact::PairContact;
use glam::DVec3;
use pliant_proximity::{Clearance, Pair, closest, free_fraction_with};

/// What is left of the gap of a pair after a motion that brings it closer.
const KEPT: f64 = 0.2;

/// How far vertices may go before candidates are searched for again, by the mean length of edges.
const SKIN: f64 = 0.1;

/// The share of its range within which a pair is for certain, whatever rounding does.
const WITHIN: f64 = 0.99;

/// Whether no vertex is farther from some places than the room to spare.
fn are_near(places: &[DVec3], others: &[DVec3], room: f64) -> bool {
    let mut pairs = places.iter().zip(others);
    pairs.all(|(a, b)| a.distance_squared(*b) <= room * room)
}

/// Whether no vertex is farther than the room to spare from where it is on a way at one moment, the same for
/// all.
fn is_on_way(places: &[DVec3], [from, to]: [&[DVec3]; 2], room: f64) -> bool {
    let (mut along, mut square) = (0.0, 0.0);
    for ((place, from), to) in places.iter().zip(from).zip(to) {
        along += (*place - *from).dot(*to - *from);
        square += to.distance_squared(*from);
    }
    let moment = if square > 0.0 {
        (along / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let mut all = places.iter().zip(from).zip(to);
    all.all(|((place, from), to)| place.distance_squared(from.lerp(*to, moment)) <= room * room)
}

impl PairContact {
    /// Forgets the candidates: what a step finds must not depend on the steps before. Those that were found
    /// for bodies that stand right here depend on nothing else.
    pub(super) fn begin_step(&mut self) {
        if !self.stands || self.anchor != self.places {
            self.skin = None;
        }
        // They depend on where the step begins.
        self.laws.fill(None);
        self.origin.copy_from_slice(&self.places);
    }

    /// Says which bodies move; all others stand.
    pub(super) fn awake(&mut self, members: impl Iterator<Item = usize>) {
        let marks = &mut self.marks;
        marks.fill(false);
        members.for_each(|body| marks[body] = true);
        if self.marks == self.moves {
            return;
        }
        std::mem::swap(&mut self.moves, &mut self.marks);
        let (moves, moved) = (&self.moves, &self.marks);
        let is_awake = |body: usize| moves.get(body).is_some_and(|moves| *moves);
        self.features.wake(is_awake);
        let are_fewer = moves.iter().zip(moved).all(|(now, before)| now <= before);
        if self.skin.is_none() || !(self.stands && are_fewer) {
            self.skin = None;
            return;
        }
        // The pairs of fewer bodies that stand are some of the pairs of more.
        let body_of = &self.features.body_of;
        let mut kept = 0;
        for index in 0..self.candidates.len() {
            let pair = self.candidates[index];
            let ends = [0, pair.kind.first_count()].map(|k| body_of[pair.nodes[k] as usize]);
            if ends.into_iter().any(|body| is_awake(body as usize)) {
                self.candidates[kept] = pair;
                self.known[kept] = self.known[index];
                self.laws[kept] = self.laws[index];
                kept += 1;
            }
        }
        self.candidates.truncate(kept);
        self.known.truncate(kept);
        self.laws.truncate(kept);
    }

    /// Puts bodies that may come within reach of each other on the way from `self.places` to `self.trial`
    /// into groups; the others are alone.
    pub(super) fn group(
        &mut self,
        moving: &[usize],
        spare: f64,
        joined: impl Iterator<Item = [usize; 2]>,
        groups: &mut Groups,
    ) {
        self.awake(moving.iter().copied());
        let reach = 2.0 * (self.settings.thickness + spare);
        let (from, to) = (&self.places, &self.trial);
        self.features
            .find_between([from, to], reach, &mut self.approaching);
        groups.begin(self.bodies());
        let near = self.approaching.iter().map(|pair| {
            let ends = [0, pair.kind.first_count()];
            ends.map(|k| self.features.body_of[pair.nodes[k] as usize] as usize)
        });
        for ends in near.chain(joined) {
            let both_move = ends.iter().all(|body| moving.binary_search(body).is_ok());
            if ends[0] != ends[1] && both_move {
                groups.connect(ends);
            }
        }
        groups.list(moving);
    }

    /// Of bodies that move from `self.places` to `self.trial` while all others stand, those that meet nothing
    /// on the way, not even themselves or an obstacle, and whatever part of their ways others go.
    pub(super) fn unmet(&mut self, moving: &[usize], unmet: &mut Vec<usize>) {
        unmet.clear();
        if moving.iter().all(|&body| self.touches_still(body)) {
            self.skin = None;
            self.candidates.clear();
            self.known.clear();
            return;
        }
        self.awake(moving.iter().copied());
        self.skin = None;
        self.anchor.copy_from_slice(&self.places);
        let thickness = self.settings.thickness;
        let ways = [&self.places[..], &self.trial[..]];
        self.features.find(ways, thickness, &mut self.candidates);
        self.know_distances();
        // Each goes by itself.
        let ways = self.trial.iter().zip(&self.anchor);
        for (gone, (trial, anchor)) in self.gone.iter_mut().zip(ways) {
            *gone = (*trial - *anchor).length();
        }
        // Which bodies meet something.
        let mut marks = std::mem::take(&mut self.marks);
        marks.fill(false);
        for (index, pair) in self.candidates.iter().enumerate() {
            if self.least(index) > self.law(pair).1 {
                continue;
            }
            for end in [0, pair.kind.first_count()] {
                let body = self.features.body_of[pair.nodes[end] as usize];
                if let Some(meets) = marks.get_mut(body as usize) {
                    *meets = true;
                }
            }
        }
        unmet.extend(moving.iter().copied().filter(|&body| !marks[body]));
        self.marks = marks;
    }

    /// Whether a pair that touched when it was last asked for tells without a search that a body meets something:
    /// at `self.places` it is within its range. Which pairs are remembered changes nothing but the time that
    /// this takes, since a search would find such a pair.
    fn touches_still(&self, body: usize) -> bool {
        let range = self.range_of(body);
        self.touching.iter().any(|touch| {
            let pair = &touch.pair;
            let is_of_body = |end: usize| range.contains(&(pair.nodes[end] as usize));
            // Others may stand for a pair and be in no search.
            if pair.kind.node_count() < 4 || !(is_of_body(0) || is_of_body(pair.kind.first_count()))
            {
                return false;
            }
            let near = closest(pair.kind, &pair.gather(&self.places));
            let (radius, _) = self.features.radius_and_friction(pair);
            let least = self.settings.thickness.min(self.law(pair).1);
            near.squared_distance.sqrt() - radius < WITHIN * least
        })
    }

    /// Bodies and obstacles that stand and are touched by those of a group that moves.
    pub(super) fn touched_others(&self, group: &[usize]) -> impl Iterator<Item = usize> {
        let ends = self.touching.iter().flat_map(|touch| {
            let ends = [0, touch.pair.kind.first_count()];
            ends.map(|k| self.features.body_of[touch.pair.nodes[k] as usize] as usize)
        });
        ends.filter(|body| group.binary_search(body).is_err())
    }

    /// Finds the pairs that may come within their range on the way from `self.places` to `self.trial`.
    /// They are found with some room to spare, and kept until a vertex has used it up: as long as both ends
    /// lie near the way that was searched, so does all that is between them.
    pub(super) fn search(&mut self) {
        if let Some(skin) = self.skin {
            let is_ahead = |places: &[DVec3]| are_near(places, &self.ahead, skin);
            if self.anchor != self.ahead && is_ahead(&self.places) && is_ahead(&self.trial) {
                // Distances are known best from where the search goes on.
                std::mem::swap(&mut self.anchor, &mut self.ahead);
                self.ahead.copy_from_slice(&self.anchor);
                self.stands = false;
                self.know_distances();
                return;
            }
            let way = [&self.anchor[..], &self.ahead[..]];
            if [&self.places, &self.trial].map(|x| is_on_way(x, way, skin)) == [true; 2] {
                return;
            }
        }
        let begin = self.clock.map(|clock| clock());
        let (from, to) = (&self.places, &self.trial);
        let thickness = self.settings.thickness;
        let lengths = from.iter().zip(to).map(|(a, b)| a.distance_squared(*b));
        let motion = lengths.fold(0.0, f64::max).sqrt();
        let most = (0.5 * thickness).max(SKIN * self.features.spacing);
        let skin = motion.clamp(0.1 * thickness, most);
        self.skin = Some(skin);
        self.stands = motion == 0.0;
        self.anchor.copy_from_slice(from);
        self.ahead.copy_from_slice(to);
        let reach = thickness + 2.0 * skin;
        self.features.find([from, to], reach, &mut self.candidates);
        self.laws.clear();
        self.laws.resize(self.candidates.len(), None);
        self.know_distances();
        if let (Some(clock), Some(begin)) = (self.clock, begin) {
            self.times.search += clock() - begin;
        }
    }

    /// The distance of each candidate at the anchor.
    fn know_distances(&mut self) {
        let (features, anchor) = (&self.features, &self.anchor);
        let distance = |pair: &Pair| {
            let near = closest(pair.kind, &pair.gather(anchor));
            near.squared_distance.sqrt() - features.radius_and_friction(pair).0
        };
        self.known.clear();
        self.known.extend(self.candidates.iter().map(distance));
    }

    /// Whether a pair last searched for is one of a member and something else.
    pub(super) fn may_meet_others(&self, members: &[Member]) -> bool {
        let body_of = |vertex: u32| self.features.body_of[vertex as usize] as usize;
        let is_member = |body: usize| members.iter().any(|member| member.body == body);
        self.candidates.iter().any(|pair| {
            let ends = [0, pair.kind.first_count()].map(|k| body_of(pair.nodes[k]));
            !ends.into_iter().all(is_member)
        })
    }

    /// How far bodies that move have gone from the anchor in the mean.
    fn mean_motion(&self, places: &[DVec3]) -> DVec3 {
        let (mut sum, mut count) = (DVec3::ZERO, 0);
        for body in (0..self.bodies()).filter(|&body| self.moves[body]) {
            let range = self.range_of(body);
            count += range.len();
            let ways = places[range.clone()].iter().zip(&self.anchor[range]);
            sum += ways.map(|(place, anchor)| *place - *anchor).sum::<DVec3>();
        }
        let mean = sum / count.max(1) as f64;
        if mean.is_finite() { mean } else { DVec3::ZERO }
    }

    /// Fills `self.gone`, with what lies farther if several places are given. What all vertices have gone
    /// together counts for nothing, since it changes no distance.
    pub(super) fn measure(&mut self, at_places: bool, at_trial: bool) {
        self.gone.fill(0.0);
        let lists = [(at_places, &self.places), (at_trial, &self.trial)];
        for (_, places) in lists.into_iter().filter(|(asked, _)| *asked) {
            let common = self.mean_motion(places);
            for ((gone, place), anchor) in self.gone.iter_mut().zip(places).zip(&self.anchor) {
                *gone = gone.max((*place - *anchor - common).length());
            }
        }
        self.farthest = self.gone.iter().copied().fold(0.0, f64::max);
    }

    /// Whether a candidate cannot have come within a distance.
    pub(super) fn is_beyond(&self, index: usize, distance: f64) -> bool {
        self.known[index] - 2.0 * self.farthest >= distance || self.least(index) >= distance
    }

    /// The least distance that a candidate can have had, by how far its vertices have gone.
    fn least(&self, index: usize) -> f64 {
        let pair = &self.candidates[index];
        let gone = pair.gather(&self.gone);
        let split = pair.kind.first_count();
        let farthest = |gone: &[f64]| gone.iter().copied().fold(0.0, f64::max);
        self.known[index] - farthest(&gone[..split]) - farthest(&gone[split..])
    }

    /// The share of the way from `self.places` to `self.trial` that is proved free, of the pairs last
    /// searched for.
    pub(super) fn free_fraction(&mut self) -> f64 {
        let begin = self.clock.map(|clock| clock());
        let fraction = self.smallest_free_fraction();
        if let (Some(clock), Some(begin)) = (self.clock, begin) {
            self.times.guarantee += clock() - begin;
        }
        fraction
    }

    fn smallest_free_fraction(&mut self) -> f64 {
        self.measure(true, true);
        let thickness = self.settings.thickness;
        let mut fraction = 1.0_f64;
        self.shares.fill(1.0);
        for (index, pair) in self.candidates.iter().enumerate() {
            // No pair needs to keep more.
            if self.is_beyond(index, KEPT * thickness) {
                continue;
            }
            let from = pair.gather(&self.places);
            let to = pair.gather(&self.trial);
            // What is far apart may come as near as what is within the range.
            let (radius, _) = self.features.radius_and_friction(pair);
            let clearance = Clearance {
                thickness: radius,
                keep: KEPT,
                enough: radius + KEPT * thickness,
            };
            let free = free_fraction_with(pair.kind, &from, &to, &clearance);
            if free < 1.0 {
                for &node in &pair.nodes[..pair.kind.node_count()] {
                    let share = &mut self.shares[node as usize];
                    *share = share.min(free);
                }
                fraction = fraction.min(free);
            }
        }
        fraction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_on_a_way_if_all_vertices_are_there_at_one_moment() {
        let from = [DVec3::ZERO, DVec3::X];
        let to = [DVec3::Z, DVec3::X + 2.0 * DVec3::Z];
        let at = |moment: [f64; 2]| [0, 1].map(|k| from[k].lerp(to[k], moment[k]));
        let is_on = |places: &[DVec3; 2]| is_on_way(places, [&from, &to], 0.1);
        assert!(is_on(&from) && is_on(&to) && is_on(&at([0.4, 0.4])));
        assert!(is_on(&at([0.4, 0.4]).map(|x| x + 0.09 * DVec3::Y)));
        assert!(!is_on(&at([0.4, 0.4]).map(|x| x + 0.11 * DVec3::Y)));
        // One is ahead of the other, or beyond the end.
        assert!(!is_on(&at([0.4, 0.6])) && !is_on(&at([1.2, 1.2])));
        assert!(is_on_way(&from, [&from, &from], 0.1) && !is_on_way(&to, [&from, &from], 0.1));
    }
}
