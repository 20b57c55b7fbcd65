//! What a world will have trouble with, before its first step.

use pliant::{Body, IntegratorKind, World};

/// Parts of a step from which on they are worth a word.
const MANY_PARTS: f64 = 200.0;

/// A body that begins deeper inside an obstacle than this many times its size is there by mistake.
const DEEP: f64 = 10.0;

/// One line for each trouble: a run without a step, explicit steps that are divided into very many parts, bodies that begin
/// far inside of what they collide with, integrators and rebounds that contact between bodies does not heed,
/// rebounds that a formulation does not know, velocities that statics does not know.
/// `steps` is the number of steps of the run.
pub fn foreseen(world: &World, steps: usize) -> Vec<String> {
    let mut troubles: Vec<String> = no_step(world, steps).into_iter().collect();
    troubles.extend(other_rules(world));
    troubles.extend(unheeded_rebound(world));
    for body in &world.bodies {
        troubles.extend(unknown_rebound(world, body));
        troubles.extend(velocity_of_statics(body));
        troubles.extend(deep_inside(world, body));
        // Others divide no step, and what it takes to ask them is as large as their matrix.
        if body.description().scheme() == IntegratorKind::Explicit {
            let parts = body.parts_of_step(world.time_step());
            if parts > MANY_PARTS {
                troubles.push(many_parts(world, body, parts, steps));
            }
        }
    }
    troubles
}

/// A run whose duration is shorter than half a step stands still.
fn no_step(world: &World, steps: usize) -> Option<String> {
    let step = world.time_step();
    (steps == 0 && step > 0.0).then(|| {
        format!(
            "the run takes no step, since one is {step} s long\n  hint: give the bodies a shorter \
             `timestep` or the scene a longer `duration`"
        )
    })
}

/// Bodies that touch each other move by one rule, whatever integrators they name.
fn other_rules(world: &World) -> Option<String> {
    world.contact.as_ref()?;
    let bodies = || world.bodies.iter().map(Body::description);
    let moved = bodies().filter(|body| !body.formulation.is_driven());
    let rule = IntegratorKind::of_several(moved.map(|body| body.scheme()));
    let is_unheeded = |kind: IntegratorKind| kind != IntegratorKind::Automatic && kind != rule;
    let unheeded = bodies().filter(|body| is_unheeded(body.integrator));
    let named: Vec<String> = unheeded
        .map(|body| format!("`{}` ({})", body.name, body.integrator.name()))
        .collect();
    let are = if named.len() == 1 { "is" } else { "are" };
    (!named.is_empty()).then(|| {
        format!(
            "{} {are} moved by {}: bodies that touch each other move by one rule\n  hint: leave \
             `integrator` out everywhere for TwoStage, or write integrator=\"{}\" to say so",
            named.join(", "),
            rule.name(),
            rule.name(),
        )
    })
}

/// Obstacles that are met by faces and edges are met like other bodies: what is soft knows no restitution
/// there.
fn unheeded_rebound(world: &World) -> Option<String> {
    world.contact.as_ref()?;
    let is_soft = |body: &&Body| body.formulation().stands_for_all().is_none();
    let bodies = || world.bodies.iter().filter(is_soft).map(Body::description);
    let by_faces = |index: usize| world.obstacles[index].contact_shape().is_some();
    let named: Vec<String> = bodies()
        .flat_map(|body| {
            let restitution = body.contact.restitution;
            let met = body.collides_with.iter().filter(|&&index| by_faces(index));
            let rebounds = met.map(|&index| &world.obstacles[index]);
            let rebounds = rebounds.filter(move |o| restitution.max(o.restitution) > 0.0);
            rebounds.map(|obstacle| format!("`{}` from `{}`", body.name, obstacle.name))
        })
        .collect();
    (!named.is_empty()).then(|| {
        format!(
            "`restitution` is not heeded where <Contact> lets faces and edges meet: the rebound of {} \
             follows from elasticity and damping alone\n  hint: leave `restitution` out, or leave \
             <Contact> out",
            named.join(", "),
        )
    })
}

/// Formulations whose bodies stay where they land.
fn unknown_rebound(world: &World, body: &Body) -> Option<String> {
    let description = body.description();
    let of_body = description.contact.restitution;
    let met = description.collides_with.iter();
    let largest = met.map(|&index| of_body.max(world.obstacles[index].restitution));
    let largest = largest.fold(0.0, f64::max);
    (largest > 0.0 && !body.formulation().heeds_restitution()).then(|| {
        format!(
            "body `{}`: `restitution` is not heeded, since bodies of the formulation {} do not rebound\n  \
             hint: leave `restitution` out, or choose another formulation",
            description.name,
            body.formulation().name(),
        )
    })
}

/// Statics looks for a balance, wherever a body was going.
fn velocity_of_statics(body: &Body) -> Option<String> {
    let description = body.description();
    let is_static = description.scheme() == IntegratorKind::Static;
    let moves = body
        .state
        .velocities
        .iter()
        .any(|v| v.length_squared() > 0.0);
    (is_static && moves).then(|| {
        format!(
            "body `{}`: its velocity at the start is not heeded, since integrator=\"Static\" knows no motion\n  \
             hint: leave `velocity` out, or choose another integrator",
            description.name,
        )
    })
}

fn many_parts(world: &World, body: &Body, parts: f64, steps: usize) -> String {
    let total = parts * steps as f64;
    format!(
        "body `{}`: to stay stable, each explicit step of {} s has to be divided into about {parts:.1e} \
         parts, {total:.1e} in the run\n  hint: integrator=\"Implicit\" takes whole steps; softer or \
         heavier particles need fewer parts",
        body.description().name,
        world.time_step(),
    )
}

