//! One symmetric multigrid cycle on an open sheet, in single precision: a preconditioner.
//!
//! On each level: smooth from zero by lines, correct from the next coarser sheet, smooth by lines.
//! Coarse matrices are those of Galerkin; the coarsest sheet, four nodes a side or fewer, is
//! solved by a dense Cholesky factorisation. A preconditioner only has to be near the inverse, so
//! single precision serves: the conjugate gradients round it work in double precision.
//!
//! Nodes that are held (rows of the identity) are left out of the coarser sheets: an interpolated
//! correction would move them, and their rows weigh too little for anything to move them back.
//!
//! Implements: the multigrid method of \[Terzopoulos1988\] section 5, after \[Hackbusch1985\].
//! Departures: it preconditions conjugate gradients; smoothing by lines in both directions.

use super::coarsening::Coarsening;
use super::layout::{Layout, Planes};
use super::lines::Lines;
use super::stencil::{DIAGONAL, NARROW, SheetMatrix};
use super::transfer::Transfer;
use crate::linear::GridMatrix;
use crate::linear::dense_cholesky::DenseCholesky;

/// The way from a level to the next.
struct Passage {
    transfer: Transfer,
    coarsening: Coarsening,
}

/// One sheet of the hierarchy.
struct Level {
    matrix: SheetMatrix,
    lines: Lines,
    passage: Option<Passage>,
    /// Where held nodes are in a plane, and what interpolation must leave there.
    held: Vec<usize>,
    kept: Vec<[f32; 3]>,
    b: Planes,
    x: Planes,
    /// b - A x.
    rest: Planes,
}

impl Level {
    fn new(matrix: SheetMatrix) -> Self {
        let layout = matrix.layout;
        let nodes = layout.nx * layout.ny;
        // Made one by one, so that they do not start at the same place of a page.
        let field = || Planes::new(&layout, 3);
        Self {
            matrix,
            lines: Lines::new(layout),
            passage: None,
            held: Vec::with_capacity(nodes),
            kept: Vec::with_capacity(nodes),
            b: field(),
            x: field(),
            rest: field(),
        }
    }

    /// The matrix of the next level, without the rows of held nodes.
    fn coarsen(&mut self, next: &mut Level) {
        let Some(passage) = &mut self.passage else {
            return;
        };
        let diagonal = self.matrix.planes.plane_mut(DIAGONAL);
        self.kept.clear();
        for &place in &self.held {
            self.kept.push([diagonal[place]; 3]);
            diagonal[place] = 0.0;
        }
        passage.coarsening.apply(&self.matrix, &mut next.matrix);
        let diagonal = self.matrix.planes.plane_mut(DIAGONAL);
        for (&place, [value, ..]) in self.held.iter().zip(&self.kept) {
            diagonal[place] = *value;
        }
        // A coarse node all of whose fine nodes are held has an empty row.
        next.held.clear();
        let layout = next.matrix.layout;
        let diagonal = next.matrix.planes.plane_mut(DIAGONAL);
        for j in 0..layout.ny {
            for place in layout.row(j)..layout.row(j) + layout.nx {
                if diagonal[place] == 0.0 {
                    diagonal[place] = 1.0;
                    next.held.push(place);
                }
            }
        }
        next.matrix.fill_margin();
    }

    /// x += P e but for held nodes.
    fn correct(&mut self, e: &Planes) {
        let Some(passage) = &mut self.passage else {
            return;
        };
        self.kept.clear();
        let field = self.x.field();
        for &place in &self.held {
            self.kept.push(field.map(|c| c[place]));
        }
        passage.transfer.interpolate(e, &mut self.x);
        for (c, component) in self.x.field_mut().into_iter().enumerate() {
            for (&place, kept) in self.held.iter().zip(&self.kept) {
                component[place] = kept[c];
            }
        }
    }

    /// The right-hand side of the next level: P^T (b - A x) but for held nodes.
    fn restrict(&mut self, target: &mut Planes) {
        self.matrix.residual(&self.b, &self.x, &mut self.rest);
        for component in self.rest.field_mut() {
            for &place in &self.held {
                component[place] = 0.0;
            }
        }
        if let Some(passage) = &mut self.passage {
            passage.transfer.restrict(&self.rest, target);
        }
    }
}

/// A hierarchy of sheets; see the module.
pub(crate) struct Cycle {
    levels: Vec<Level>,
    coarsest: DenseCholesky,
    coarse_b: Vec<[f64; 4]>,
    coarse_x: Vec<[f64; 4]>,
    scale: f64,
}

impl Cycle {
    /// Memory for matrices over sheets of `nx` by `ny` nodes.
    pub(crate) fn new(nx: usize, ny: usize) -> Self {
        let mut levels = vec![Level::new(SheetMatrix::new(Layout::new(nx, ny), &NARROW))];
        while let Some(level) = levels.last_mut() {
            let transfer = Transfer::new(level.matrix.layout);
            if transfer.shapes.coarse == level.matrix.layout {
                break;
            }
            let (coarsening, coarse) = Coarsening::new(&level.matrix, &transfer);
            level.passage = Some(Passage {
                transfer,
                coarsening,
            });
            levels.push(Level::new(coarse));
        }
        let layout = levels.last().map(|level| level.matrix.layout);
        let size = layout.map_or(0, |layout| layout.nx * layout.ny);
        Self {
            levels,
            coarsest: DenseCholesky::new(size),
            coarse_b: vec![[0.0; 4]; size],
            coarse_x: vec![[0.0; 4]; size],
            scale: 1.0,
        }
    }

