//! The registers of AVX2 and AVX-512.

use super::{Eight, Single, TILE, Vector};
use std::arch::x86_64::*;

macro_rules! register {
    ($type:ty, $number:ty, $width:literal, $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $div:ident) => {
        // SAFETY (all functions): the caller promises the instructions and valid addresses.
        impl Vector for $type {
            type Number = $number;
            const WIDTH: usize = $width;
            #[inline(always)]
            unsafe fn splat(value: $number) -> Self {
                // SAFETY: the caller promises the instructions.
                unsafe { $splat(value) }
            }
            #[inline(always)]
            unsafe fn load(source: *const $number) -> Self {
                // SAFETY: the caller promises the instructions and the readable values.
                unsafe { $load(source) }
            }
            #[inline(always)]
            unsafe fn store(self, target: *mut $number) {
                // SAFETY: the caller promises the instructions and the writable values.
                unsafe { $store(target, self) }
            }
            #[inline(always)]
            unsafe fn add(self, other: Self) -> Self {
                // SAFETY: the caller promises the instructions.
                unsafe { $add(self, other) }
            }
            #[inline(always)]
            unsafe fn sub(self, other: Self) -> Self {
                // SAFETY: the caller promises the instructions.
                unsafe { $sub(self, other) }
            }
            #[inline(always)]
            unsafe fn mul(self, other: Self) -> Self {
                // SAFETY: the caller promises the instructions.
                unsafe { $mul(self, other) }
            }
            #[inline(always)]
            unsafe fn div(self, other: Self) -> Self {
                // SAFETY: the caller promises the instructions.
                unsafe { $div(self, other) }
            }
        }
    };
}

register!(
    __m256d,
    f64,
    4,
    _mm256_set1_pd,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_add_pd,
    _mm256_sub_pd,
    _mm256_mul_pd,
    _mm256_div_pd
);
register!(
    __m512d,
    f64,
    8,
    _mm512_set1_pd,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_add_pd,
    _mm512_sub_pd,
    _mm512_mul_pd,
    _mm512_div_pd
);
register!(
    __m256,
    f32,
    8,
    _mm256_set1_ps,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_div_ps
);
register!(
    __m512,
    f32,
    16,
    _mm512_set1_ps,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_div_ps
);

impl Eight for __m256 {
    #[inline(always)]
    unsafe fn lengthen(source: &[u16; 8]) -> Self {
        // SAFETY: the caller promises the instructions; the array has eight values.
        unsafe {
            let halves = _mm_loadu_si128(source.as_ptr().cast());
            _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(halves)))
        }
    }
}

// SAFETY (all functions): as promised by the caller of the trait's functions.
impl Single for __m256 {
    #[inline(always)]
    unsafe fn deinterleave(self, next: Self) -> (Self, Self) {
        // The shuffles work within halves; the last step puts the quarters in order.
        // SAFETY: the caller promises the instructions.
        unsafe {
            let even = _mm256_castps_pd(_mm256_shuffle_ps::<0b10_00_10_00>(self, next));
            let odd = _mm256_castps_pd(_mm256_shuffle_ps::<0b11_01_11_01>(self, next));
            (
                _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(even)),
                _mm256_castpd_ps(_mm256_permute4x64_pd::<0b11_01_10_00>(odd)),
            )
        }
    }
    #[inline(always)]
    unsafe fn interleave(self, odd: Self) -> (Self, Self) {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let low = _mm256_unpacklo_ps(self, odd);
            let high = _mm256_unpackhi_ps(self, odd);
            (
                _mm256_permute2f128_ps::<0x20>(low, high),
                _mm256_permute2f128_ps::<0x31>(low, high),
            )
        }
    }
    #[inline(always)]
    unsafe fn turn_tile(source: *const f32, target: *mut f32, strides: [usize; 2]) {
        for row in [0, 8] {
            for column in [0, 8] {
                // SAFETY: the caller promises the instructions and tiles of `WIDTH` rows of `WIDTH` values.
                unsafe {
                    turn_eight(
                        source.add(row * strides[0] + column),
                        target.add(column * strides[1] + row),
                        strides,
                    );
                }
            }
        }
    }
}

