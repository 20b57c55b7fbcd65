//! From where a picture is taken: what the user typed, what the scene says, or what shows
//! everything; and whether something is in the way.

use crate::failure::Failure;
use crate::volume::ClosedBodies;
use glam::DVec3;
use pliant::{Frame, World};
use pliant_render::{Camera, CameraFit};
use pliant_scene::scene;

/// A view as the user typed it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    eye: DVec3,
    target: Option<DVec3>,
    /// Height of the view, in radians.
    field_of_view: Option<f64>,
}

/// `x,y,z`, `x,y,z/x,y,z` or `x,y,z/x,y,z/degrees`.
pub fn view(text: &str) -> Result<View, String> {
    let expected = "expected the place of the eye and what it looks at, such as 4,-5,2/0,0,1";
    let point = |text: &str| -> Option<DVec3> {
        let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
        let numbers: Vec<f64> = inner
            .split(',')
            .map(|number| number.trim().parse().ok().filter(|v: &f64| v.is_finite()))
            .collect::<Option<_>>()?;
        let numbers: [f64; 3] = numbers.try_into().ok()?;
        Some(numbers.into())
    };
    let mut parts = text.split('/');
    let eye = parts.next().and_then(point).ok_or(expected)?;
    let target = match parts.next() {
        Some(text) => Some(point(text).ok_or(expected)?),
        None => None,
    };
    let field_of_view = match parts.next().map(|text| text.trim().parse::<f64>()) {
        Some(Ok(degrees)) if degrees > 0.0 && degrees < 180.0 => Some(degrees.to_radians()),
        Some(_) => return Err("the height of the view is an angle from 0 to 180 degrees".into()),
        None => None,
    };
    if parts.next().is_some() {
        return Err(expected.to_owned());
    }
    if target == Some(eye) {
        return Err("the eye looks at the place where it is".to_owned());
    }
    Ok(View {
        eye,
        target,
        field_of_view,
    })
}

/// A camera as the user asked for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Asked {
    /// From there.
    View(View),
    /// In the direction of the scene's camera, moved so that all that moves fills the picture.
    Fit,
}

/// `fit`, or a view.
pub fn asked(text: &str) -> Result<Asked, String> {
    match text.trim() {
        "fit" => Ok(Asked::Fit),
        text => view(text).map(Asked::View),
    }
}

/// Share of the picture that stays empty at each side of what moves.
const MARGIN: f64 = 0.1;

/// Looks for a camera that shows all that bodies sweep, if that is asked for or if the scene has no
/// camera.
pub fn fit(
    asked: Option<Asked>,
    scene: Option<&scene::Camera>,
    camera: Camera,
    aspect: f64,
) -> Option<CameraFit> {
    let wanted = match asked {
        Some(Asked::Fit) => true,
        Some(Asked::View(_)) => false,
        None => scene.is_none(),
    };
    wanted.then(|| CameraFit::new(camera, aspect, MARGIN))
}

/// Takes in what bodies sweep, and obstacles that are not much larger than they.
pub fn include(fit: &mut CameraFit, frame: &Frame) {
    let bodies = frame.bodies.iter().flat_map(|body| &body.positions);
    bodies.for_each(|point| fit.include(*point));
    let size = extent_of(frame.bodies.iter().flat_map(|body| &body.positions));
    for obstacle in &frame.obstacles {
        let bounds = extent_of(&obstacle.mesh.positions);
        if (bounds.1 - bounds.0).length() <= 2.5 * (size.1 - size.0).length() {
            let points = obstacle.mesh.positions.iter();
            points.for_each(|point| fit.include(*point));
        }
    }
}

