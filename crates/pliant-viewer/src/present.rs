//! What is to be seen of a player at the present moment, with what the next step will find.

use crate::pick::Carrier;
use crate::player::{Player, Pull};
use glam::DVec3;
use pliant::command::{BodyValue, Command, CommandForce};
use pliant::frame::FrameBody;
use pliant::{Body, Frame};
use pliant_render::Look;
use pliant_session::{Failure, PictureSettings, Stage};
use std::sync::Arc;

impl Player {
    /// The pulls at the present moment, with those that the next step will have.
    pub fn pulls(&self) -> Vec<Pull> {
        let effect = self.source.world.commands.effect();
        let mut found = Vec::new();
        for (&handle, &(body, stencil)) in &self.live.pulls {
            let mut target = spring_target(effect.force(handle));
            for command in &self.live.pending {
                match *command {
                    Command::AddForceAt {
                        handle: of_command,
                        force,
                        ..
                    } if of_command == handle => target = spring_target(Some(force)),
                    Command::MoveTarget {
                        handle: of_command,
                        target: there,
                    } if of_command == handle => target = target.map(|_| there),
                    Command::RemoveForce { handle: of_command } if of_command == handle => {
                        target = None
                    }
                    _ => {}
                }
            }
            if let Some(target) = target {
                found.push(Pull {
                    handle,
                    body,
                    stencil,
                    target,
                });
            }
        }
        found
    }

    /// The factor of a value of a body that was set.
    pub fn value(&self, body: usize, value: BodyValue) -> Option<f64> {
        let found = self.live.values.get(&(body, value.name()))?;
        Some(found.1)
    }

    /// Whether a node is fixed, or will be when the next step begins.
    pub fn is_fixed(&self, body: usize, node: usize) -> bool {
        let fixed = |body: &Body| body.description().fixed.get(node) == Some(&true);
        let mut found = self.source.world.bodies.get(body).is_some_and(fixed);
        for command in &self.live.pending {
            match *command {
                Command::Fix { body: b, node: n } if (b, n) == (body, node) => found = true,
                Command::Release { body: b, node: n } if (b, n) == (body, node) => found = false,
                _ => {}
            }
        }
        found
    }

    /// The world as it is shown, with nodes fixed that the next step will find fixed.
    pub fn frame(&mut self) -> Frame {
        let mut frame = self.maker.frame(&self.source.world, &mut self.workspace);
        for command in &self.live.pending {
            if let Command::Fix { body, node } | Command::Release { body, node } = *command
                && let Some(shown) = frame.bodies.get_mut(body)
                && let Some(fixed) = Arc::make_mut(&mut shown.fixed).get_mut(node)
            {
                *fixed = matches!(command, Command::Fix { .. });
            }
        }
        frame
    }

    /// For each body whose shown surface is not made of its nodes, what carries it.
    pub fn carriers(&self, frame: &Frame) -> Vec<Option<Carrier>> {
        let bodies = self.source.world.bodies.iter().zip(&frame.bodies);
        let carrier = |(body, shown): (&Body, &FrameBody)| {
            (body.node_count() != shown.positions.len()).then(|| Carrier {
                positions: body.state.positions.clone(),
                triangles: body.formulation().surface_triangles(body.description()),
            })
        };
        bodies.map(carrier).collect()
    }

    /// What turns frames into draw lists, in a style; `None` takes that of the scene.
    pub fn stage(&mut self, look: Option<Look>) -> Result<Stage, Failure> {
        let frame = self.frame();
        let settings = PictureSettings {
            look,
            ..PictureSettings::default()
        };
        Stage::new(&self.source, &frame, &settings, None)
    }
}

fn spring_target(force: Option<CommandForce>) -> Option<DVec3> {
    match force {
        Some(CommandForce::Spring { target, .. }) => Some(target),
        _ => None,
    }
}
