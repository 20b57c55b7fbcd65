//! Single coordinates that are fixed.

use glam::DVec3;
use pliant::body::Slider;

/// The sliders of nodes some of whose coordinates are held; those with all three are fixed instead.
pub(super) fn sliders(held: &[[bool; 3]]) -> Vec<Slider> {
    let mut sliders = Vec::new();
    for (node, held) in held
        .iter()
        .enumerate()
        .filter(|(_, held)| **held != [true; 3])
    {
        for (normal, _) in DVec3::AXES.into_iter().zip(held).filter(|(_, held)| **held) {
            sliders.push(Slider { node, normal });
        }
    }
    sliders
}
