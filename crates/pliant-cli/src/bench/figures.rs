//! What others measured on the scene of Table 5.1 of \[Thesis2004\].

/// Milliseconds a frame in the thesis' Table 5.1, on its machine of 2004.
///
/// The table gives microseconds for 8, 16, 24 and 32 particles a side.
pub fn thesis_milliseconds(side: usize, iterations: usize) -> Option<f64> {
    let index = [8, 16, 24, 32].iter().position(|&known| known == side)?;
    let microseconds = match iterations {
        10 => [812.92, 3465.01, 9462.11, 19916.83],
        100 => [4032.82, 14466.96, 33832.97, 62623.00],
        _ => return None,
    };
    Some(microseconds[index] / 1000.0)
}

/// The same table's milliseconds per frame for sticks, gone over so many times.
pub fn thesis_stick_milliseconds(side: usize, iterations: usize) -> Option<f64> {
    let index = [8, 16, 24, 32].iter().position(|&known| known == side)?;
    let microseconds = match iterations {
        10 => [448.83, 2014.58, 5141.24, 10231.95],
        100 => [3958.61, 17582.00, 46410.69, 91484.99],
        _ => return None,
    };
    Some(microseconds[index] / 1000.0)
}

/// Milliseconds of processor time a step of the thesis' own code, built with full optimisation on a
/// two-core machine of 2026. It explodes at this time step from 16 particles a side upwards; its
/// time does not depend on that.
pub fn rebuilt_milliseconds(side: usize, iterations: usize) -> Option<f64> {
    let index = [32, 64, 128].iter().position(|&known| known == side)?;
    match iterations {
        10 => Some([2.27, 24.0, 353.0][index]),
        100 => Some([5.92, 36.0, 379.0][index]),
        _ => None,
    }
}

/// The share of the rebuilt code's time that is to be reached in the published variant: a
/// twentieth at 32 particles a side, a hundredth at 128.
pub fn wanted_share(side: usize) -> Option<f64> {
    match side {
        32 => Some(1.0 / 20.0),
        128 => Some(1.0 / 100.0),
        _ => None,
    }
}
