//! The inner loops of grid matrices and conjugate gradients, once for every vector width.
//!
//! Products and sums are kept apart (no fused multiply-add, which was measured to gain nothing) and
//! sums run in eight lanes whatever the width of the vectors, so all instruction sets give the
//! same bits: a scene runs alike on every machine.

// The loops over vectors and components must unroll by their constant counts.
#![allow(clippy::needless_range_loop)]

use super::aligned::BLOCK;
use crate::math::processor::double_kernel;
use crate::math::vector::Vector;

/// Lanes of every running sum.
const SUM_LANES: usize = 8;

/// One stored diagonal that is not empty in a segment of rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    /// Column minus row.
    pub(crate) offset: isize,
    /// Where the value of row 0 lies in the array of all values.
    pub(crate) start: usize,
}

/// Adds up the lanes of three running sums in a fixed order.
#[inline(always)]
unsafe fn finish_sums<V: Vector<Number = f64>, const S: usize>(sums: [[V; S]; 3]) -> [f64; 3] {
    sums.map(|sum| {
        let mut lanes = [0.0; SUM_LANES];
        for (index, vector) in sum.into_iter().enumerate() {
            // SAFETY: `S * WIDTH` is `SUM_LANES`.
            unsafe { vector.store(lanes.as_mut_ptr().add(index * V::WIDTH)) };
        }
        let [a, b, c, d, e, f, g, h] = lanes;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    })
}

double_kernel! {
    /// q = A p for the rows `first..first + q[c].len()` (whole blocks), with the sums of p q over
    /// these rows. `p` is padded by a block at either end; `terms` are the diagonals that may be
    /// nonzero there, and no other is read.
    product, product_at, product_body, <>,
    (values: &[f64], terms: &[Term], p: [&[f64]; 3], first: usize, q: [&mut [f64]; 3]) -> [f64; 3]
}

/// See [`product`]. `N` vectors make a block, `S` make the lanes of a sum.
#[inline(always)]
unsafe fn product_body<V: Vector<Number = f64>, const N: usize, const S: usize>(
    values: &[f64],
    terms: &[Term],
    p: [&[f64]; 3],
    first: usize,
    q: [&mut [f64]; 3],
) -> [f64; 3] {
    let rows = q[0].len();
    let padded = p[0].len();
    assert!(rows.is_multiple_of(BLOCK) && N * V::WIDTH == BLOCK && S * V::WIDTH == SUM_LANES);
    assert!(q[1].len() == rows && q[2].len() == rows);
    assert!(p[1].len() == padded && p[2].len() == padded);
    assert!(first + rows + 2 * BLOCK <= padded);
    for term in terms {
        let low = (first + BLOCK) as isize + term.offset;
        assert!(low >= 0 && low as usize + rows <= padded);
        assert!(term.start + first + rows <= values.len());
    }
    // SAFETY: the assertions bound every address: rows `first..first + rows` of each diagonal lie
    // in `values`, the same rows shifted by each offset and by the padding lie in `p`, and whole
    // blocks of `q` are written.
    unsafe {
        let zero = V::splat(0.0);
        let mut sums = [[zero; S]; 3];
        let p = p.map(|c| c.as_ptr().add(BLOCK));
        let q = q.map(|c| c.as_mut_ptr());
        let mut row = 0;
        while row < rows {
            let mut accumulated = [[zero; N]; 3];
            for term in terms {
                let value = values.as_ptr().add(term.start + first + row);
                let shift = (first + row) as isize + term.offset;
                for v in 0..N {
                    let d = V::load(value.add(v * V::WIDTH));
                    for c in 0..3 {
                        let x = V::load(p[c].offset(shift).add(v * V::WIDTH));
                        accumulated[c][v] = accumulated[c][v].add(d.mul(x));
                    }
                }
            }
            for c in 0..3 {
                for v in 0..N {
                    accumulated[c][v].store(q[c].add(row + v * V::WIDTH));
                    let here = V::load(p[c].add(first + row + v * V::WIDTH));
                    sums[c][v % S] = sums[c][v % S].add(accumulated[c][v].mul(here));
                }
            }
            row += BLOCK;
        }
        finish_sums(sums)
    }
}

double_kernel! {
    /// y = A x for rows from `first` on, where `x` is flat, component-major and not padded and
    /// `terms` are the diagonals that may be nonzero there. Returns how many rows were done: the
    /// rest are less than a block, which the caller does one by one.
    product_unpadded, product_unpadded_at, product_unpadded_body, <>,
    (values: &[f64], terms: &[Term], x: &[f64], first: usize, y: [&mut [f64]; 3]) -> usize
}

