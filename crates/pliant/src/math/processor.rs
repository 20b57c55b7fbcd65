//! Functions compiled for the vector instructions of the processor they run on.
//!
//! The default build serves any processor of its family; a loop over flat arrays then runs on the
//! narrowest vectors. A function written in [`for_this_processor!`] is compiled three times and
//! the widest version is chosen when it is called. No version contracts multiplications and
//! additions, so all give the same bits.

/// Defines a function and its versions for wider vectors.
macro_rules! for_this_processor {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident($($argument:ident : $type:ty),* $(,)?) $body:block) => {
        $(#[$meta])*
        $visibility fn $name($($argument: $type),*) {
            #[inline(always)]
            fn portable($($argument: $type),*) $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
                fn avx512($($argument: $type),*) {
                    portable($($argument),*)
                }

                #[target_feature(enable = "avx2")]
                fn avx2($($argument: $type),*) {
                    portable($($argument),*)
                }

                if std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512dq")
                    && std::arch::is_x86_feature_detected!("avx512vl")
                {
                    // SAFETY: the processor has just been asked for these instructions.
                    return unsafe { avx512($($argument),*) };
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: as above.
                    return unsafe { avx2($($argument),*) };
                }
            }
            portable($($argument),*)
        }
    };
}

pub(crate) use for_this_processor;
