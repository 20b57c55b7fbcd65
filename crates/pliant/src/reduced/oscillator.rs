//! A damped oscillator under a constant force, exactly.
//!
//! ```text
//! q¨ + 2 γ q˙ + ω² q = f
//! q(t) = a q0 + b v0 + e f,     v(t) = c q0 + d v0 + b f
//! b = exp(-γ t) sin(ν t) / ν,   ν² = ω² - γ²        (sinh where damping wins)
//! d = exp(-γ t) (cos ν t - γ sin(ν t) / ν),   a = d + 2 γ b,   c = -ω² b,   e = (1 - a) / ω²
//! ```
//!
//! Implements: the decoupled equations of \[Gibson1997\] sect. 6.1.

/// What a step of one length makes of an oscillator; see the module.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Propagator {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
    e: f64,
}

/// Below this angle the difference 1 - a has lost too many digits.
const SMALL: f64 = 1e-3;

impl Propagator {
    /// For a squared frequency ω², in 1/s², a damping rate 2 γ, in 1/s, and a step, in seconds.
    pub(crate) fn new(square: f64, rate: f64, step: f64) -> Self {
        let gamma = 0.5 * rate;
        let difference = (square - gamma * gamma) * step * step;
        let decay = (-gamma * step).exp();
        // Both cosines times the decay, and sin(ν t) / ν.
        let (cosine, b) = if difference.abs() < 1e-8 {
            let sine = 1.0 - difference / 6.0;
            (decay * (1.0 - 0.5 * difference), decay * step * sine)
        } else if difference > 0.0 {
            let angle = difference.sqrt();
            (decay * angle.cos(), decay * step * angle.sin() / angle)
        } else {
            // cosh and sinh by their exponentials, so that nothing overflows. The slower one decays by
            // ω² / (γ + ν), without the difference of two large numbers.
            let nu = (-difference).sqrt() / step;
            let slow = (-square / (gamma + nu) * step).exp();
            let fast = (-(gamma + nu) * step).exp();
            (0.5 * (slow + fast), 0.5 * (slow - fast) / nu)
        };
        let d = cosine - gamma * b;
        let a = cosine + gamma * b;
        let e = if square * step * step > SMALL * SMALL * (1.0 + gamma * step) {
            (1.0 - a) / square
        } else if gamma * step < SMALL {
            let (g, t) = (gamma, step);
            t * t * (0.5 - g * t / 3.0 + (4.0 * g * g - square) * t * t / 24.0)
        } else {
            (step - b) / rate
        };
        Self {
            a,
            b,
            c: -square * b,
            d,
            e,
        }
    }

    /// Where the oscillator is after the step, and how fast, from where it was and the force.
    pub(crate) fn advance(&self, place: f64, speed: f64, force: f64) -> (f64, f64) {
        (
            self.a * place + self.b * speed + self.e * force,
            self.c * place + self.d * speed + self.b * force,
        )
    }

    /// The change of place by the speed and the force, of what has no spring; and the speed.
    pub(crate) fn drift<V>(&self, speed: V, force: V) -> (V, V)
    where
        V: Copy + std::ops::Mul<f64, Output = V> + std::ops::Add<Output = V>,
    {
        (
            speed * self.b + force * self.e,
            speed * self.d + force * self.b,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Small steps of a method of fourth order.
    fn reference(square: f64, rate: f64, force: f64, start: (f64, f64), time: f64) -> (f64, f64) {
        let steps = 40_000;
        let h = time / f64::from(steps);
        let slope = |(q, v): (f64, f64)| (v, force - rate * v - square * q);
        let ahead = |(q, v): (f64, f64), (dq, dv): (f64, f64), h: f64| (q + h * dq, v + h * dv);
        let mut state = start;
        for _ in 0..steps {
            let k1 = slope(state);
            let k2 = slope(ahead(state, k1, 0.5 * h));
            let k3 = slope(ahead(state, k2, 0.5 * h));
            let k4 = slope(ahead(state, k3, h));
            state.0 += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
            state.1 += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
        }
        state
    }

    #[test]
    fn every_kind_of_damping_is_exact() {
        let cases = [
            (100.0, 0.0),
            (100.0, 3.0),
            (100.0, 20.0),
            (100.0, 20.000_000_1),
            (100.0, 90.0),
            (0.0, 0.0),
            (0.0, 5.0),
            (1e-9, 0.0),
            (1e-9, 1e-3),
            (1e-9, 3.0),
        ];
        for (square, rate) in cases {
            let (q, v) = Propagator::new(square, rate, 0.7).advance(0.3, -1.2, 2.5);
            let (rq, rv) = reference(square, rate, 2.5, (0.3, -1.2), 0.7);
            assert!(
                (q - rq).abs() < 1e-9 && (v - rv).abs() < 1e-8,
                "{square} {rate}"
            );
        }
    }

    #[test]
    fn a_strongly_damped_mode_overflows_nowhere() {
        let (q, v) = Propagator::new(1e12, 1e9, 1.0).advance(1.0, 0.0, 0.0);
        assert!(q.is_finite() && v.is_finite() && q.abs() <= 1.0);
    }
}