/// See [`product_unpadded`].
#[inline(always)]
unsafe fn product_unpadded_body<V: Vector<Number = f64>, const N: usize, const S: usize>(
    values: &[f64],
    terms: &[Term],
    x: &[f64],
    first: usize,
    y: [&mut [f64]; 3],
) -> usize {
    let n = x.len() / 3;
    let rows = y[0].len() / BLOCK * BLOCK;
    assert!(N * V::WIDTH == BLOCK && x.len() == 3 * n && first + rows <= n);
    assert!(y[1].len() >= rows && y[2].len() >= rows);
    for term in terms {
        assert!(term.start + first + rows <= values.len());
    }
    let lowest = terms.iter().map(|t| t.offset).min().unwrap_or(0);
    let highest = terms.iter().map(|t| t.offset).max().unwrap_or(0);
    let y = y.map(|c| c.as_mut_ptr());
    let mut row = 0;
    while row < rows {
        let at = first + row;
        if at as isize + lowest >= 0 && at as isize + highest + BLOCK as isize <= n as isize {
            // SAFETY: the rows of the block lie in `values` and `y` by the assertions, and shifted
            // by any offset they lie in each component of `x` by the condition above.
            unsafe {
                let mut accumulated = [[V::splat(0.0); N]; 3];
                for term in terms {
                    let value = values.as_ptr().add(term.start + at);
                    let source = x.as_ptr().offset(at as isize + term.offset);
                    for v in 0..N {
                        let d = V::load(value.add(v * V::WIDTH));
                        for c in 0..3 {
                            let x = V::load(source.add(c * n + v * V::WIDTH));
                            accumulated[c][v] = accumulated[c][v].add(d.mul(x));
                        }
                    }
                }
                for c in 0..3 {
                    for v in 0..N {
                        accumulated[c][v].store(y[c].add(row + v * V::WIDTH));
                    }
                }
            }
        } else {
            let mut accumulated = [[0.0; BLOCK]; 3];
            for term in terms {
                let shift = at as isize + term.offset;
                let low = (-shift).clamp(0, BLOCK as isize) as usize;
                let high = (n as isize - shift).clamp(0, BLOCK as isize) as usize;
                if low >= high {
                    continue;
                }
                let values = &values[term.start + at..][low..high];
                for (c, accumulated) in accumulated.iter_mut().enumerate() {
                    let source = &x[(c * n + low).wrapping_add_signed(shift)..][..high - low];
                    let pairs = values.iter().zip(source);
                    for (sum, (value, x)) in accumulated[low..high].iter_mut().zip(pairs) {
                        *sum += value * x;
                    }
                }
            }
            for c in 0..3 {
                // SAFETY: the block lies in `y` by the assertions.
                unsafe {
                    std::ptr::copy_nonoverlapping(accumulated[c].as_ptr(), y[c].add(row), BLOCK);
                }
            }
        }
        row += BLOCK;
    }
    rows
}

double_kernel! {
    /// r -= alpha q for each component; returns the sums of r r / d and of r r, where `inverse` is
    /// 1 / d. All slices have the same length, a multiple of the block.
    update_residual, update_residual_at, update_residual_body, <>,
    (alpha: [f64; 3], q: [&[f64]; 3], inverse: &[f64], r: [&mut [f64]; 3]) -> ([f64; 3], [f64; 3])
}

/// See [`update_residual`].
#[inline(always)]
unsafe fn update_residual_body<V: Vector<Number = f64>, const N: usize, const S: usize>(
    alpha: [f64; 3],
    q: [&[f64]; 3],
    inverse: &[f64],
    r: [&mut [f64]; 3],
) -> ([f64; 3], [f64; 3]) {
    let rows = inverse.len();
    assert!(rows.is_multiple_of(SUM_LANES) && S * V::WIDTH == SUM_LANES);
    assert!((0..3).all(|c| q[c].len() == rows && r[c].len() == rows));
    // SAFETY: all slices have `rows` values and only indices below `rows` are used.
    unsafe {
        let zero = V::splat(0.0);
        let mut weighted = [[zero; S]; 3];
        let mut plain = [[zero; S]; 3];
        let alpha = alpha.map(|a| V::splat(a));
        let r = r.map(|c| c.as_mut_ptr());
        let mut row = 0;
        while row < rows {
            for s in 0..S {
                let at = row + s * V::WIDTH;
                let inverse = V::load(inverse.as_ptr().add(at));
                for c in 0..3 {
                    let q = V::load(q[c].as_ptr().add(at));
                    let residual = V::load(r[c].add(at)).sub(alpha[c].mul(q));
                    residual.store(r[c].add(at));
                    let square = residual.mul(residual);
                    plain[c][s] = plain[c][s].add(square);
                    weighted[c][s] = weighted[c][s].add(square.mul(inverse));
                }
            }
            row += SUM_LANES;
        }
        (finish_sums(weighted), finish_sums(plain))
    }
}

