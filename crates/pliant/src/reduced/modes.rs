//! The lowest vibrations of a body.
//!
//! ```text
//! K φ = ω² M φ,     φᵀ M φ = 1
//! y = √M φ,   θ y = √M (K + s M)⁻¹ √M y,   θ = 1 / (ω² + s)
//! ```
//!
//! Block Lanczos with full orthogonalisation looks for the largest θ; each step is one solve with a sparse
//! Cholesky factor of K + s M, which is found once. A small positive s keeps the matrix definite for free
//! bodies. Motions that are known before, those of a rigid body, are kept apart: every vector is made
//! orthogonal to them. The block finds modes of the same frequency, such as the two bendings of a square
//! bar. Where most of the modes of a small body are wanted, the whole matrix is diagonalised instead.
//!
//! Implements: \[Gibson1997\] sect. 6.1.

use crate::linear::{BlockMatrix, BlockSolver, LinearError, SolverKind, SolverSettings};
use crate::math::parallel::dot;
use faer::linalg::solvers::SelfAdjointEigen;
use faer::{Mat, Side};
use glam::{DMat3, DVec3};

/// Vectors that are worked on together.
const BLOCK: usize = 4;

/// Relative error of θ at which a mode has converged.
const TOLERANCE: f64 = 1e-11;

/// s by the mean of all ω².
const SHIFT: f64 = 1e-7;

/// Unknowns up to which the whole matrix is diagonalised.
const SMALL: usize = 300;

/// The most unknowns of a body of which more than a quarter of all modes are wanted.
pub(crate) const LARGEST_WHOLE: usize = 3_000;

/// Vibrations of a body.
#[derive(Clone, Debug, Default)]
pub struct Modes {
    /// ω² of each, ascending, in 1/s².
    pub squares: Vec<f64>,
    /// The displacement of each node in each mode, with φᵀ M φ = 1, in 1/√kg.
    pub shapes: Vec<Vec<DVec3>>,
}

/// Why there are no modes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ModeError {
    /// The stiffness could not be factorised.
    #[error("the stiffness cannot be factorised: {0}")]
    Factor(#[from] LinearError),
    /// More modes than the body has.
    #[error("it has {most} vibrations, {wanted} are asked for")]
    TooMany {
        /// How many it has.
        most: usize,
        /// How many were wanted.
        wanted: usize,
    },
    /// Too many modes of a large body.
    #[error(
        "{wanted} of {most} vibrations are too many to find: at most a quarter of them, or all of a body \
         with up to {LARGEST_WHOLE}"
    )]
    TooLarge {
        /// How many it has.
        most: usize,
        /// How many were wanted.
        wanted: usize,
    },
    /// The iteration did not end.
    #[error("the search for {wanted} vibrations did not converge")]
    NotConverged {
        /// How many were wanted.
        wanted: usize,
    },
}

/// The `count` lowest vibrations of masses (in kilograms) on a stiffness (in newtons per metre), in which
/// fixed nodes rest. `apart` are motions that are no vibrations; they need not be orthogonal.
pub fn lowest_modes(
    stiffness: &BlockMatrix,
    masses: &[f64],
    fixed: &[bool],
    apart: &[Vec<DVec3>],
    count: usize,
) -> Result<Modes, ModeError> {
    let roots: Vec<f64> = masses.iter().map(|mass| mass.sqrt()).collect();
    let scaled = |motion: &Vec<DVec3>| {
        let motion = motion.iter().zip(&roots).zip(fixed);
        let scaled = motion.map(|((x, root), &fixed)| if fixed { DVec3::ZERO } else { *x * *root });
        scaled.collect::<Vec<DVec3>>()
    };
    let mut known: Vec<Vec<DVec3>> = Vec::new();
    for motion in apart {
        let mut motion = scaled(motion);
        let length = dot(&motion, &motion).sqrt();
        if orthogonalise(&mut motion, &[&known]) > 1e-9 * length && length > 0.0 {
            known.push(motion);
        }
    }
    let free = 3 * fixed.iter().filter(|fixed| !**fixed).count();
    let most = free.saturating_sub(known.len());
    check_count(most, count)?;
    let search = Search {
        stiffness,
        roots: &roots,
        fixed,
        known,
        count,
        most,
    };
    let mut modes = if most <= SMALL || count > most / 4 {
        search.whole()?
    } else {
        search.lanczos()?
    };
    search.finish(&mut modes);
    Ok(modes)
}