/// An 8 x 8 part of a tile: pairs, then fours, then halves change places.
#[inline(always)]
unsafe fn turn_eight(source: *const f32, target: *mut f32, strides: [usize; 2]) {
    // SAFETY: as promised by the caller of `turn_tile`.
    unsafe {
        let r: [__m256; 8] = std::array::from_fn(|i| _mm256_loadu_ps(source.add(i * strides[0])));
        let mut a = r;
        for i in 0..4 {
            a[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
            a[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
        }
        let mut b = a;
        for i in [0, 4] {
            b[i] = _mm256_shuffle_ps::<0b01_00_01_00>(a[i], a[i + 2]);
            b[i + 1] = _mm256_shuffle_ps::<0b11_10_11_10>(a[i], a[i + 2]);
            b[i + 2] = _mm256_shuffle_ps::<0b01_00_01_00>(a[i + 1], a[i + 3]);
            b[i + 3] = _mm256_shuffle_ps::<0b11_10_11_10>(a[i + 1], a[i + 3]);
        }
        for i in 0..4 {
            let low = _mm256_permute2f128_ps::<0x20>(b[i], b[i + 4]);
            let high = _mm256_permute2f128_ps::<0x31>(b[i], b[i + 4]);
            _mm256_storeu_ps(target.add(i * strides[1]), low);
            _mm256_storeu_ps(target.add((i + 4) * strides[1]), high);
        }
    }
}

// SAFETY (all functions): as promised by the caller of the trait's functions.
impl Single for __m512 {
    #[inline(always)]
    unsafe fn deinterleave(self, next: Self) -> (Self, Self) {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            let odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
            (
                _mm512_permutex2var_ps(self, even, next),
                _mm512_permutex2var_ps(self, odd, next),
            )
        }
    }
    #[inline(always)]
    unsafe fn interleave(self, odd: Self) -> (Self, Self) {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            let high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
            (
                _mm512_permutex2var_ps(self, low, odd),
                _mm512_permutex2var_ps(self, high, odd),
            )
        }
    }
    /// Pairs, then fours, then eights, then halves change places.
    #[inline(always)]
    unsafe fn turn_tile(source: *const f32, target: *mut f32, strides: [usize; 2]) {
        // SAFETY: the caller promises the instructions and tiles of `WIDTH` rows of `WIDTH` values.
        unsafe {
            let r: [__m512; TILE] =
                std::array::from_fn(|i| _mm512_loadu_ps(source.add(i * strides[0])));
            let mut a = r;
            for i in 0..8 {
                a[2 * i] = _mm512_unpacklo_ps(r[2 * i], r[2 * i + 1]);
                a[2 * i + 1] = _mm512_unpackhi_ps(r[2 * i], r[2 * i + 1]);
            }
            let mut b = a;
            for i in [0, 4, 8, 12] {
                b[i] = _mm512_shuffle_ps::<0b01_00_01_00>(a[i], a[i + 2]);
                b[i + 1] = _mm512_shuffle_ps::<0b11_10_11_10>(a[i], a[i + 2]);
                b[i + 2] = _mm512_shuffle_ps::<0b01_00_01_00>(a[i + 1], a[i + 3]);
                b[i + 3] = _mm512_shuffle_ps::<0b11_10_11_10>(a[i + 1], a[i + 3]);
            }
            // Now quarter q of b[4 g + k] has column 4 q + k of rows 4 g to 4 g + 3.
            for k in 0..4 {
                let (b0, b1, b2, b3) = (b[k], b[k + 4], b[k + 8], b[k + 12]);
                let even = _mm512_shuffle_f32x4::<0b10_00_10_00>(b0, b1);
                let odd = _mm512_shuffle_f32x4::<0b11_01_11_01>(b0, b1);
                let even_end = _mm512_shuffle_f32x4::<0b10_00_10_00>(b2, b3);
                let odd_end = _mm512_shuffle_f32x4::<0b11_01_11_01>(b2, b3);
                let columns = [
                    _mm512_shuffle_f32x4::<0b10_00_10_00>(even, even_end),
                    _mm512_shuffle_f32x4::<0b10_00_10_00>(odd, odd_end),
                    _mm512_shuffle_f32x4::<0b11_01_11_01>(even, even_end),
                    _mm512_shuffle_f32x4::<0b11_01_11_01>(odd, odd_end),
                ];
                for (quarter, column) in columns.into_iter().enumerate() {
                    _mm512_storeu_ps(target.add((4 * quarter + k) * strides[1]), column);
                }
            }
        }
    }
}