/// The camera that was asked for, else that of the scene, else one that shows everything.
pub fn choose(
    asked: Option<Asked>,
    scene: Option<&scene::Camera>,
    first: &Frame,
    aspect: f64,
) -> Camera {
    let (low, high) = extent(first);
    let default = match scene {
        Some(camera) => Camera {
            eye: camera.eye,
            target: camera.target,
            up: camera.up,
            field_of_view: camera.fov,
        },
        None => Camera::framing(low, high, aspect),
    };
    let Some(Asked::View(view)) = asked else {
        return default;
    };
    let target = view.target.unwrap_or(default.target);
    let up = match (target - view.eye)
        .normalize_or_zero()
        .cross(default.up)
        .length()
    {
        // Looking straight up or down.
        sine if sine < 1e-6 => DVec3::Y,
        _ => default.up,
    };
    Camera {
        eye: view.eye,
        target,
        up,
        field_of_view: view.field_of_view.unwrap_or(default.field_of_view),
    }
}

/// The box round points.
fn extent_of<'a>(points: impl IntoIterator<Item = &'a DVec3>) -> (DVec3, DVec3) {
    let grow = |(low, high): (DVec3, DVec3), point: &DVec3| (low.min(*point), high.max(*point));
    let empty = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    points.into_iter().fold(empty, grow)
}

/// The box round all bodies, and round obstacles that are not much larger than they.
fn extent(frame: &Frame) -> (DVec3, DVec3) {
    let bodies = extent_of(frame.bodies.iter().flat_map(|body| &body.positions));
    let size = (bodies.1 - bodies.0).length();
    frame.obstacles.iter().fold(bodies, |all, obstacle| {
        let bounds = extent_of(&obstacle.mesh.positions);
        if (bounds.1 - bounds.0).length() > 4.0 * size && size.is_finite() {
            return all;
        }
        (all.0.min(bounds.0), all.1.max(bounds.1))
    })
}

/// The middle and the diagonal of the box round all bodies, and round obstacles that are not much
/// larger than they, in metres.
pub fn middle_and_size(frame: &Frame) -> (DVec3, f64) {
    let (low, high) = extent(frame);
    (0.5 * (low + high), (high - low).length())
}

/// Refuses an eye inside something that is drawn: it would see nothing but the inside of that.
pub fn check(camera: &Camera, world: &World) -> Result<(), Failure> {
    let eye = camera.eye;
    let mut visible = world.obstacles.iter().filter(|obstacle| obstacle.visible);
    let obstacle = visible.find(|obstacle| obstacle.distance(eye) < 0.0);
    let obstacle = obstacle.map(|obstacle| ("obstacle", obstacle.name.to_string()));
    let inside = obstacle.or_else(|| {
        let index = ClosedBodies::new(world).containing(world, eye)?;
        let name = world.bodies[index].description().name.to_string();
        Some(("body", name))
    });
    match inside {
        None => Ok(()),
        Some((kind, name)) => Err(Failure::Input(format!(
            "the camera at [{}, {}, {}] is inside the {kind} `{name}`\n  hint: move it, with \
             --camera or in the <Camera> of the scene",
            eye.x, eye.y, eye.z
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_read() {
        let whole = view("4, -5,2 / [0,0,1]/30").unwrap();
        assert_eq!(whole.eye, DVec3::new(4.0, -5.0, 2.0));
        assert_eq!(whole.target, Some(DVec3::Z));
        assert!((whole.field_of_view.unwrap() - 30_f64.to_radians()).abs() < 1e-15);
        assert_eq!(view("1,2,3").unwrap().target, None);
        for wrong in [
            "",
            "1,2",
            "1,2,3/",
            "1,2,3/1,2,3",
            "1,2,3/0,0,0/0",
            "1,2,3/0,0,0/9/9",
            "1,nan,3",
        ] {
            assert!(view(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_user_comes_before_the_scene_and_up_is_never_lost() {
        let frame = Frame::default();
        let above = view("0,0,9/0,0,0").unwrap();
        let camera = choose(Some(Asked::View(above)), None, &frame, 1.5);
        assert_eq!(camera.eye, DVec3::new(0.0, 0.0, 9.0));
        assert_eq!(camera.up, DVec3::Y);
        let side = choose(Some(asked("5,0,0/0,0,0/20").unwrap()), None, &frame, 1.5);
        assert_eq!(asked("fit"), Ok(Asked::Fit));
        assert_eq!(side.up, DVec3::Z);
        assert!((side.field_of_view - 20_f64.to_radians()).abs() < 1e-12);
    }
}