/// Whether so many of `most` modes can be found.
pub(crate) fn check_count(most: usize, wanted: usize) -> Result<(), ModeError> {
    if wanted > most {
        return Err(ModeError::TooMany { most, wanted });
    }
    if most > LARGEST_WHOLE && wanted > most / 4 {
        return Err(ModeError::TooLarge { most, wanted });
    }
    Ok(())
}

struct Search<'a> {
    stiffness: &'a BlockMatrix,
    roots: &'a [f64],
    fixed: &'a [bool],
    /// Orthonormal.
    known: Vec<Vec<DVec3>>,
    count: usize,
    most: usize,
}

impl Search<'_> {
    /// M^-½ K M^-½ of the free nodes as a whole, with what is known apart lifted above all else.
    fn whole(&self) -> Result<Modes, ModeError> {
        let nodes: Vec<usize> = (0..self.fixed.len()).filter(|&n| !self.fixed[n]).collect();
        let mut place = vec![usize::MAX; self.fixed.len()];
        for (index, &node) in nodes.iter().enumerate() {
            place[node] = index;
        }
        let size = 3 * nodes.len();
        let mut matrix: Mat<f64> = Mat::zeros(size, size);
        let mut lift: f64 = 0.0;
        for (i, &row) in nodes.iter().enumerate() {
            let mut sum = 0.0;
            for slot in self.stiffness.row_range(row) {
                let column = self.stiffness.column(slot);
                if place[column] == usize::MAX {
                    continue;
                }
                let scale = 1.0 / (self.roots[row] * self.roots[column]);
                let block = *self.stiffness.block(slot) * scale;
                for c in 0..3 {
                    for r in 0..3 {
                        matrix[(3 * i + r, 3 * place[column] + c)] += block.col(c)[r];
                        sum += block.col(c)[r].abs();
                    }
                }
            }
            lift = lift.max(sum);
        }
        let lift = 2.0 * lift + 1.0;
        for known in &self.known {
            let flat = |k: usize| known[nodes[k / 3]][k % 3];
            for c in 0..size {
                for r in 0..size {
                    matrix[(r, c)] += lift * flat(r) * flat(c);
                }
            }
        }
        let wanted = self.count;
        let eigen = SelfAdjointEigen::new(matrix.as_ref(), Side::Lower)
            .map_err(|_| ModeError::NotConverged { wanted })?;
        let shapes = (0..wanted).map(|mode| {
            let mut shape = vec![DVec3::ZERO; self.fixed.len()];
            for (i, &node) in nodes.iter().enumerate() {
                shape[node] =
                    DVec3::from_array(std::array::from_fn(|c| eigen.U()[(3 * i + c, mode)]));
            }
            shape
        });
        Ok(Modes {
            squares: Vec::new(),
            shapes: shapes.collect(),
        })
    }

    fn lanczos(&self) -> Result<Modes, ModeError> {
        let mut inverse = self.shifted_inverse()?;
        let mut noise = Noise(1);
        let mut basis: Vec<Vec<DVec3>> = Vec::new();
        let mut block = Vec::new();
        while block.len() < BLOCK.min(self.most) {
            let mut vector = self.random(&mut noise);
            if orthogonalise(&mut vector, &[&self.known, &block]) > 0.0 {
                block.push(vector);
            }
        }
        // T = Qᵀ A Q, column by column.
        let mut projected: Vec<Vec<f64>> = Vec::new();
        let limit = self.most.min(20 * self.count + 400);
        loop {
            basis.append(&mut block);
            let start = projected.len();
            for column in start..basis.len() {
                let mut image = inverse.apply(&basis[column])?;
                orthogonalise_only(&mut image, &[&self.known]);
                let mut row = vec![0.0; basis.len()];
                for _ in 0..2 {
                    for (q, coefficient) in basis.iter().zip(&mut row) {
                        let along = dot(q, &image);
                        *coefficient += along;
                        add(&mut image, -along, q);
                    }
                }
                projected.push(row);
                block.push(image);
            }
            let rest = self.next_block(&mut block, &basis, &mut noise);
            let size = basis.len();
            if size >= self.count
                && (size < 200
                    || size.is_multiple_of(5 * BLOCK)
                    || size >= limit
                    || block.is_empty())
            {
                let eigen = diagonalise(&projected, self.count)?;
                let done = (0..self.count).all(|k| {
                    let column = size - 1 - k;
                    let error: f64 = rest
                        .iter()
                        .map(|row| {
                            let terms = row.iter().enumerate();
                            let sum: f64 =
                                terms.map(|(j, r)| r * eigen.U()[(start + j, column)]).sum();
                            sum * sum
                        })
                        .sum();
                    error.sqrt() <= TOLERANCE * eigen.S()[column]
                });
                if done || block.is_empty() {
                    return Ok(self.combine(&basis, &eigen));
                }
            }
            if size >= limit {
                return Err(ModeError::NotConverged { wanted: self.count });
            }
        }
    }

    /// Makes what is left of the images the next block; gives the coefficients by which they were the sum
    /// of it. Where nothing is left, a random vector takes its place.
    fn next_block(
        &self,
        block: &mut Vec<Vec<DVec3>>,
        basis: &[Vec<DVec3>],
        noise: &mut Noise,
    ) -> Vec<Vec<f64>> {
        let images = std::mem::take(block);
        let largest = images
            .iter()
            .map(|image| dot(image, image).sqrt())
            .fold(0.0, f64::max);
        let mut rest: Vec<Vec<f64>> = Vec::new();
        let width = images.len();
        for (index, mut image) in images.into_iter().enumerate() {
            for (row, q) in rest.iter_mut().zip(block.iter()) {
                let along = dot(q, &image);
                row[index] = along;
                add(&mut image, -along, q);
            }
            let length = dot(&image, &image).sqrt();
            let mut row = vec![0.0; width];
            if length > 1e-13 * largest && length > 0.0 {
                row[index] = length;
                orthogonalise(&mut image, &[&self.known, basis, block]);
            } else {
                image = self.random(noise);
                let before = dot(&image, &image).sqrt();
                let left = orthogonalise(&mut image, &[&self.known, basis, block]);
                if left <= 1e-8 * before {
                    continue;
                }
            }
            rest.push(row);
            block.push(image);
        }
        rest
    }

    /// The Ritz vectors of the largest θ.
    fn combine(&self, basis: &[Vec<DVec3>], eigen: &SelfAdjointEigen<f64>) -> Modes {
        let shapes = (0..self.count).map(|k| {
            let mut shape = vec![DVec3::ZERO; self.roots.len()];
            for (j, q) in basis.iter().enumerate() {
                add(&mut shape, eigen.U()[(j, basis.len() - 1 - k)], q);
            }
            shape
        });
        Modes {
            squares: Vec::new(),
            shapes: shapes.collect(),
        }
    }

    fn shifted_inverse(&self) -> Result<Inverse<'_>, ModeError> {
        let mut matrix = self.stiffness.clone();
        let nodes = self.roots.len();
        let trace: f64 = (0..nodes)
            .filter(|&node| !self.fixed[node])
            .map(|node| {
                let block = matrix.block(matrix.diagonal_slot(node));
                (block.x_axis.x + block.y_axis.y + block.z_axis.z) / self.roots[node].powi(2)
            })
            .sum();
        let shift = SHIFT * trace / self.most as f64;
        for node in 0..nodes {
            let slot = matrix.diagonal_slot(node);
            let mass = self.roots[node].powi(2);
            matrix.add_at(slot, DMat3::from_diagonal(DVec3::splat(shift * mass)));
        }
        matrix.pin(self.fixed);
        let settings = SolverSettings {
            kind: SolverKind::Cholesky,
            tolerance: 1e-13,
            ..SolverSettings::default()
        };
        let mut solver = BlockSolver::new(settings, &matrix);
        solver.prepare(&matrix)?;
        Ok(Inverse {
            solver,
            matrix,
            roots: self.roots,
        })
    }

    fn random(&self, noise: &mut Noise) -> Vec<DVec3> {
        let vector = self.fixed.iter().map(|&fixed| {
            let value = DVec3::new(noise.next(), noise.next(), noise.next());
            if fixed { DVec3::ZERO } else { value }
        });
        vector.collect()
    }

    /// Orthonormal shapes with their frequencies, ascending.
    fn finish(&self, modes: &mut Modes) {
        let shapes = std::mem::take(&mut modes.shapes);
        let mut clean: Vec<Vec<DVec3>> = Vec::new();
        for mut shape in shapes {
            orthogonalise(&mut shape, &[&self.known, &clean]);
            clean.push(shape);
        }
        let mut product = vec![DVec3::ZERO; self.roots.len()];
        let mut pairs: Vec<(f64, Vec<DVec3>)> = Vec::new();
        for mut shape in clean {
            for (x, root) in shape.iter_mut().zip(self.roots) {
                *x /= *root;
            }
            self.stiffness.multiply(&shape, &mut product);
            pairs.push((dot(&shape, &product).max(0.0), shape));
        }
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        (modes.squares, modes.shapes) = pairs.into_iter().unzip();
    }
}

