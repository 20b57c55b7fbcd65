//! The energy of bodies that touch: where a search begins so that it cannot gain any, and what a step has gained.

use super::island::{Island, Member};
use super::rule::Stage;

/// Energy that a step may create, by the energy that is in motion.
const CREATED: f64 = 0.01;

impl Island {
    /// Lets the search of a stage begin where the stage does if inertia leads to a higher potential: wherever it
    /// ends, backward Euler then has created no energy.
    pub(super) fn begin_low(&mut self, members: &mut [Member], stage: &Stage) {
        for member in members.iter() {
            let range = self.contact.range_of(member.body);
            let nodes = range.len();
            self.contact.trial[range].copy_from_slice(&member.mover.places[..nodes]);
        }
        self.contact.energy();
        let places: Vec<_> = members
            .iter_mut()
            .map(|member| {
                let mover = &mut member.mover;
                let start = std::mem::take(&mut mover.start);
                [
                    std::mem::take(&mut mover.places),
                    start,
                    mover.between.clone(),
                ]
            })
            .collect();
        let ahead = places.iter().map(|[x, start, _]| (&x[..], &start[..]));
        let (led, _) = self.value(members, stage, ahead, true);
        let behind = places.iter().map(|[_, start, x]| (&x[..], &start[..]));
        let (still, _) = self.value(members, stage, behind, false);
        for (member, [x, start, between]) in members.iter_mut().zip(places) {
            member.mover.places = if led < still { x } else { between };
            member.mover.start = start;
        }
    }

    /// What the candidates have more than the energy that the bodies had and external forces have given
    /// them, in joules, if it is much.
    pub(super) fn energy_created(&mut self, members: &mut [Member]) -> Option<f64> {
        let mut after = self.contact.energy();
        let mut created = -self.start_energy;
        if let Some(member) = members.first() {
            let end = member.problem.time + member.problem.step;
            let at = (
                &self.contact.places[..],
                &self.contact.features.first[..],
                end,
            );
            after += self.joints.soft_energy(at);
            created -= self.joints.work_of_paths(end - member.problem.step, end);
        }
        created += after;
        let (mut scale, mut size) = (after.abs(), after.abs());
        for member in members.iter_mut() {
            let (problem, mover) = (&member.problem, &mut member.mover);
            let state = &problem.body.state;
            let (time, end) = (problem.time, problem.time + problem.step);
            let before = mover.total_energy(problem, state, time);
            let after = mover.total_energy(problem, member.candidate, end);
            let work = mover.work_of_drivers(problem, state, member.candidate);
            created += after - before - work;
            scale += mover.energy_in_motion(problem, state, member.candidate);
            size += before.abs() + after.abs();
        }
        let is_much = created > CREATED * scale + 1e-12 * size + self.joints.play();
        is_much.then_some(created)
    }
}
