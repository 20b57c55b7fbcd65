//! When Newton's method for bodies that touch has come near enough.

use super::island::{Island, Member};
use super::island_search::Moved;
use super::mover::Mover;
use super::rule::Stage;
use glam::DVec3;

/// Length of the last step of bodies that touch, by that of bodies that do not.
const ROUGH: f64 = 30.0;

/// The same of the longest step of a node.
const LONGEST: f64 = 10.0;

/// Smallest relative residual of linear solves where bodies touch, without and with rigid parts: friction
/// alone makes Newton's method slow.
const ROUGH_FORCING: [f64; 2] = [0.02, 0.005];

/// Change of normal forces from one iteration to the next with which friction asks for another, and the same
/// among sheets alone.
const UNSETTLED: [f64; 2] = [0.005, 0.02];

/// Acceleration that may be left to a rigid body that touches, in m/s²: what it weighs must not be lost in
/// what it moves. Among soft bodies, whose solves are rough, and alone.
const ACCELERATION_LEFT: [f64; 2] = [0.1, 1e-3];

/// Acceleration that may be left to any body that touches, in m/s²: of a body that slides or sticks the energy
/// says little, and with short steps its path says nothing.
const ACCELERATION_UNSEEN: f64 = 0.2;

/// The same of the change of velocity in the stage, by its mean.
const CHANGE_UNSEEN: f64 = 1e-3;

/// Iterations after which what bodies that crush each other do is measured by all of their kinetic energy.
const VIOLENT: usize = 40;

/// Length of the last step of such bodies, by how far they are turned aside in the stage, and by the spacing.
const VIOLENT_SHARE: f64 = 0.01;
const VIOLENT_SPACING: f64 = 0.1;

/// A step of a rigid body by less than this is none, by the thickness of contact; the same.
const SHORTEST: [f64; 2] = [1e-4, 1e-6];

/// Iterations after which friction goes on by the normal forces that it has until all else is settled:
/// they may chase each other.
const PATIENT: usize = 10;

/// How often it then takes the normal forces as they are: all the way at first, then half-way,
const EAGER: usize = 4;
const ROUNDS: usize = 12;

/// and the change of normal forces that may be left, in the end.
const LEFT: f64 = 0.1;

/// Change of normal forces that says that friction goes by those of a transient, and how often it leaves them at once.
const TRANSIENT: f64 = 0.5;
const HURRIES: usize = 8;

/// Change of normal forces that asks for no further round among bodies that are not rigid: what takes so long is
/// an impact, whose friction the next stage goes on with. What rests comes to rest before.
const LAGGING: f64 = 0.05;

/// How friction follows normal forces: with every iteration at first, then only when all else is settled.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrictionRounds {
    taken: usize,
    renews: bool,
    hurries: usize,
    /// Share of the way that it goes at first, and in the first rounds.
    shares: [f64; 2],
    /// Change of normal forces that asks for no further round.
    lagging: f64,
}

impl FrictionRounds {
    /// Among rigid bodies, whose forces answer at once, or others.
    pub(super) fn new(all_rigid: bool) -> Self {
        Self {
            taken: 0,
            renews: false,
            // Forces of rigid bodies answer at once: they jump from one iteration to the next.
            hurries: if all_rigid { HURRIES } else { 0 },
            shares: if all_rigid { [0.7, 0.5] } else { [1.0, 1.0] },
            lagging: if all_rigid { 0.0 } else { LAGGING },
        }
    }

    /// The share of the way to the normal forces that friction goes in an iteration; none if it stays.
    pub(super) fn share(&mut self, iteration: usize) -> Option<f64> {
        match iteration {
            0 => Some(0.0),
            1..PATIENT => Some(self.shares[0]),
            _ => {
                let share = if self.taken <= EAGER {
                    self.shares[1]
                } else {
                    0.5
                };
                std::mem::take(&mut self.renews).then_some(share)
            }
        }
    }

    /// Lets friction go by new normal forces before all else is settled where those that it has are of a
    /// transient: `change` is how far they are off at the end of an iteration that went all the way.
    pub(super) fn leave_transient(&mut self, iteration: usize, moved: &Moved, change: f64) {
        let is_whole = moved.share >= 1.0 && !moved.is_stopped;
        if iteration >= PATIENT && is_whole && change > TRANSIENT && self.hurries < HURRIES {
            self.hurries += 1;
            self.renews = true;
        }
    }

    /// Whether a search that is settled has ended well, with a change of normal forces `left`; nothing if
    /// it goes on.
    pub(super) fn end(&mut self, left: f64, unsettled: f64) -> Option<bool> {
        if left > unsettled.max(self.lagging) && self.taken < ROUNDS {
            self.taken += 1;
            self.renews = true;
            return None;
        }
        Some(left <= LEFT.max(unsettled))
    }
}

impl Island {
    pub(super) fn are_rigid(&self, members: &[Member]) -> bool {
        let is_rigid = |member: &Member| self.contact.features.is_rigid(member.body);
        members.iter().all(is_rigid)
    }

    /// The smallest relative residual of linear solves where bodies touch, and the change of normal forces
    /// with which friction asks for another iteration.
    pub(super) fn roughness(&self, members: &[Member]) -> (f64, f64) {
        if self.are_rigid(members) {
            // Cheap, and a body slides by the small difference of large forces.
            return (1e-6, 1e-3);
        }
        let roughest = ROUGH_FORCING[usize::from(members.iter().any(Member::has_rigid_parts))];
        // Forces on single nodes of a sheet are as rough as its solves; their sum is not.
        let all_rough = members.iter().all(|member| member.mover.goals.is_rough());
        let unsettled = UNSETTLED[usize::from(all_rough)];
        (roughest, unsettled)
    }

