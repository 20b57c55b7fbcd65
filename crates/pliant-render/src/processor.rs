//! Functions compiled for the vector instructions of the processor they run on.
//!
//! The default build serves any processor of its family; a loop over flat arrays then runs on the
//! narrowest vectors. A function written in [`for_this_processor!`] is compiled three times and the
//! widest version is chosen when it is called. No version contracts multiplications and additions,
//! so all give the same bits.

/// Defines a function and its versions for wider vectors. It may depend on one number known to the
/// compiler.
macro_rules! for_this_processor {
    (
        $(#[$meta:meta])*
        $visibility:vis fn $name:ident $(<const $number:ident : usize>)? (
            $($argument:ident : $type:ty),* $(,)?
        ) $(-> $result:ty)? $body:block
    ) => {
        $(#[$meta])*
        $visibility fn $name $(<const $number: usize>)? ($($argument: $type),*) $(-> $result)? {
            #[inline(always)]
            fn portable $(<const $number: usize>)? ($($argument: $type),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
                fn avx512 $(<const $number: usize>)? ($($argument: $type),*) $(-> $result)? {
                    portable $(::<$number>)? ($($argument),*)
                }

                #[target_feature(enable = "avx2")]
                fn avx2 $(<const $number: usize>)? ($($argument: $type),*) $(-> $result)? {
                    portable $(::<$number>)? ($($argument),*)
                }

                if std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                    && std::arch::is_x86_feature_detected!("avx512vl")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                {
                    // SAFETY: the processor has just been asked for these instructions.
                    return unsafe { avx512 $(::<$number>)? ($($argument),*) };
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: as above.
                    return unsafe { avx2 $(::<$number>)? ($($argument),*) };
                }
            }
            portable $(::<$number>)? ($($argument),*)
        }
    };
}

pub(crate) use for_this_processor;

/// The largest whole number that is not larger, for numbers below four million in magnitude; others and what is no
/// number give some number. A plain cast minds the range and leaves the vectors for it.
#[inline(always)]
pub(crate) fn whole(x: f32) -> i32 {
    // A number of this size has no bits for fractions, so adding it rounds to the nearest whole number.
    const LARGE: f32 = 12_582_912.0;
    let shifted = x + LARGE;
    let nearest = shifted.to_bits().wrapping_sub(LARGE.to_bits()) as i32;
    nearest.wrapping_sub(i32::from(shifted - LARGE > x))
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn whole_numbers_are_rounded_down() {
        for step in -40_000..40_000 {
            let x = step as f32 * 0.37;
            assert_eq!(whole(x), x.floor() as i32, "{x}");
            assert_eq!(whole(step as f32), step);
        }
        for (x, found) in [
            (4_000_000.5, 4_000_000),
            (-3_999_999.5, -4_000_000),
            (-0.0, 0),
        ] {
            assert_eq!(whole(x), found);
        }
    }
}