    /// Takes in the numbers of a matrix times `scale`; false if single precision is not enough for
    /// it, or if it is not positive definite. Rows of the identity are looked for if there may be
    /// any.
    pub(crate) fn refill(&mut self, matrix: &GridMatrix, scale: f64, may_hold: bool) -> bool {
        self.scale = scale;
        let finest = &mut self.levels[0];
        finest.matrix.refill(matrix, scale);
        finest.held.clear();
        if may_hold {
            find_held(matrix, &finest.matrix.layout, &mut finest.held);
        }
        for index in 0..self.levels.len() - 1 {
            let (done, rest) = self.levels.split_at_mut(index + 1);
            let level = &mut done[index];
            if !level.lines.factorise(&level.matrix) {
                return false;
            }
            level.coarsen(&mut rest[0]);
        }
        let last = &self.levels[self.levels.len() - 1];
        self.coarsest
            .factorise_from(|row, target| dense_row(&last.matrix, row, target))
            .is_ok()
    }

    /// The right-hand side r; only nodes of the sheet may be written.
    pub(crate) fn right(&mut self) -> &mut Planes {
        &mut self.levels[0].b
    }

    /// z = M^-1 r for the right-hand side that was filled in.
    pub(crate) fn apply(&mut self) {
        self.run(0);
    }

    /// z of the last [`Cycle::apply`].
    pub(crate) fn solution(&self) -> &Planes {
        &self.levels[0].x
    }

    /// The right-hand side and z of the last [`Cycle::apply`].
    pub(crate) fn right_and_solution(&self) -> (&Planes, &Planes) {
        (&self.levels[0].b, &self.levels[0].x)
    }

    /// The matrix in single precision.
    pub(crate) fn finest(&self) -> &SheetMatrix {
        &self.levels[0].matrix
    }

    /// What the matrix was multiplied by.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// The shape of the finest sheet.
    pub(crate) fn layout(&self) -> Layout {
        self.levels[0].matrix.layout
    }

    fn run(&mut self, index: usize) {
        if index + 1 == self.levels.len() {
            self.solve_coarsest();
            return;
        }
        let (done, rest) = self.levels.split_at_mut(index + 1);
        let level = &mut done[index];
        level.lines.smooth(&level.b, &mut level.x, true);
        level.restrict(&mut rest[0].b);
        self.run(index + 1);
        let (done, rest) = self.levels.split_at_mut(index + 1);
        let level = &mut done[index];
        level.correct(&rest[0].x);
        level.matrix.residual(&level.b, &level.x, &mut level.rest);
        level.lines.smooth(&level.rest, &mut level.x, false);
    }

    fn solve_coarsest(&mut self) {
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        let layout = level.matrix.layout;
        let place = |node: usize| layout.row(node / layout.nx) + node % layout.nx;
        let b = level.b.field();
        for (node, target) in self.coarse_b.iter_mut().enumerate() {
            for c in 0..3 {
                target[c] = f64::from(b[c][place(node)]);
            }
        }
        self.coarsest.solve(&self.coarse_b, &mut self.coarse_x);
        for (c, component) in level.x.field_mut().into_iter().enumerate() {
            for (node, value) in self.coarse_x.iter().enumerate() {
                component[place(node)] = value[c] as f32;
            }
        }
    }
}

/// Rows of the identity: a diagonal of one and no couplings.
fn find_held(matrix: &GridMatrix, layout: &Layout, held: &mut Vec<usize>) {
    let Some(diagonal) = matrix.diagonal_of(0) else {
        return;
    };
    for (node, &value) in matrix.values(diagonal).iter().enumerate() {
        if value == 1.0 {
            let slots = 0..matrix.offsets().len();
            let coupled = slots
                .filter(|&slot| slot != diagonal)
                .any(|slot| matrix.values(slot)[node] != 0.0);
            if !coupled {
                held.push(layout.row(node / layout.nx) + node % layout.nx);
            }
        }
    }
}

/// A row of a matrix, dense.
fn dense_row(matrix: &SheetMatrix, row: usize, target: &mut [f64]) {
    let layout = matrix.layout;
    let (i, j) = (row % layout.nx, row / layout.nx);
    target.fill(0.0);
    for dy in -2..=2 {
        for dx in -2..=2 {
            let (i, j) = (i.wrapping_add_signed(dx), j.wrapping_add_signed(dy));
            if i < layout.nx
                && j < layout.ny
                && let Some((plane, shift)) = matrix.coupling([dx, dy])
            {
                let place = layout.row(row / layout.nx) + row % layout.nx;
                let value = matrix.planes.plane(plane)[place.wrapping_add_signed(shift)];
                target[j * layout.nx + i] = f64::from(value);
            }
        }
    }
}
