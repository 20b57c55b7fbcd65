//! Loops and sums over chunks that give the same bits whatever the number of threads.
//!
//! The work is cut into chunks whose size never depends on the number of threads; each chunk is
//! summed on its own and the partial sums are added in the order of the chunks. Short loops run on
//! the calling thread, with the same additions in the same order.

use glam::DVec3;
use rayon::prelude::*;

/// Elements a chunk: the unit of work and of partial sums.
pub const CHUNK: usize = 2048;

/// Loops over fewer elements than this stay on the calling thread, since waking others costs more.
pub const PARALLEL_THRESHOLD: usize = 20_000;

/// Whether a loop over `count` elements is spread over the threads.
pub fn runs_in_parallel(count: usize) -> bool {
    count >= PARALLEL_THRESHOLD && rayon::current_num_threads() > 1
}

/// Calls `work` with the index of the first element and the elements of each chunk of `data`.
pub fn for_each_chunk_mut<T: Send>(data: &mut [T], work: impl Fn(usize, &mut [T]) + Sync) {
    if runs_in_parallel(data.len()) {
        data.par_chunks_mut(CHUNK)
            .enumerate()
            .for_each(|(index, chunk)| work(index * CHUNK, chunk));
    } else {
        for (index, chunk) in data.chunks_mut(CHUNK).enumerate() {
            work(index * CHUNK, chunk);
        }
    }
}

/// As [`for_each_chunk_mut`], with the elements of two fields of the same length.
pub fn for_each_chunk_of_two<T: Send, U: Send>(
    a: &mut [T],
    b: &mut [U],
    work: impl Fn(usize, &mut [T], &mut [U]) + Sync,
) {
    if runs_in_parallel(a.len()) {
        a.par_chunks_mut(CHUNK)
            .zip(b.par_chunks_mut(CHUNK))
            .enumerate()
            .for_each(|(index, (a, b))| work(index * CHUNK, a, b));
    } else {
        let chunks = a.chunks_mut(CHUNK).zip(b.chunks_mut(CHUNK));
        for (index, (a, b)) in chunks.enumerate() {
            work(index * CHUNK, a, b);
        }
    }
}

/// Sums `partial(first, end)` over the chunks of `0..count`, always in the order of the chunks.
///
/// Partial sums wait in a fixed buffer, so nothing is allocated.
pub fn ordered_sum(count: usize, partial: impl Fn(usize, usize) -> f64 + Sync) -> f64 {
    const BATCH: usize = 64;
    let parallel = runs_in_parallel(count);
    let mut sums = [0.0; BATCH];
    let mut total = 0.0;
    let mut batch_start = 0;
    while batch_start < count {
        let chunks = (count - batch_start).div_ceil(CHUNK).min(BATCH);
        let range_of = |index: usize| {
            let first = batch_start + index * CHUNK;
            (first, (first + CHUNK).min(count))
        };
        let work = |(index, sum): (usize, &mut f64)| {
            let (first, end) = range_of(index);
            *sum = partial(first, end);
        };
        if parallel {
            sums[..chunks].par_iter_mut().enumerate().for_each(work);
        } else {
            sums[..chunks].iter_mut().enumerate().for_each(work);
        }
        for sum in &sums[..chunks] {
            total += sum;
        }
        batch_start += chunks * CHUNK;
    }
    total
}

/// The dot product of two fields of vectors, in a fixed order of additions.
///
/// # Panics
/// If the lengths differ.
pub fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    ordered_sum(a.len(), |first, end| {
        let mut sum = DVec3::ZERO;
        for (a, b) in a[first..end].iter().zip(&b[first..end]) {
            sum += *a * *b;
        }
        sum.x + sum.y + sum.z
    })
}

/// The dot product of two flat fields, in a fixed order of additions.
///
/// # Panics
/// If the lengths differ.
pub fn dot_scalar(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    ordered_sum(a.len(), |first, end| {
        let (a, b) = (&a[first..end], &b[first..end]);
        let mut lanes = [0.0; 8];
        let whole = a.len() / 8 * 8;
        for (a, b) in a[..whole].chunks_exact(8).zip(b[..whole].chunks_exact(8)) {
            for lane in 0..8 {
                lanes[lane] += a[lane] * b[lane];
            }
        }
        for (lane, (a, b)) in a[whole..].iter().zip(&b[whole..]).enumerate() {
            lanes[lane] += a * b;
        }
        lanes.iter().sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(work)
    }

    #[test]
    fn sums_have_the_same_bits_with_any_number_of_threads() {
        let field: Vec<DVec3> = (0..300_001)
            .map(|i| {
                let t = i as f64;
                DVec3::new((t * 0.37).sin(), 1.0 / (1.0 + t), (t * 1.7).cos() * 1e8)
            })
            .collect();
        let one = with_threads(1, || dot(&field, &field));
        for threads in [2, 3, 4] {
            let several = with_threads(threads, || dot(&field, &field));
            assert_eq!(one.to_bits(), several.to_bits());
        }
    }

    #[test]
    fn every_element_is_visited_once() {
        let mut data = vec![0usize; 50_001];
        with_threads(2, || {
            for_each_chunk_mut(&mut data, |first, chunk| {
                for (index, value) in chunk.iter_mut().enumerate() {
                    *value += first + index + 1;
                }
            });
        });
        assert!(data.iter().enumerate().all(|(i, &value)| value == i + 1));
    }

    #[test]
    fn sums_of_nothing_and_of_few_are_right() {
        assert_eq!(dot(&[], &[]), 0.0);
        let a: Vec<f64> = (1..=11).map(f64::from).collect();
        assert_eq!(dot_scalar(&a, &a), 506.0);
        assert_eq!(ordered_sum(200_000, |first, end| (end - first) as f64), 2e5);
    }
}
