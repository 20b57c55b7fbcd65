//! Operations of conjugate gradients on fields of which directions are `f32` and sums, solution and
//! residual `f64`. Chunks of fixed size are summed by themselves and then in order, so that the bits
//! do not depend on the number of threads.

use super::scalar_factor::Single;
use crate::math::parallel::{CHUNK, for_each_chunk_mut, ordered_sum, runs_in_parallel};
use crate::math::processor::for_this_processor;
use glam::DVec3;
use rayon::prelude::*;

/// r z, where z may be longer.
pub(super) fn inner_product(r: &[DVec3], z: &[Single]) -> f64 {
    ordered_sum(r.len(), |first, end| {
        let mut sum = 0.0;
        add_products(&r[first..end], &z[first..end], &mut sum);
        sum
    })
}

/// a b of two fields in single precision.
pub(super) fn single_product(a: &[Single], b: &[Single]) -> f64 {
    ordered_sum(a.len(), |first, end| {
        let mut sum = 0.0;
        add_single_products(&a[first..end], &b[first..end], &mut sum);
        sum
    })
}

/// p = z + beta p.
pub(super) fn continue_direction(z: &[Single], beta: f32, p: &mut [Single]) {
    for_each_chunk_mut(p, |first, p| continue_chunk(&z[first..], beta, p));
}

/// x += alpha p, r -= alpha q, z = r; returns r r. `partial` has one number per chunk.
pub(super) fn advance(
    alpha: f64,
    [p, q]: [&[Single]; 2],
    x: &mut [DVec3],
    r: &mut [DVec3],
    z: &mut [Single],
    partial: &mut [f64],
) -> f64 {
    let count = x.len();
    let z = &mut z[..count];
    let work =
        |first: usize, (x, r, z, sum): (&mut [DVec3], &mut [DVec3], &mut [Single], &mut f64)| {
            advance_chunk(alpha, [&p[first..], &q[first..]], x, r, z, sum);
        };
    if runs_in_parallel(count) {
        x.par_chunks_mut(CHUNK)
            .zip(r.par_chunks_mut(CHUNK))
            .zip(z.par_chunks_mut(CHUNK))
            .zip(partial.par_iter_mut())
            .enumerate()
            .for_each(|(index, (((x, r), z), sum))| work(index * CHUNK, (x, r, z, sum)));
    } else {
        let chunks = x.chunks_mut(CHUNK).zip(r.chunks_mut(CHUNK));
        let chunks = chunks.zip(z.chunks_mut(CHUNK)).zip(partial.iter_mut());
        for (index, (((x, r), z), sum)) in chunks.enumerate() {
            work(index * CHUNK, (x, r, z, sum));
        }
    }
    partial[..count.div_ceil(CHUNK)].iter().sum()
}

for_this_processor! {
    fn add_products(r: &[DVec3], z: &[Single], sum: &mut f64) {
        let mut total = DVec3::ZERO;
        for (r, z) in r.iter().zip(z) {
            total += *r * DVec3::new(z[0].into(), z[1].into(), z[2].into());
        }
        *sum = total.x + total.y + total.z;
    }
}

for_this_processor! {
    fn add_single_products(a: &[Single], b: &[Single], sum: &mut f64) {
        let mut total = [0.0_f64; 4];
        for (a, b) in a.iter().zip(b) {
            for c in 0..4 {
                total[c] += f64::from(a[c]) * f64::from(b[c]);
            }
        }
        *sum = total[0] + total[1] + total[2];
    }
}

for_this_processor! {
    fn continue_chunk(z: &[Single], beta: f32, p: &mut [Single]) {
        for (p, z) in p.iter_mut().zip(z) {
            *p = std::array::from_fn(|c| z[c] + beta * p[c]);
        }
    }
}

for_this_processor! {
    fn advance_chunk(alpha: f64, directions: [&[Single]; 2], x: &mut [DVec3], r: &mut [DVec3], z: &mut [Single], squares: &mut f64) {
        let [p, q] = directions;
        let mut sum = DVec3::ZERO;
        for ((((x, r), z), p), q) in x.iter_mut().zip(r).zip(z).zip(p).zip(q) {
            *x += alpha * DVec3::new(p[0].into(), p[1].into(), p[2].into());
            *r -= alpha * DVec3::new(q[0].into(), q[1].into(), q[2].into());
            *z = [r.x as f32, r.y as f32, r.z as f32, 0.0];
            sum += *r * *r;
        }
        *squares = sum.x + sum.y + sum.z;
    }
}
