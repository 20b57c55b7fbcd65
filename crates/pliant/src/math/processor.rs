//! Functions compiled for the vector instructions of the processor they run on.
//!
//! The default build serves any processor of its family; a loop over flat arrays then runs on the
//! narrowest vectors. What is written in the macros below is compiled three times, and the version for
//! the widest instructions of the processor is chosen when it is called ([`Level`], the only place that
//! asks for them). What the loops are made of is in `math/vector/mod.rs`.

/// A set of vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instructions {
    /// Registers of 64 bytes.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// Registers of 32 bytes.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Whatever the compiler makes of short arrays.
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
            if has_avx512() {
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
            if has_avx512() {
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

/// The parts of AVX-512 that the versions are compiled for.
#[cfg(target_arch = "x86_64")]
#[inline]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

/// Defines a function and its versions for wider vectors.
macro_rules! for_this_processor {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident($($argument:ident : $type:ty),* $(,)?) $body:block) => {
        $(#[$meta])*
        $visibility fn $name($($argument: $type),*) {
            #[inline(always)]
            fn portable($($argument: $type),*) $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
            fn avx512($($argument: $type),*) {
                portable($($argument),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2($($argument: $type),*) {
                portable($($argument),*)
            }

            use $crate::math::processor::{Instructions, Level};
            match Level::of_this_processor().instructions() {
                // SAFETY: a `Level` names only instructions the processor has.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 => unsafe { avx512($($argument),*) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { avx2($($argument),*) },
                Instructions::Portable => portable($($argument),*),
            }
        }
    };
}

/// Makes `$name`, which runs `$body` with the widest registers the processor has, and `$forced`, which is
/// told the instructions. The three lists are the first generic arguments of the body: a
/// [`Vector`](crate::math::vector::Vector) for each set of instructions, and numbers that go with it. Before
/// them stand the instructions for which the widest version is compiled.
macro_rules! kernel {
    ($features:literal, [$($wide:tt)*], [$($middle:tt)*], [$($portable:tt)*];
     $(#[$doc:meta])* $name:ident, $forced:ident, $body:ident, <$(const $constant:ident: $kind:ty)?>,
     ($($argument:ident: $type:ty),* $(,)?) -> $result:ty) => {
        $(#[$doc])*
        #[allow(dead_code)]
        pub(crate) fn $name<$(const $constant: $kind)?>($($argument: $type),*) -> $result {
            $forced::<$($constant)?>($crate::math::processor::Level::of_this_processor(), $($argument),*)
        }

        pub(crate) fn $forced<$(const $constant: $kind)?>(
            level: $crate::math::processor::Level,
            $($argument: $type),*
        ) -> $result {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = $features)]
            unsafe fn avx512<$(const $constant: $kind)?>($($argument: $type),*) -> $result {
                // SAFETY: the body asserts what it needs beside the instructions.
                unsafe { $body::<$($wide)*, $($constant)?>($($argument),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            unsafe fn avx2<$(const $constant: $kind)?>($($argument: $type),*) -> $result {
                // SAFETY: as above.
                unsafe { $body::<$($middle)*, $($constant)?>($($argument),*) }
            }
            use $crate::math::processor::Instructions;
            // SAFETY: a `Level` names only instructions the processor has; the bodies assert that
            // all addresses lie inside the slices they are given.
            unsafe {
                match level.instructions() {
                    #[cfg(target_arch = "x86_64")]
                    Instructions::Avx512 => avx512::<$($constant)?>($($argument),*),
                    #[cfg(target_arch = "x86_64")]
                    Instructions::Avx2 => avx2::<$($constant)?>($($argument),*),
                    Instructions::Portable => $body::<$($portable)*, $($constant)?>($($argument),*),
                }
            }
        }
    };
}

/// A [`kernel!`] over `f64`: the vector, and how many make a block of 16 and a sum of 8 lanes.
macro_rules! double_kernel {
    ($($kernel:tt)*) => {
        $crate::math::processor::kernel! {
            "avx512f,avx512dq,avx512vl",
            [std::arch::x86_64::__m512d, 2, 1],
            [std::arch::x86_64::__m256d, 4, 2],
            [$crate::math::vector::Portable<f64, 2>, 8, 4];
            $($kernel)*
        }
    };
}

/// A [`kernel!`] over `f32` of any width ([`Single`](crate::math::vector::Single)).
macro_rules! single_kernel {
    ($($kernel:tt)*) => {
        $crate::math::processor::kernel! {
            "avx512f,avx512dq,avx512vl",
            [std::arch::x86_64::__m512],
            [std::arch::x86_64::__m256],
            [$crate::math::vector::Portable<f32, 4>];
            $($kernel)*
        }
    };
}

/// A [`kernel!`] over eight `f32` ([`Eight`](crate::math::vector::Eight)): compiled for registers of 32 bytes
/// at most. With wider ones the compiler also widens the loops around the vectors that gather and scatter single
/// numbers, which took a sixth longer.
macro_rules! eight_kernel {
    ($($kernel:tt)*) => {
        $crate::math::processor::kernel! {
            "avx2",
            [std::arch::x86_64::__m256],
            [std::arch::x86_64::__m256],
            [$crate::math::vector::Portable<f32, 8>];
            $($kernel)*
        }
    };
}

/// A [`kernel!`] over groups of four `f32` ([`Quads`](crate::math::vector::Quads)).
macro_rules! quads_kernel {
    ($($kernel:tt)*) => {
        $crate::math::processor::kernel! {
            "avx512f,avx512dq,avx512vl",
            [std::arch::x86_64::__m512],
            [$crate::math::vector::Pair],
            [$crate::math::vector::Portable<f32, 16>];
            $($kernel)*
        }
    };
}

pub(crate) use {
    double_kernel, eight_kernel, for_this_processor, kernel, quads_kernel, single_kernel,
};