fn deep_inside(world: &World, body: &Body) -> Vec<String> {
    let description = body.description();
    let mut troubles = Vec::new();
    for &index in &description.collides_with {
        let obstacle = &world.obstacles[index];
        let distances = body.state.positions.iter().map(|&at| obstacle.distance(at));
        let depth = -distances.fold(f64::INFINITY, f64::min);
        if depth.is_finite() && depth > DEEP * body.size() {
            troubles.push(format!(
                "body `{}` begins {depth:.1e} m inside of `{}`, with which it collides: it will be \
                 thrown out\n  hint: place one of them elsewhere, or turn the normal of the obstacle round",
                description.name, obstacle.name,
            ));
        }
    }
    troubles
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use pliant::contact::PairContactSettings;
    use pliant::elastic::Weights;
    use pliant::obstacle::{Obstacle, Plane, Sphere};
    use pliant::{BodyDescription, Grid};

    fn rope(integrator: IntegratorKind) -> Body {
        let rest = vec![DVec3::ZERO, DVec3::X];
        let weights = Weights::uniform(2, 1.0, 0.0, 0.0);
        let mut rope = BodyDescription::new("rope", Grid::new(&[2], &[false]), rest, weights);
        rope.integrator = integrator;
        Body::new(rope).unwrap()
    }

    #[test]
    fn a_run_without_a_step_is_told() {
        let world = World {
            bodies: vec![rope(IntegratorKind::Automatic)],
            ..World::default()
        };
        assert!(foreseen(&world, 1).is_empty());
        assert!(foreseen(&world, 0)[0].contains("takes no step"));
    }

    #[test]
    fn a_rebound_that_contact_does_not_heed_is_told() {
        let mut world = World {
            bodies: vec![rope(IntegratorKind::Automatic)],
            ..World::default()
        };
        let ball = Sphere::new(DVec3::new(0.0, 0.0, -5.0), 1.0).unwrap();
        let floor = Plane::new(DVec3::Z, DVec3::new(0.0, 0.0, -9.0)).unwrap();
        world.obstacles.push(Obstacle::new("ball", Box::new(ball)));
        world
            .obstacles
            .push(Obstacle::new("floor", Box::new(floor)));
        let mut description = world.bodies[0].description().clone();
        description.collides_with = vec![0, 1];
        world.bodies[0] = Body::new(description).unwrap();
        world.contact = Some(PairContactSettings::default());
        world.obstacles[1].restitution = 0.5;
        assert!(foreseen(&world, 1).is_empty(), "a plane is met by nodes");
        world.obstacles[0].restitution = 0.5;
        let troubles = foreseen(&world, 1);
        assert!(troubles[0].contains("`rope` from `ball`"), "{troubles:?}");
        world.contact = None;
        assert!(foreseen(&world, 1).is_empty());
    }

    #[test]
    fn what_a_formulation_does_not_know_is_told() {
        let mut world = World {
            bodies: vec![rope(IntegratorKind::Automatic)],
            ..World::default()
        };
        let floor = Plane::new(DVec3::Z, DVec3::new(0.0, 0.0, -9.0)).unwrap();
        let mut floor = Obstacle::new("floor", Box::new(floor));
        floor.restitution = 0.5;
        world.obstacles.push(floor);
        let mut description = world.bodies[0].description().clone();
        description.collides_with = vec![0];
        world.bodies[0] = Body::new(description.clone()).unwrap();
        assert!(foreseen(&world, 1).is_empty());
        description.make_sticks(pliant::formulation::Sticks::default());
        world.bodies[0] = Body::new(description).unwrap();
        let troubles = foreseen(&world, 1);
        assert!(troubles[0].contains("formulation Sticks"), "{troubles:?}");
    }

    #[test]
    fn a_velocity_that_statics_does_not_know_is_told() {
        let mut body = rope(IntegratorKind::Static);
        let world = |body: &Body| World {
            bodies: vec![body.clone()],
            ..World::default()
        };
        assert!(foreseen(&world(&body), 1).is_empty());
        body.state.velocities[1] = DVec3::Y;
        let troubles = foreseen(&world(&body), 1);
        assert!(troubles[0].contains("knows no motion"), "{troubles:?}");
    }

    #[test]
    fn an_integrator_that_contact_does_not_heed_is_told() {
        use IntegratorKind::{Automatic, Implicit, Midpoint, Newmark, TwoStage};
        for (kinds, told) in [
            ([Automatic, Automatic], None),
            ([Automatic, TwoStage], None),
            ([Automatic, Implicit], None),
            (
                [Midpoint, Midpoint],
                Some("`rope` (Midpoint), `rope` (Midpoint) are"),
            ),
            (
                [Automatic, Newmark],
                Some("`rope` (Newmark) is moved by Implicit"),
            ),
            (
                [Implicit, TwoStage],
                Some("`rope` (TwoStage) is moved by Implicit"),
            ),
        ] {
            let mut world = World {
                bodies: kinds.map(rope).into(),
                ..World::default()
            };
            assert!(foreseen(&world, 1).is_empty(), "{kinds:?} alone");
            world.contact = Some(PairContactSettings::default());
            let troubles = foreseen(&world, 1);
            assert_eq!(troubles.len(), usize::from(told.is_some()), "{kinds:?}");
            for (trouble, told) in troubles.iter().zip(told) {
                assert!(trouble.contains(told), "{kinds:?}: {trouble}");
            }
        }
    }
}
