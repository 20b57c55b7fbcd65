//! Groups of four `f32` in the registers of AVX2 and AVX-512.

use super::{Quads, Vector};
use std::arch::x86_64::*;

/// Sixteen `f32` in two registers of 32 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Pair(__m256, __m256);

macro_rules! by_halves {
    ($($name:ident),*) => {
        $(
            #[inline(always)]
            unsafe fn $name(self, other: Self) -> Self {
                // SAFETY: the caller promises the instructions.
                unsafe { Self(self.0.$name(other.0), self.1.$name(other.1)) }
            }
        )*
    };
}

// SAFETY (all functions): the caller promises the instructions and valid addresses.
impl Vector for Pair {
    type Number = f32;
    const WIDTH: usize = 16;
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        // SAFETY: the caller promises the instructions.
        unsafe { Self(_mm256_set1_ps(value), _mm256_set1_ps(value)) }
    }
    #[inline(always)]
    unsafe fn load(source: *const f32) -> Self {
        // SAFETY: the caller promises the instructions and sixteen readable values.
        unsafe { Self(_mm256_loadu_ps(source), _mm256_loadu_ps(source.add(8))) }
    }
    #[inline(always)]
    unsafe fn store(self, target: *mut f32) {
        // SAFETY: the caller promises the instructions and sixteen writable values.
        unsafe {
            _mm256_storeu_ps(target, self.0);
            _mm256_storeu_ps(target.add(8), self.1);
        }
    }
    by_halves!(add, sub, mul, div);
}

// SAFETY (all functions): as promised by the caller of the trait's functions.
impl Quads for Pair {
    #[inline(always)]
    unsafe fn repeat(four: &[f32; 4]) -> Self {
        // SAFETY: the caller promises the instructions; the array has four values.
        unsafe {
            let four = _mm_loadu_ps(four.as_ptr());
            let both = _mm256_set_m128(four, four);
            Self(both, both)
        }
    }
    #[inline(always)]
    unsafe fn spread(four: &[f32; 4]) -> Self {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let Self(both, _) = Self::repeat(four);
            let [low, high] = [
                _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1),
                _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3),
            ];
            Self(
                _mm256_permutevar_ps(both, low),
                _mm256_permutevar_ps(both, high),
            )
        }
    }
    #[inline(always)]
    unsafe fn store_three(self, three: &mut [[f32; 4]; 3]) {
        let numbers = three.as_mut_ptr().cast::<f32>();
        // SAFETY: the caller promises the instructions; the array has twelve values.
        unsafe {
            _mm256_storeu_ps(numbers, self.0);
            _mm_storeu_ps(numbers.add(8), _mm256_castps256_ps128(self.1));
        }
    }
    #[inline(always)]
    unsafe fn pick<const NUMBER: usize>(self) -> Self {
        // SAFETY: the caller promises the instructions.
        unsafe {
            match NUMBER {
                0 => Self(
                    _mm256_permute_ps::<0x00>(self.0),
                    _mm256_permute_ps::<0x00>(self.1),
                ),
                1 => Self(
                    _mm256_permute_ps::<0x55>(self.0),
                    _mm256_permute_ps::<0x55>(self.1),
                ),
                2 => Self(
                    _mm256_permute_ps::<0xAA>(self.0),
                    _mm256_permute_ps::<0xAA>(self.1),
                ),
                _ => Self(
                    _mm256_permute_ps::<0xFF>(self.0),
                    _mm256_permute_ps::<0xFF>(self.1),
                ),
            }
        }
    }
    #[inline(always)]
    unsafe fn turned(self) -> Self {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
            Self(
                _mm256_permutevar8x32_ps(_mm256_unpacklo_ps(self.0, self.1), order),
                _mm256_permutevar8x32_ps(_mm256_unpackhi_ps(self.0, self.1), order),
            )
        }
    }
    #[inline(always)]
    unsafe fn fold(self) -> [f32; 4] {
        // SAFETY: the caller promises the instructions.
        unsafe { fold_halves(_mm256_add_ps(self.0, self.1)) }
    }
}

/// The sum of two groups of four.
///
/// # Safety
/// The processor must have AVX.
#[inline(always)]
unsafe fn fold_halves(halves: __m256) -> [f32; 4] {
    let mut four = [0.0; 4];
    // SAFETY: the caller promises the instructions; the array has four values.
    unsafe {
        let high = _mm256_extractf128_ps::<1>(halves);
        let sum = _mm_add_ps(_mm256_castps256_ps128(halves), high);
        _mm_storeu_ps(four.as_mut_ptr(), sum);
    }
    four
}

// SAFETY (all functions): as promised by the caller of the trait's functions.
impl Quads for __m512 {
    #[inline(always)]
    unsafe fn repeat(four: &[f32; 4]) -> Self {
        // SAFETY: the caller promises the instructions; the array has four values.
        unsafe { _mm512_broadcast_f32x4(_mm_loadu_ps(four.as_ptr())) }
    }
    #[inline(always)]
    unsafe fn spread(four: &[f32; 4]) -> Self {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let order = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
            _mm512_permutevar_ps(Self::repeat(four), order)
        }
    }
    #[inline(always)]
    unsafe fn store_three(self, three: &mut [[f32; 4]; 3]) {
        let numbers = three.as_mut_ptr().cast::<f32>();
        // SAFETY: the caller promises the instructions; the array has twelve values.
        unsafe {
            _mm256_storeu_ps(numbers, _mm512_castps512_ps256(self));
            _mm_storeu_ps(numbers.add(8), _mm512_extractf32x4_ps::<2>(self));
        }
    }
    #[inline(always)]
    unsafe fn pick<const NUMBER: usize>(self) -> Self {
        // SAFETY: the caller promises the instructions.
        unsafe {
            match NUMBER {
                0 => _mm512_permute_ps::<0x00>(self),
                1 => _mm512_permute_ps::<0x55>(self),
                2 => _mm512_permute_ps::<0xAA>(self),
                _ => _mm512_permute_ps::<0xFF>(self),
            }
        }
    }
    #[inline(always)]
    unsafe fn turned(self) -> Self {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
            _mm512_permutexvar_ps(order, self)
        }
    }
    #[inline(always)]
    unsafe fn fold(self) -> [f32; 4] {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let high = _mm512_extractf32x8_ps::<1>(self);
            fold_halves(_mm256_add_ps(_mm512_castps512_ps256(self), high))
        }
    }
}