/// √M (K + s M)⁻¹ √M.
struct Inverse<'a> {
    solver: BlockSolver,
    matrix: BlockMatrix,
    roots: &'a [f64],
}

impl Inverse<'_> {
    fn apply(&mut self, vector: &[DVec3]) -> Result<Vec<DVec3>, ModeError> {
        let scale = |v: &[DVec3]| -> Vec<DVec3> {
            let pairs = v.iter().zip(self.roots);
            pairs.map(|(x, root)| *x * *root).collect()
        };
        let right = scale(vector);
        let mut image = vec![DVec3::ZERO; right.len()];
        self.solver.solve(&self.matrix, None, &right, &mut image)?;
        Ok(scale(&image))
    }
}

fn diagonalise(projected: &[Vec<f64>], wanted: usize) -> Result<SelfAdjointEigen<f64>, ModeError> {
    // Column j has entries up to the block of j; below them symmetry fills in.
    let entry = |i: usize, j: usize| projected[j].get(i).copied();
    let size = projected.len();
    let matrix = Mat::from_fn(size, size, |i, j| entry(i.min(j), i.max(j)).unwrap_or(0.0));
    SelfAdjointEigen::new(matrix.as_ref(), Side::Lower)
        .map_err(|_| ModeError::NotConverged { wanted })
}

fn add(sum: &mut [DVec3], factor: f64, vector: &[DVec3]) {
    for (sum, x) in sum.iter_mut().zip(vector) {
        *sum += factor * *x;
    }
}

/// Takes away what lies along orthonormal vectors, twice.
fn orthogonalise_only(vector: &mut [DVec3], others: &[&[Vec<DVec3>]]) {
    for _ in 0..2 {
        for q in others.iter().copied().flatten() {
            let along = dot(q, vector);
            add(vector, -along, q);
        }
    }
}

/// The same, then makes it a unit vector; gives the length that was left.
fn orthogonalise(vector: &mut [DVec3], others: &[&[Vec<DVec3>]]) -> f64 {
    orthogonalise_only(vector, others);
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|x| *x /= length);
    }
    length
}

/// The same numbers in every run, between -1 and 1.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

#[cfg(test)]
mod tests;
