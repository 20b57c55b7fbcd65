//! Several moments in one picture, early ones paler (as fig. 7 of \[Terzopoulos1988\] shows motion).

use super::body_memory::bounds;
use super::{StyleError, Stylist};
use crate::color_map::mix;
use crate::draw_list::{DrawList, Paint, Texture};
use crate::style::Style;
use crate::texture::TextureStore;
use pliant::Frame;
use pliant::frame::FrameBody;
use std::sync::Arc;

/// How pale the first moment is: the share of white in its colours.
const PALEST: f32 = 0.78;
/// A body that moved less than this share of its size is drawn once.
const STILL: f64 = 0.01;

/// All frames in one list, the last in full colour. What does not move is drawn once.
pub fn strobe(
    frames: &[Frame],
    style: Style,
    textures: &TextureStore,
) -> Result<DrawList, StyleError> {
    let mut stylist = Stylist::new(style, textures.clone());
    stylist.look_ahead(frames);
    let Some((last, earlier)) = frames.split_last() else {
        return Ok(DrawList::default());
    };
    let mut picture = DrawList::default();
    for (index, frame) in earlier.iter().enumerate() {
        let mut moment = frame.clone();
        moment.obstacles.retain(|obstacle| {
            let same =
                |other: &pliant::frame::FrameObstacle| Arc::ptr_eq(&obstacle.mesh, &other.mesh);
            !last.obstacles.iter().any(same)
        });
        moment.bodies.retain(|body| has_moved(body, last));
        let mut list = stylist.list(&moment)?;
        let age = 1.0 - index as f32 / earlier.len() as f32;
        pale(&mut list, PALEST * age);
        recede(&mut list, age);
        picture.meshes.append(&mut list.meshes);
        picture.lines.append(&mut list.lines);
        picture.spheres.append(&mut list.spheres);
    }
    let mut list = stylist.list(last)?;
    picture.meshes.append(&mut list.meshes);
    picture.lines.append(&mut list.lines);
    picture.spheres.append(&mut list.spheres);
    Ok(DrawList {
        meshes: picture.meshes,
        lines: picture.lines,
        spheres: picture.spheres,
        ..list
    })
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

/// Puts a moment behind later ones where they touch, and takes away its shadows.
fn recede(list: &mut DrawList, age: f32) {
    for mesh in &mut list.meshes {
        mesh.shading.lift *= 1.0 - age;
        mesh.shading.casts_shadow = false;
    }
    for set in &mut list.spheres {
        set.casts_shadow = false;
    }
}

/// Mixes all colours of a list with white.
fn pale(list: &mut DrawList, share: f32) {
    let paler = |color: [f32; 3]| mix(color, [0.92; 3], share);
    for mesh in &mut list.meshes {
        match &mut mesh.paint {
            Paint::Color(color) | Paint::Grid(color) => *color = paler(*color),
            Paint::Texture(texture) => *texture = Arc::new(pale_texture(texture, share)),
            Paint::Vertices => {}
        }
        for color in &mut mesh.colors {
            *color = paler(*color);
        }
    }
    let line_colors = list.lines.iter_mut().flat_map(|set| &mut set.colors);
    let sphere_colors = list.spheres.iter_mut().flat_map(|set| &mut set.colors);
    for color in line_colors.chain(sphere_colors) {
        *color = paler(*color);
    }
}

fn pale_texture(texture: &Texture, share: f32) -> Texture {
    // Bytes are not linear: mixing them as they are makes the dark colours a little paler still.
    let paler = |byte: u8| (f32::from(byte) + share * (246.0 - f32::from(byte))) as u8;
    Texture {
        pixels: texture
            .pixels
            .iter()
            .map(|pixel| pixel.map(paler))
            .collect(),
        ..*texture
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stylist::test_frames::{obstacle, sheet};
    use glam::DVec3;
    use pliant::obstacle::{ImplicitSurface, Sphere};

    #[test]
    fn early_moments_are_paler_and_still_obstacles_are_drawn_once() {
        let mut frames = vec![sheet(4, 4), sheet(4, 4), sheet(4, 4)];
        let ball = obstacle(Sphere::new(DVec3::ZERO, 0.5).unwrap().mesh(1.0, 8));
        for (index, frame) in frames.iter_mut().enumerate() {
            frame.obstacles.push(ball.clone());
            for position in &mut frame.bodies[0].positions {
                position.x += index as f64;
            }
        }
        let list = strobe(&frames, Style::default(), &TextureStore::default()).unwrap();
        let greens: Vec<f32> = list
            .meshes
            .iter()
            .filter_map(|mesh| match mesh.paint {
                Paint::Color(color) if color[0] != color[1] => Some(color[1]),
                _ => None,
            })
            .collect();
        assert_eq!((list.meshes.len(), greens.len()), (4, 3));
        assert!(greens[0] > greens[1] && greens[1] > greens[2]);
        // Standing still it is drawn once.
        let still = vec![frames[2].clone(); 3];
        let list = strobe(&still, Style::default(), &TextureStore::default()).unwrap();
        assert_eq!(list.meshes.len(), 2);
        let empty = strobe(&[], Style::default(), &TextureStore::default()).unwrap();
        assert!(empty.meshes.is_empty());
    }
}
