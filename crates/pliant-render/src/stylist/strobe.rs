//! Several moments in one picture, early ones fainter (as fig. 7 of \[Terzopoulos1988\] shows motion).

use super::body_memory::bounds;
use super::{StyleError, Stylist};
use crate::draw_list::DrawList;
use crate::style::Style;
use crate::texture::TextureStore;
use pliant::Frame;
use pliant::frame::FrameBody;

/// A body that moved less than this share of its size is drawn once.
const STILL: f64 = 0.01;

/// What is to be drawn, each list for itself: first what is there without bodies, then each moment,
/// the last one whole. [`overlaid`](crate::compose::overlaid) puts the pictures over each other. Bodies that do
/// not move are in the last list alone.
pub fn strobe(
    frames: &[Frame],
    style: Style,
    textures: &TextureStore,
) -> Result<Vec<DrawList>, StyleError> {
    let mut stylist = Stylist::new(style, textures.clone());
    stylist.look_ahead(frames);
    let Some((last, earlier)) = frames.split_last() else {
        return Ok(Vec::new());
    };
    let without = |frame: &Frame, is_seen: &dyn Fn(&FrameBody) -> bool| {
        let mut moment = frame.clone();
        moment.bodies.retain(|body| is_seen(body));
        moment
    };
    // The stylist lays the ground and the origin by the first frame it draws, which has bodies.
    stylist.list(last)?;
    let mut lists = vec![stylist.list(&without(last, &|_| false))?];
    for frame in earlier {
        lists.push(stylist.list(&without(frame, &|body| has_moved(body, last)))?);
    }
    lists.push(stylist.list(last)?);
    Ok(lists)
}

/// Whether a body is elsewhere in the last frame than here.
fn has_moved(body: &FrameBody, last: &Frame) -> bool {
    let Some(later) = last.bodies.iter().find(|later| later.name == body.name) else {
        return true;
    };
    let (low, high) = bounds(body.positions.iter().copied());
    let size = (high - low).length();
    let pairs = body.positions.iter().zip(&later.positions);
    body.positions.len() != later.positions.len()
        || pairs
            .map(|(before, after)| (*after - *before).length())
            .any(|way| way > STILL * size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stylist::test_frames::{obstacle, sheet};
    use glam::DVec3;
    use pliant::obstacle::{ImplicitSurface, Sphere};

    #[test]
    fn each_moment_has_its_list_and_still_bodies_are_in_the_last_alone() {
        let mut frames = vec![sheet(4, 4), sheet(4, 4), sheet(4, 4)];
        let ball = obstacle(Sphere::new(DVec3::ZERO, 0.5).unwrap().mesh(1.0, 8));
        for (index, frame) in frames.iter_mut().enumerate() {
            frame.obstacles.push(ball.clone());
            for position in &mut frame.bodies[0].positions {
                position.x += index as f64;
            }
        }
        let counts = |frames: &[Frame]| -> Vec<usize> {
            let lists = strobe(frames, Style::default(), &TextureStore::default()).unwrap();
            lists.iter().map(|list| list.meshes.len()).collect()
        };
        // The ball, then the ball and the sheet.
        assert_eq!(counts(&frames), [1, 2, 2, 2]);
        let still = vec![frames[2].clone(); 3];
        assert_eq!(counts(&still), [1, 1, 1, 2]);
        assert!(counts(&[]).is_empty());
        let lists = strobe(&frames, Style::default(), &TextureStore::default()).unwrap();
        assert!(lists.iter().all(|list| list.origin == lists[0].origin));
    }
}
