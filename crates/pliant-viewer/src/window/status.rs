//! What the window shows, in words that a program can read: tests of the page ask for it.

use super::app::App;
use serde_json::json;

/// What is to be seen, as JSON.
pub fn status(app: &App) -> String {
    let Some(shown) = &app.shown else {
        let gallery = app
            .gallery
            .as_ref()
            .map(super::gallery::Gallery::picture_count);
        return json!({ "gallery": gallery, "mistake": app.mistake }).to_string();
    };
    // A node in the middle of the first body, to take hold of.
    let middle = shown.frame.bodies.first().and_then(|body| {
        let point = *body.positions.get(body.positions.len() / 2)?;
        let rect = app.picture_rect;
        let size = rect.size();
        let seen = app
            .orbit
            .camera
            .project(point, size.x as usize, size.y as usize)?;
        let place = [
            f64::from(rect.left()) + seen[0],
            f64::from(rect.top()) + seen[1],
        ];
        Some(json!({ "screen": place, "world": point.to_array() }))
    });
    // The forces of the scene, as its text says them now.
    let values = app.scene.values.iter();
    let forces: serde_json::Map<String, serde_json::Value> = values
        .filter(|entry| entry.part.starts_with("Force "))
        .filter_map(|entry| {
            Some((
                format!("{}.{}", entry.part, entry.attribute),
                json!(entry.value.as_ref()?),
            ))
        })
        .collect();
    json!({
        "scene": app.scene.name,
        "forces": forces,
        "screenshots": app.screenshots.count,
        "gallery": app.gallery.as_ref().map(super::gallery::Gallery::picture_count),
        "mistake": app.mistake,
        "failure": shown.failure,
        "step": shown.step,
        "time": shown.time,
        "is_running": shown.is_running,
        "real_time_factor": shown.real_time_factor,
        "pictures": app.report.pictures,
        "pulls": shown.pulls.len(),
        "fixed": shown.frame.bodies.iter().map(|body| body.fixed.iter().filter(|is_fixed| **is_fixed).count()).sum::<usize>(),
        "second": app.second.as_ref().and_then(|second| second.shown.as_ref()).map(|shown| shown.time),
        "is_filming": app.film.is_some(),
        "history": shown.history.count,
        "middle": middle,
        "eye": app.orbit.camera.eye.to_array(),
        "target": app.orbit.camera.target.to_array(),
        "adapter": app.painter.as_ref().map(super::painter::Painter::adapter_name),
    })
    .to_string()
}
