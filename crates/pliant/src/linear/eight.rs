//! Eight `f32` that are handled together, in one register where the processor has such.
//!
//! Loops over arrays of eight would do, but whether the compiler makes vectors of them where a dozen
//! sums are kept at once is left to its mood. Every version multiplies and adds in the same order
//! without contraction, so all give the same bits.

/// Numbers handled together.
pub(crate) const PACK: usize = 8;

/// Eight numbers.
pub(crate) type Rows = [f32; PACK];

/// Eight numbers in a form that the processor works on.
pub(crate) trait Eight: Copy {
    /// # Safety
    /// The processor must have the instructions of the type; so for all of these.
    unsafe fn splat(value: f32) -> Self;
    /// # Safety
    /// See [`Eight::splat`].
    unsafe fn load(source: &Rows) -> Self;
    /// From the upper halves of `f32`.
    ///
    /// # Safety
    /// See [`Eight::splat`].
    unsafe fn lengthen(source: &[u16; PACK]) -> Self;
    /// # Safety
    /// See [`Eight::splat`].
    unsafe fn store(self, target: &mut Rows);
    /// self + a b.
    ///
    /// # Safety
    /// See [`Eight::splat`].
    unsafe fn plus_product(self, a: Self, b: Self) -> Self;
}

/// Without special instructions.
#[derive(Clone, Copy)]
pub(crate) struct Portable(Rows);

impl Eight for Portable {
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([value; PACK])
    }
    #[inline(always)]
    unsafe fn load(source: &Rows) -> Self {
        Self(*source)
    }
    #[inline(always)]
    unsafe fn lengthen(source: &[u16; PACK]) -> Self {
        Self(source.map(|half| f32::from_bits(u32::from(half) << 16)))
    }
    #[inline(always)]
    unsafe fn store(self, target: &mut Rows) {
        *target = self.0;
    }
    #[inline(always)]
    unsafe fn plus_product(self, a: Self, b: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + a.0[i] * b.0[i]))
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Eight, PACK, Rows};
    use std::arch::x86_64::*;

    // SAFETY (all functions): the caller promises AVX2; all addresses are those of references to
    // as many numbers as are read or written.
    impl Eight for __m256 {
        #[inline(always)]
        unsafe fn splat(value: f32) -> Self {
            // SAFETY: the caller promises the instructions.
            unsafe { _mm256_set1_ps(value) }
        }
        #[inline(always)]
        unsafe fn load(source: &Rows) -> Self {
            // SAFETY: the caller promises the instructions; the array has eight values.
            unsafe { _mm256_loadu_ps(source.as_ptr()) }
        }
        #[inline(always)]
        unsafe fn lengthen(source: &[u16; PACK]) -> Self {
            // SAFETY: the caller promises the instructions; the array has eight values.
            unsafe {
                let halves = _mm_loadu_si128(source.as_ptr().cast());
                _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(halves)))
            }
        }
        #[inline(always)]
        unsafe fn store(self, target: &mut Rows) {
            // SAFETY: the caller promises the instructions; the array has eight values.
            unsafe { _mm256_storeu_ps(target.as_mut_ptr(), self) }
        }
        #[inline(always)]
        unsafe fn plus_product(self, a: Self, b: Self) -> Self {
            // SAFETY: the caller promises the instructions.
            unsafe { _mm256_add_ps(self, _mm256_mul_ps(a, b)) }
        }
    }
}