double_kernel! {
    /// x += alpha p, then p = r / d + beta p, where `inverse` is 1 / d. All slices have the same
    /// length, a multiple of the block.
    update_direction, update_direction_at, update_direction_body, <>,
    (alpha: [f64; 3], beta: [f64; 3], r: [&[f64]; 3], inverse: &[f64],
     x: [&mut [f64]; 3], p: [&mut [f64]; 3]) -> ()
}

/// See [`update_direction`].
#[inline(always)]
unsafe fn update_direction_body<V: Vector<Number = f64>, const N: usize, const S: usize>(
    alpha: [f64; 3],
    beta: [f64; 3],
    r: [&[f64]; 3],
    inverse: &[f64],
    x: [&mut [f64]; 3],
    p: [&mut [f64]; 3],
) {
    let rows = inverse.len();
    assert!(rows.is_multiple_of(SUM_LANES) && S * V::WIDTH == SUM_LANES);
    assert!((0..3).all(|c| r[c].len() == rows && x[c].len() == rows && p[c].len() == rows));
    // SAFETY: all slices have `rows` values and only indices below `rows` are used.
    unsafe {
        let alpha = alpha.map(|a| V::splat(a));
        let beta = beta.map(|b| V::splat(b));
        let x = x.map(|c| c.as_mut_ptr());
        let p = p.map(|c| c.as_mut_ptr());
        let mut row = 0;
        while row < rows {
            let inverse = V::load(inverse.as_ptr().add(row));
            for c in 0..3 {
                let direction = V::load(p[c].add(row));
                V::load(x[c].add(row))
                    .add(alpha[c].mul(direction))
                    .store(x[c].add(row));
                V::load(r[c].as_ptr().add(row))
                    .mul(inverse)
                    .add(beta[c].mul(direction))
                    .store(p[c].add(row));
            }
            row += V::WIDTH;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::aligned::PaddedField;
    use crate::math::processor::Level;

    fn noise(length: usize, seed: f64) -> Vec<f64> {
        (0..length)
            .map(|i| (i as f64 * 1.618 + seed).sin() * (1.0 + 1e3 * (i as f64 * 0.1).cos()))
            .collect()
    }

    fn bits(fields: &[&[f64]]) -> Vec<u64> {
        let flat = fields.iter().flat_map(|field| field.iter());
        flat.map(|value| value.to_bits()).collect()
    }

    #[test]
    fn all_instruction_sets_give_the_same_bits() {
        let n = 96;
        let values = noise(3 * n, 0.3);
        let terms = [
            Term {
                offset: -7,
                start: 0,
            },
            Term {
                offset: 0,
                start: n,
            },
            Term {
                offset: 7,
                start: 2 * n,
            },
        ];
        let mut results = Vec::new();
        for level in Level::all_of_this_processor() {
            let mut p = PaddedField::new(n);
            p.copy_from(&noise(3 * n, 1.0));
            let mut q = PaddedField::new(n);
            let mut r = PaddedField::new(n);
            r.copy_from(&noise(3 * n, 2.0));
            let mut x = PaddedField::new(n);
            let inverse = noise(n, 4.0);
            let coefficients = [0.3, -0.7, 1.1];
            let dots = product_at(level, &values, &terms, p.padded(), 0, q.components_mut());
            let (weighted, plain) = update_residual_at(
                level,
                coefficients,
                q.components(),
                &inverse,
                r.components_mut(),
            );
            update_direction_at(
                level,
                coefficients,
                dots,
                r.components(),
                &inverse,
                x.components_mut(),
                p.components_mut(),
            );
            let mut all = bits(&[&dots, &weighted, &plain]);
            all.extend(bits(&q.components()));
            all.extend(bits(&x.components()));
            all.extend(bits(&p.components()));
            results.push(all);
        }
        assert!(results.iter().all(|result| *result == results[0]));
    }
}
