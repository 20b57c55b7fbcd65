//! Vectors of `f32` of the widths that processors have, and the choice between them.
//!
//! As `linear/vector.rs`, for single precision, with what coarsening and line solves need besides:
//! taking even and odd entries apart and turning a tile round. A kernel is written once over the
//! trait [`Single`]; no version fuses products and sums, so all give the same bits.

/// Side of the tiles that are turned round, and nodes a block: rows are whole blocks.
pub(crate) const TILE: usize = 16;

/// A few `f32` that are handled together.
///
/// # Safety of all functions
/// The processor must have the instructions of the type; addresses must be valid for `WIDTH`
/// values (a tile: for 16 rows of 16 values).
pub(crate) trait Single: Copy {
    /// Number of values; divides [`TILE`].
    const WIDTH: usize;
    unsafe fn splat(value: f32) -> Self;
    unsafe fn load(source: *const f32) -> Self;
    unsafe fn store(self, target: *mut f32);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    unsafe fn div(self, other: Self) -> Self;
    /// The even and the odd entries of two vectors that follow each other.
    unsafe fn deinterleave(self, next: Self) -> (Self, Self);
    /// The inverse of `deinterleave`: `self` has the even entries.
    unsafe fn interleave(self, odd: Self) -> (Self, Self);
    /// Copies a tile with rows and columns exchanged; rows are `strides` apart (source, target).
    unsafe fn turn_tile(source: *const f32, target: *mut f32, strides: [usize; 2]);
}

/// Four values, without special instructions.
#[derive(Clone, Copy)]
pub(crate) struct Portable([f32; 4]);

impl Portable {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }
}

// SAFETY (all functions): as promised by the caller of the trait's functions.
impl Single for Portable {
    const WIDTH: usize = 4;
    #[inline(always)]
    unsafe fn splat(value: f32) -> Self {
        Self([value; 4])
    }
    #[inline(always)]
    unsafe fn load(source: *const f32) -> Self {
        // SAFETY: the caller promises the readable values.
        Self(unsafe { std::ptr::read_unaligned(source.cast()) })
    }
    #[inline(always)]
    unsafe fn store(self, target: *mut f32) {
        // SAFETY: the caller promises the writable values.
        unsafe { std::ptr::write_unaligned(target.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    unsafe fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
    #[inline(always)]
    unsafe fn deinterleave(self, next: Self) -> (Self, Self) {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, next.0);
        (Self([a, c, e, g]), Self([b, d, f, h]))
    }
    #[inline(always)]
    unsafe fn interleave(self, odd: Self) -> (Self, Self) {
        let ([a, c, e, g], [b, d, f, h]) = (self.0, odd.0);
        (Self([a, b, c, d]), Self([e, f, g, h]))
    }
    #[inline(always)]
    unsafe fn turn_tile(source: *const f32, target: *mut f32, strides: [usize; 2]) {
        for row in 0..TILE {
            for column in 0..TILE {
                // SAFETY: the caller promises the two tiles.
                unsafe {
                    *target.add(column * strides[1] + row) = *source.add(row * strides[0] + column);
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Single, TILE};
    use std::arch::x86_64::*;

    macro_rules! arithmetic {
        ($splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $div:ident) => {
            #[inline(always)]
            unsafe fn splat(value: f32) -> Self {
                // SAFETY: the caller promises the instructions.
                unsafe { $splat(value) }
            }
            #[inline(always)]
            unsafe fn load(source: *const f32) -> Self {
                // SAFETY: the caller promises the instructions and the readable values.
                unsafe { $load(source) }
            }
            #[inline(always)]
            unsafe fn store(self, target: *mut f32) {
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
        };
    }

    // SAFETY (all functions): as promised by the caller of the trait's functions.
    impl Single for __m256 {
        const WIDTH: usize = 8;
        arithmetic!(
            _mm256_set1_ps,
            _mm256_loadu_ps,
            _mm256_storeu_ps,
            _mm256_add_ps,
            _mm256_sub_ps,
            _mm256_mul_ps,
            _mm256_div_ps
        );
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
            let r: [__m256; 8] =
                std::array::from_fn(|i| _mm256_loadu_ps(source.add(i * strides[0])));
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
        const WIDTH: usize = 16;
        arithmetic!(
            _mm512_set1_ps,
            _mm512_loadu_ps,
            _mm512_storeu_ps,
            _mm512_add_ps,
            _mm512_sub_ps,
            _mm512_mul_ps,
            _mm512_div_ps
        );
        #[inline(always)]
        unsafe fn deinterleave(self, next: Self) -> (Self, Self) {
            // SAFETY: the caller promises the instructions.
            unsafe {
                let even =
                    _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
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
}

/// Makes `$name`, which runs `$body` with the widest vectors the processor has, and `$forced`,
/// which is told the instructions.
macro_rules! single_kernel {
    ($(#[$doc:meta])* $name:ident, $forced:ident, $body:ident, <$(const $constant:ident: $kind:ty)?>, ($($argument:ident: $type:ty),* $(,)?) -> $result:ty) => {
        $(#[$doc])*
        #[allow(dead_code)]
        pub(crate) fn $name<$(const $constant: $kind)?>($($argument: $type),*) -> $result {
            $forced::<$($constant)?>(Level::of_this_processor(), $($argument),*)
        }

        pub(crate) fn $forced<$(const $constant: $kind)?>(level: Level, $($argument: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f")]
            unsafe fn avx512<$(const $constant: $kind)?>($($argument: $type),*) -> $result {
                // SAFETY: the body asserts what it needs beside the instructions.
                unsafe { $body::<std::arch::x86_64::__m512, $($constant)?>($($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            unsafe fn avx2<$(const $constant: $kind)?>($($argument: $type),*) -> $result {
                // SAFETY: as above.
                unsafe { $body::<std::arch::x86_64::__m256, $($constant)?>($($argument),*) }
            }
            use $crate::linear::vector::Instructions;
            // SAFETY: a `Level` names only instructions the processor has; the bodies assert that
            // all addresses lie inside the slices they are given.
            unsafe {
                match level.instructions() {
                    #[cfg(target_arch = "x86_64")]
                    Instructions::Avx512 => avx512::<$($constant)?>($($argument),*),
                    #[cfg(target_arch = "x86_64")]
                    Instructions::Avx2 => avx2::<$($constant)?>($($argument),*),
                    Instructions::Portable => {
                        $body::<$crate::linear::sheet::vector::Portable, $($constant)?>($($argument),*)
                    }
                }
            }
        }
    };
}
pub(crate) use single_kernel;
