//! Vectors of `f64` of the widths that processors have, and the choice between them.
//!
//! A kernel is written once over the trait [`Vector`] and compiled for AVX-512, for AVX2 and for
//! any processor; the widest one the processor has is chosen at run time.

/// A few `f64` that are handled together.
pub(crate) trait Vector: Copy {
    /// Number of values.
    const WIDTH: usize;
    /// # Safety
    /// The processor must have the instructions of the type.
    unsafe fn splat(value: f64) -> Self;
    /// # Safety
    /// `WIDTH` values must be readable, and as for [`Vector::splat`].
    unsafe fn load(source: *const f64) -> Self;
    /// # Safety
    /// `WIDTH` values must be writable, and as for [`Vector::splat`].
    unsafe fn store(self, target: *mut f64);
    /// # Safety
    /// As for [`Vector::splat`].
    unsafe fn add(self, other: Self) -> Self;
    /// # Safety
    /// As for [`Vector::splat`].
    unsafe fn sub(self, other: Self) -> Self;
    /// # Safety
    /// As for [`Vector::splat`].
    unsafe fn mul(self, other: Self) -> Self;
}

/// Two values, without special instructions.
#[derive(Clone, Copy)]
pub(crate) struct Portable([f64; 2]);

impl Vector for Portable {
    const WIDTH: usize = 2;
    #[inline(always)]
    unsafe fn splat(value: f64) -> Self {
        Self([value; 2])
    }
    #[inline(always)]
    unsafe fn load(source: *const f64) -> Self {
        // SAFETY: the caller promises two readable values.
        Self(unsafe { [*source, *source.add(1)] })
    }
    #[inline(always)]
    unsafe fn store(self, target: *mut f64) {
        // SAFETY: the caller promises two writable values.
        unsafe {
            *target = self.0[0];
            *target.add(1) = self.0[1];
        }
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        Self([self.0[0] + other.0[0], self.0[1] + other.0[1]])
    }
    #[inline(always)]
    unsafe fn sub(self, other: Self) -> Self {
        Self([self.0[0] - other.0[0], self.0[1] - other.0[1]])
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        Self([self.0[0] * other.0[0], self.0[1] * other.0[1]])
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! x86_vector {
    ($type:ty, $width:literal, $splat:ident, $load:ident, $store:ident, $add:ident, $sub:ident, $mul:ident) => {
        // SAFETY (all functions): the caller promises the instructions and valid addresses.
        impl Vector for $type {
            const WIDTH: usize = $width;
            #[inline(always)]
            unsafe fn splat(value: f64) -> Self {
                // SAFETY: the caller promises the instructions.
                unsafe { $splat(value) }
            }
            #[inline(always)]
            unsafe fn load(source: *const f64) -> Self {
                // SAFETY: the caller promises the instructions and the readable values.
                unsafe { $load(source) }
            }
            #[inline(always)]
            unsafe fn store(self, target: *mut f64) {
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
        }
    };
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Vector;
    use std::arch::x86_64::*;

    x86_vector!(
        __m256d,
        4,
        _mm256_set1_pd,
        _mm256_loadu_pd,
        _mm256_storeu_pd,
        _mm256_add_pd,
        _mm256_sub_pd,
        _mm256_mul_pd
    );
    x86_vector!(
        __m512d,
        8,
        _mm512_set1_pd,
        _mm512_loadu_pd,
        _mm512_storeu_pd,
        _mm512_add_pd,
        _mm512_sub_pd,
        _mm512_mul_pd
    );
}

/// A set of vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instructions {
    /// Eight values.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// Four values.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Whatever the compiler makes of pairs.
    Portable,
}

/// Vector instructions that the processor has: only this module makes the value, after it has asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level(Instructions);

impl Level {
    /// The widest one the processor has.
    #[inline]
    pub(crate) fn of_this_processor() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                return Self(Instructions::Avx512);
            }
            if is_x86_feature_detected!("avx2") {
                return Self(Instructions::Avx2);
            }
        }
        Self(Instructions::Portable)
    }

    /// All that the processor has, for tests that compare them.
    #[cfg(test)]
    pub(crate) fn all_of_this_processor() -> Vec<Self> {
        let mut levels = vec![Self(Instructions::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                levels.push(Self(Instructions::Avx2));
            }
            if is_x86_feature_detected!("avx512f") {
                levels.push(Self(Instructions::Avx512));
            }
        }
        levels
    }

    /// Which they are.
    #[inline]
    pub(crate) fn instructions(self) -> Instructions {
        self.0
    }
}

/// Makes `$name`, which runs `$body` with the widest vectors the processor has.
macro_rules! dispatched {
    ($(#[$doc:meta])* $name:ident, $forced:ident, $body:ident, ($($argument:ident: $type:ty),*) -> $result:ty) => {
        $(#[$doc])*
        pub(crate) fn $name($($argument: $type),*) -> $result {
            $forced(Level::of_this_processor(), $($argument),*)
        }

        fn $forced(level: Level, $($argument: $type),*) -> $result {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f")]
            unsafe fn avx512($($argument: $type),*) -> $result {
                // SAFETY: the body's demands are asserted before the call below.
                unsafe { $body::<std::arch::x86_64::__m512d, 2, 1>($($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            unsafe fn avx2($($argument: $type),*) -> $result {
                // SAFETY: as above.
                unsafe { $body::<std::arch::x86_64::__m256d, 4, 2>($($argument),*) }
            }
            use $crate::linear::vector::Instructions;
            // SAFETY: a `Level` names only instructions the processor has; the bodies assert that
            // all addresses lie inside the slices they are given.
            unsafe {
                match level.instructions() {
                    #[cfg(target_arch = "x86_64")]
                    Instructions::Avx512 => avx512($($argument),*),
                    #[cfg(target_arch = "x86_64")]
                    Instructions::Avx2 => avx2($($argument),*),
                    Instructions::Portable => $body::<Portable, 8, 4>($($argument),*),
                }
            }
        }
    };
}
pub(crate) use dispatched;
