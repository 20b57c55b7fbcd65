//! How a rod is bent and twisted at a node, and how its frame points lie.
//!
//! ```text
//! t = e / |e|,   d = a⊥ / |a⊥| with a⊥ = a - (a·t) t,   b = t x d          of each edge
//! κb = (2/ℓ) t₀ x t₁ / (1 + t₀·t₁)
//! κ₁ = κb · ½ (b₀ + b₁),   κ₂ = -κb · ½ (d₀ + d₁)                         bending
//! τ  = (2/ℓ) tan(m/2) = (2/ℓ) sin m / (1 + cos m)                         twist
//! cos m = P d₀ · d₁,   sin m = (P d₀ x d₁) · t₁                           P turns t₀ to t₁ the shortest way
//! ```
//!
//! e₀ and e₁ are the edges before and after the node, a the arm from the middle of an edge to its frame
//! point, ℓ the mean rest length of both edges, in metres. m is the angle between the material frame before
//! the node, carried over it without twisting (parallel transport), and the one after it.
//!
//! Implements: \[Bergou2008\] eq. 1 (κb), eq. 2 (material curvatures) and the twist m of sect. 4.2.
//! Departs from it in three points. The frames are those of points that move with the rod, so that no
//! reference frame has to be carried through time. The twist is 2 tan(m/2) in place of m, as the curvature
//! is 2 tan(φ/2): both agree for fine rods, and no rod can lose a turn by jumping over m = π. The sum
//! 1 + t₀·t₁ is bounded below, so that a rod that is folded back on itself is not infinitely stiff.

use super::number::{Number, Slope, Triple, cross, dot, plus, times};

/// Lower bound of 1 + cos φ and of 1 + cos m.
const FOLDED: f64 = 1e-6;

/// Lengths below this share of the rest length are none.
const NOTHING: f64 = 1e-9;

/// κ₁, κ₂ and τ at a node, in 1/m, from the edges e₀, e₁ and the arms a₀, a₁ (twelve numbers in this
/// order), and ℓ.
pub(super) fn bending_and_twist<S: Number>(v: &[S; 12], length: f64) -> [S; 3] {
    let part = |k: usize| [v[3 * k], v[3 * k + 1], v[3 * k + 2]];
    let frames = [(0, 2), (1, 3)].map(|(edge, arm)| frame(part(edge), part(arm), length));
    between(frames, length)
}

/// The same with slopes. A frame depends on its edge and its arm alone, so it is found with six slopes.
#[inline(always)]
pub(super) fn bending_and_twist_slopes(v: &[f64; 12], length: f64) -> [Slope<12>; 3] {
    let frames = [
        frame_slopes(v, (0, 6), length),
        frame_slopes(v, (3, 9), length),
    ];
    between(frames, length)
}

/// The frame of the edge and the arm whose numbers begin at two places.
#[inline(always)]
fn frame_slopes(v: &[f64; 12], (edge, arm): (usize, usize), length: f64) -> Frame<Slope<12>> {
    let six = [
        v[edge],
        v[edge + 1],
        v[edge + 2],
        v[arm],
        v[arm + 1],
        v[arm + 2],
    ];
    let [mut e, mut a] = [[Slope::<6>::constant(0.0); 3]; 2];
    for k in 0..3 {
        e[k] = Slope::variable(six[k], k);
        a[k] = Slope::variable(six[3 + k], 3 + k);
    }
    let found = frame(e, a, length);
    let mut frame = [[Slope::<12>::constant(0.0); 3]; 3];
    for (vector, found) in frame.iter_mut().zip(&found) {
        for (part, found) in vector.iter_mut().zip(found) {
            *part = found.among(edge, arm);
        }
    }
    frame
}

/// κ₁, κ₂ and τ from the frames of both edges.
#[inline(always)]
fn between<S: Number>([[t0, d0, b0], [t1, d1, b1]]: [Frame<S>; 2], length: f64) -> [S; 3] {
    let bounded = S::constant(1.0 + FOLDED);
    let cosine = dot(t0, t1);
    let axis = cross(t0, t1);
    let sum = bounded + cosine;
    let bent = times(axis, S::constant(1.0 / length) / sum);
    // P d₀ = cos φ d₀ + k x d₀ + k (k·d₀) / (1 + cos φ)
    let along = dot(axis, d0) / sum;
    let carried = plus(plus(times(d0, cosine), cross(axis, d0)), times(axis, along));
    let zero = S::constant(0.0);
    let sine = zero - dot(carried, b1);
    let twist = S::constant(2.0 / length) * sine / (bounded + dot(carried, d1));
    [
        dot(bent, plus(b0, b1)),
        zero - dot(bent, plus(d0, d1)),
        twist,
    ]
}

/// How far a frame point is out of the plane across its edge, and how long its arm is, in metres, from the
/// edge and the arm (six numbers).
#[inline(always)]
pub(super) fn arm<S: Number>(v: &[S; 6], length: f64) -> [S; 2] {
    let (edge, arm) = ([v[0], v[1], v[2]], [v[3], v[4], v[5]]);
    let tangent = unit(edge, length);
    let along = dot(arm, tangent);
    let across = plus(arm, times(tangent, S::constant(-1.0) * along));
    [along, size(across, length)]
}

#[inline(always)]
fn size<S: Number>(v: Triple<S>, length: f64) -> S {
    let nothing = NOTHING * length;
    (dot(v, v) + S::constant(nothing * nothing)).root()
}

#[inline(always)]
fn unit<S: Number>(v: Triple<S>, length: f64) -> Triple<S> {
    times(v, S::constant(1.0) / size(v, length))
}

/// Tangent and both directors of an edge.
type Frame<S> = [Triple<S>; 3];

#[inline(always)]
fn frame<S: Number>(edge: Triple<S>, arm: Triple<S>, length: f64) -> Frame<S> {
    let tangent = unit(edge, length);
    let along = S::constant(-1.0) * dot(arm, tangent);
    let director = unit(plus(arm, times(tangent, along)), length);
    [tangent, director, cross(tangent, director)]
}
