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
