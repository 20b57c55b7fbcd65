//! What a scene is, for the panels of the window.

use crate::player::Player;
use crate::request::{BodyInfo, SceneInfo};
use crate::scene_text::scene_values;
use pliant::Body;
use pliant::command::BodyValue;
use std::path::PathBuf;
use std::sync::Arc;

/// What the scene of a player is.
pub(crate) fn info(player: &Player) -> SceneInfo {
    let source = player.source();
    let is_file = !source.folder.as_os_str().is_empty();
    let body = |(index, body): (usize, &Body)| {
        let description = body.description();
        let value = |value: BodyValue| {
            let described = match value {
                BodyValue::Stiffness | BodyValue::Damping => 1.0,
                BodyValue::Friction => description.contact.friction,
                BodyValue::Restitution => description.contact.restitution,
                BodyValue::Warmth => {
                    let time = player.world().time;
                    let mut processes = description.processes.iter();
                    let flows = processes
                        .any(|process| process.is_viscoelastic() && process.is_at_work(time));
                    f64::from(u8::from(flows))
                }
            };
            (value, player.value(index, value).unwrap_or(described))
        };
        let mut processes = description.processes.iter();
        let is_viscoelastic = processes.any(|process| process.is_viscoelastic());
        let fits = |value: BodyValue| value != BodyValue::Warmth || is_viscoelastic;
        BodyInfo {
            name: description.name.to_string(),
            node_count: body.node_count(),
            formulation: body.formulation().name().to_owned(),
            integrator: description.scheme().name().to_owned(),
            values: BodyValue::ALL
                .iter()
                .filter(|kind| fits(**kind))
                .map(|kind| value(*kind))
                .collect(),
        }
    };
    SceneInfo {
        name: source.name.clone(),
        file: is_file.then(|| PathBuf::from(&source.file)),
        description: source.scene.description.clone(),
        bodies: player.world().bodies.iter().enumerate().map(body).collect(),
        values: Arc::new(scene_values(player.text())),
        time_step: player.world().time_step(),
    }
}
