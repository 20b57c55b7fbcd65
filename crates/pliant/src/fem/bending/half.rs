//! The Hessian of bending, in single precision, for rough solves.
//!
//! ```text
//! A_ij = Σ over fans of Σ_k g_ik g_jkᵀ,    g_ik = Σ over spokes of weight_k ∂θ/∂x_i
//! ```
//!
//! The three g of a node of a fan lie on one line, and so does a block: numbers of a block are found side by
//! side ([`Quads`]).

use super::layout::Layout;
use crate::fem::pack_assembly::{HalfAssembly, HalfWindow};
use crate::linear::{HalfBlocks, Line};
use crate::math::outer;
use crate::math::parallel::for_each_chunk_mut;
use crate::math::processor::quads_kernel;
use crate::math::vector::Quads;
use glam::DVec3;

/// Fans and where their blocks are.
#[derive(Clone, Debug, Default)]
pub(super) struct HalfBending {
    assembly: HalfAssembly,
    /// Where the parts of a node of a fan start.
    part_starts: Vec<u32>,
    /// `[4 hinge + corner, spoke]`.
    parts: Vec<[u32; 2]>,
    /// Of each spoke.
    weights: Vec<[f32; 4]>,
    /// ∂θ/∂x of the four nodes of each hinge.
    slopes: Vec<Line>,
    /// g of each node of each fan.
    fan_slopes: Vec<Line>,
}

/// A vector and a zero.
fn four(v: DVec3) -> [f32; 4] {
    [v.x as f32, v.y as f32, v.z as f32, 0.0]
}

impl HalfBending {
    /// Looks up the blocks of fans in a matrix.
    pub(super) fn attach(&mut self, layout: &Layout, half: &HalfBlocks) {
        let fans = (0..layout.fan_count()).map(|fan| layout.nodes(fan));
        self.assembly.attach(half, 1, fans, |nodes, visit| {
            for (place, &column) in nodes.iter().enumerate() {
                for &row in &nodes[..=place] {
                    visit([row, column]);
                }
            }
        });
        self.part_starts = vec![0];
        self.parts.clear();
        for entry in 0..layout.entry_count() {
            self.parts.extend(layout.parts(entry));
            self.part_starts.push(self.parts.len() as u32);
        }
        self.weights = layout.weights().iter().map(|w| four(*w)).collect();
        self.fan_slopes = vec![Line::ZERO; layout.entry_count()];
    }

    /// Adds the blocks of fans and junctions; `slopes` are ∂θ/∂x of the hinges, `nodes` gives theirs.
    pub(super) fn add(
        &mut self,
        layout: &Layout,
        slopes: &[[DVec3; 4]],
        nodes: impl Fn(usize) -> [u32; 4],
        half: &mut HalfBlocks,
    ) {
        self.slopes.resize(slopes.len(), Line::ZERO);
        for_each_chunk_mut(&mut self.slopes, |first, lines| {
            for (line, slopes) in lines.iter_mut().zip(&slopes[first..]) {
                for (group, slope) in line.0.chunks_exact_mut(4).zip(slopes) {
                    group.copy_from_slice(&four(*slope));
                }
            }
        });
        let (starts, parts) = (&self.part_starts, &self.parts);
        let (weights, lines) = (&self.weights, &self.slopes);
        for_each_chunk_mut(&mut self.fan_slopes, |first, fan_slopes| {
            sum_slopes(
                [&starts[first..], parts.as_flattened()],
                weights,
                lines,
                fan_slopes,
            );
        });
        let (assembly, fan_slopes) = (&self.assembly, &self.fan_slopes);
        assembly.over_lines(half, |fans, window| {
            add_fans(
                fans,
                [&assembly.starts, &assembly.slots],
                layout,
                fan_slopes,
                window,
            );
        });
        for (hinge, stiffness) in (layout.first_junction()..).zip(layout.junctions()) {
            let nodes = nodes(hinge);
            for (a, &row) in nodes.iter().enumerate() {
                for (b, &column) in nodes.iter().enumerate() {
                    if row <= column {
                        let block = outer(*stiffness * slopes[hinge][a], slopes[hinge][b]);
                        half.add(row as usize, column as usize, &block);
                    }
                }
            }
        }
    }
}