    /// Whether no node is to be moved by more than rounding, and friction goes by forces as they are.
    pub(super) fn is_at_rest(&self, members: &[Member], unsettled: f64) -> bool {
        let tiny = |member: &Member| {
            let most = (1e-6 * member.mover.close()).powi(2);
            let mut steps = member.mover.direction.iter();
            steps.all(|step| step.length_squared() <= most)
        };
        self.contact.force_change() <= unsettled && members.iter().all(tiny)
    }

    /// Whether friction acts anywhere.
    fn has_friction(&self, members: &[Member]) -> bool {
        self.contact.has_friction() || members.iter().any(|m| m.mover.contact.has_friction())
    }

    /// Whether what is left of every body's motion is small, and friction goes by forces as they are or has
    /// been given up on. `moved` is how the last step ended. Where the potential alone has cut it short, what the
    /// whole of it wanted and promised is what is left; what is in the way is known to the next step only.
    pub(super) fn is_settled(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        taken: &[[Vec<DVec3>; 2]],
        (iteration, moved): (usize, &Moved),
        last_lengths: &mut [f64],
    ) -> bool {
        let share = moved.share;
        let chatters = self.has_friction(members) && iteration >= PATIENT;
        let patience = if self.contact.has_touching() {
            ROUGH
        } else {
            1.0
        };
        let unsettled = self.roughness(members).1;
        if iteration < PATIENT && self.contact.force_change() > unsettled {
            return false;
        }
        let mut all_settled = true;
        let all_rigid = self.are_rigid(members);
        let acceleration = ACCELERATION_LEFT[usize::from(all_rigid)];
        let shortest = SHORTEST[usize::from(all_rigid)] * self.contact.settings.thickness;
        for ((member, [x, _]), last) in members.iter_mut().zip(taken).zip(last_lengths) {
            let is_rigid = member.has_rigid_parts();
            let mover = &mut *member.mover;
            let longest = mover.direction.iter().map(|d| d.length_squared());
            let whole = longest.fold(0.0, f64::max).sqrt();
            let length = share * whole;
            let close = mover.close();
            let factor = (length / *last).min(0.99);
            // Friction makes steps shrink slowly and may let single nodes go to and fro.
            // Of a step that was cut short all that it wanted is left; if that is nothing, a body that meets
            // obstacles alone is at the end of its search.
            let left = if mover.goals.by_series && patience == 1.0 && share == 1.0 {
                length * factor / (1.0 - factor)
            } else {
                whole
            };
            *last = length;
            // What the guarantee has cut short is not at rest.
            let tiny = share > 0.5 && length <= 1e-3 * close;
            let tiny = tiny && (mover.freedom.is_none() || length <= shortest);
            let masses = &member.problem.body.description().masses;
            let nothing = mover.unseen_speed(masses, stage);
            let tiny = tiny && (patience == 1.0 || length <= nothing * stage.length());
            if tiny {
                continue;
            }
            let changing = mover.contact.are_unsettled(mover.goals.friction) && !chatters;
            // Where the kink of friction has cut the way of a rigid body short, much of it may be left.
            let is_cut = patience > 1.0 && (moved.is_stopped || is_rigid && share < 1.0);
            let is_exact = patience > 1.0 && iteration < VIOLENT;
            let mut longest = patience.min(LONGEST) * close;
            if patience > 1.0 && !is_exact && !is_rigid {
                let aside = VIOLENT_SHARE * mover.mean_change(masses) * stage.length();
                longest = longest.max(aside.min(VIOLENT_SPACING * mover.spacing));
            }
            let mut settled = !is_cut && left <= longest && !changing;
            if is_rigid && patience > 1.0 {
                settled &= whole <= (acceleration * stage.length().powi(2)).max(shortest);
            }
            // Each body by its own energy: what is much for a light one is nothing for a heavy one.
            let speed = match patience > 1.0 {
                true => nothing,
                false => mover.goals.drift * mover.spacing * stage.rate,
            };
            let drift = 0.5 * masses.iter().sum::<f64>() * speed * speed;
            let scale = mover.energy_scale(&member.problem, x, is_exact);
            let promised = mover.slope().abs();
            settled &= promised <= drift.max(patience * mover.goals.promise * scale);
            all_settled &= settled;
        }
        all_settled
    }
}

impl Mover {
    /// A change of velocity that does not count for a body that touches, in metres per second.
    fn unseen_speed(&self, masses: &[f64], stage: &Stage) -> f64 {
        let mean = self.mean_change(masses);
        (ACCELERATION_UNSEEN * stage.length()).max(CHANGE_UNSEEN * mean)
    }

    /// The mean change of velocity since the step began, in metres per second.
    fn mean_change(&self, masses: &[f64]) -> f64 {
        let changes = self.velocities.iter().zip(&self.start_velocities);
        let moved = masses
            .iter()
            .zip(changes)
            .map(|(m, (v, start))| m * v.distance_squared(*start));
        (moved.sum::<f64>() / masses.iter().sum::<f64>()).sqrt()
    }
}
