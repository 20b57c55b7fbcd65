//! The colours of what has no material: bodies differ from each other, from objects and from floors.

use crate::scene::{Body, Object, Scene};
use pliant::frame::Appearance;
use std::sync::Arc;

/// Bodies, one after the other: terracotta, blue, green, ochre, violet, teal.
const BODIES: [[f64; 3]; 6] = [
    [0.80, 0.40, 0.28],
    [0.30, 0.47, 0.73],
    [0.42, 0.62, 0.36],
    [0.85, 0.66, 0.28],
    [0.56, 0.40, 0.66],
    [0.28, 0.58, 0.58],
];

/// Objects: slate.
const OBJECT: [f64; 3] = [0.44, 0.48, 0.55];

/// Floors and walls without end: plaster.
const PLANE: [f64; 3] = [0.80, 0.78, 0.74];

/// How a body looks.
pub(super) fn body(scene: &Scene, body: &Body) -> Arc<Appearance> {
    let place = scene.bodies.iter().position(|other| other.id == body.id);
    let color = BODIES[place.unwrap_or(0) % BODIES.len()];
    Arc::new(Appearance::color(color))
}

/// How an object looks.
pub(super) fn object(object: &Object) -> Arc<Appearance> {
    let color = match object.obstacle.surface.is_half_space() {
        true => PLANE,
        false => OBJECT,
    };
    Arc::new(Appearance::color(color))
}

#[cfg(test)]
mod tests {
    use crate::{build, parse};
    use pliant::frame::BaseColor;
    use std::path::Path;

    #[test]
    fn bodies_objects_and_floors_differ_without_materials() {
        let body = |id: &str, z: f64| {
            format!(
                r#"<Body id="{id}" model="Surface" type="Mesh"><Properties timestep="0.01" />
<Mesh cells="[1, 1]" position="[0, 0, {z}]"><Rectangle width="1" height="1" /></Mesh>
<Elastic young="1e5" density="1000" thickness="0.001" /></Body>"#
            )
        };
        let text = format!(
            r#"<EDMConfig id="S"><MaterialContainer /><ExternalForces /><RigidObjects>
<Object id="Ball" type="Sphere"><Properties c="[0, 0, 5]" r="1" /></Object>
<Object id="Floor" type="Plane"><Properties n="[0, 0, 1]" x0="[0, 0, 0]" /></Object>
</RigidObjects><DeformableBodies>{}{}</DeformableBodies></EDMConfig>"#,
            body("A", 1.0),
            body("B", 2.0)
        );
        let scene = parse(&text, "s.xml").unwrap();
        let world = build(&scene, "s.xml", Path::new(".")).unwrap();
        let bodies = world.bodies.iter();
        let mut colors: Vec<&BaseColor> = bodies
            .map(|body| &body.description().appearance.base)
            .collect();
        let obstacles = world.obstacles.iter();
        colors.extend(obstacles.map(|obstacle| &obstacle.appearance.base));
        assert_eq!(colors.len(), 4);
        for (index, color) in colors.iter().enumerate() {
            assert!(!colors[..index].contains(color), "{colors:?}");
        }
    }
}