quads_kernel! {
    /// g of nodes of fans. `parts` are where those of each node start, and the parts of all nodes.
    sum_slopes, sum_slopes_at, sum_slopes_body, <>,
    (parts: [&[u32]; 2], weights: &[[f32; 4]], slopes: &[Line], fan_slopes: &mut [Line]) -> ()
}

#[inline(always)]
unsafe fn sum_slopes_body<V: Quads>(
    [starts, parts]: [&[u32]; 2],
    weights: &[[f32; 4]],
    slopes: &[Line],
    fan_slopes: &mut [Line],
) {
    let parts = parts.as_chunks::<2>().0;
    for (entry, target) in fan_slopes.iter_mut().enumerate() {
        let range = starts[entry] as usize..starts[entry + 1] as usize;
        // SAFETY: the kernel promises the instructions; a line has sixteen numbers.
        unsafe {
            let mut sum = V::splat(0.0);
            for &[corner, spoke] in &parts[range] {
                let slope = V::repeat(slopes[corner as usize / 4].group(corner as usize % 4));
                sum = sum.add(V::spread(&weights[spoke as usize]).mul(slope));
            }
            sum.store(target.0.as_mut_ptr());
        }
    }
}

quads_kernel! {
    /// Adds the blocks of fans; `places` are where the slots of each start, and all slots.
    add_fans, add_fans_at, add_fans_body, <>,
    (fans: &[u32], places: [&[u32]; 2], layout: &Layout, fan_slopes: &[Line], window: HalfWindow) -> ()
}

#[inline(always)]
unsafe fn add_fans_body<V: Quads>(
    fans: &[u32],
    [starts, slots]: [&[u32]; 2],
    layout: &Layout,
    fan_slopes: &[Line],
    mut window: HalfWindow,
) {
    for &fan in fans {
        let g = &fan_slopes[layout.entries(fan as usize)];
        let mut slots = slots[starts[fan as usize] as usize..].iter();
        for (place, column) in g.iter().enumerate() {
            // SAFETY: the kernel promises the instructions; a line has sixteen numbers.
            unsafe {
                let c0 = V::spread(column.group(0));
                let c1 = V::spread(column.group(1));
                let c2 = V::spread(column.group(2));
                for (row, &slot) in g[..=place].iter().zip(&mut slots) {
                    let Some(line) = window.line(slot) else {
                        continue;
                    };
                    let block = V::repeat(row.group(0))
                        .mul(c0)
                        .add(V::repeat(row.group(1)).mul(c1))
                        .add(V::repeat(row.group(2)).mul(c2));
                    let sum = V::load(line.0.as_ptr()).add(block);
                    sum.store(line.0.as_mut_ptr());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::processor::Level;

    #[test]
    fn slopes_of_fans_have_the_same_bits_on_every_processor() {
        let number = |i: usize| (1.7 * i as f32).sin();
        let slopes: Vec<Line> = (0..5)
            .map(|hinge| Line(std::array::from_fn(|i| number(16 * hinge + i))))
            .collect();
        let weights: Vec<[f32; 4]> = (0..3)
            .map(|spoke| std::array::from_fn(|i| number(40 * spoke + i)))
            .collect();
        let (starts, parts) = ([0, 2, 3, 6], [0, 0, 7, 1, 19, 2, 4, 1, 11, 0, 12, 2]);
        let run = |level: Level| {
            let mut found = [Line::ZERO; 3];
            sum_slopes_at(level, [&starts, &parts], &weights, &slopes, &mut found);
            found.map(|line| line.0)
        };
        let levels = Level::all_of_this_processor();
        let wanted = run(levels[0]);
        let first = weights[0][1] * slopes[0].0[2] + weights[1][1] * slopes[1].0[14];
        assert_eq!(wanted[0][6], first);
        for level in levels {
            assert_eq!(run(level), wanted, "{level:?}");
        }
    }
}
