//! From where to where the sliders of a value go.
//!
//! The language says what a number may be; how large it usually is, the scene says. So a slider goes from a
//! hundredth to a hundred times of what the scene gives, as far as the language allows it, by factors. A
//! vector may turn round: its sliders go as far to one side as to the other.

use pliant_scene::language::{Kind, Range};

/// How far a slider goes beyond the value at hand.
const REACH: f64 = 100.0;

/// The widest range whose bounds are the ends of a slider.
const WIDEST: f64 = 10.0;

/// The sliders of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Sliders {
    /// One for each of its numbers.
    Each(Vec<Span>),
    /// One factor for all of them, as for the entries of a tensor.
    Factor {
        /// The numbers that the factor 1 stands for.
        ones: Vec<f64>,
    },
}

/// Where a slider begins and ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The lowest value.
    pub low: f64,
    /// The highest value.
    pub high: f64,
    /// Whether equal ways are equal factors.
    pub is_logarithmic: bool,
    /// The smallest number beside zero, where equal ways are equal factors.
    pub smallest: f64,
    /// Whether it holds whole numbers only.
    pub is_whole: bool,
}

impl Span {
    const FACTOR: Self = Self::by_factors(1.0 / REACH, REACH);

    const fn by_factors(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            is_logarithmic: true,
            smallest: low,
            is_whole: false,
        }
    }

    const fn evenly(low: f64, high: f64) -> Self {
        Self {
            low,
            high,
            is_logarithmic: false,
            smallest: 0.0,
            is_whole: false,
        }
    }

    /// Whether a number is on the slider.
    pub fn holds(&self, number: f64) -> bool {
        (self.low..=self.high).contains(&number)
    }
}

impl Sliders {
    /// The sliders of a value of a kind with these numbers; `None` if it is better typed.
    pub fn new(kind: Kind, numbers: &[f64]) -> Option<Self> {
        match (kind, numbers) {
            (Kind::Number(range), &[number]) => Some(Self::Each(vec![of_number(range, number)?])),
            (Kind::Count { least, most }, &[number]) => {
                let high = (4.0 * number)
                    .max(f64::from(least) + 10.0)
                    .min(f64::from(most));
                let span = Span::evenly(f64::from(least), high);
                let is_whole = true;
                let span = Span { is_whole, ..span };
                (span.low < span.high).then(|| Self::Each(vec![span]))
            }
            (Kind::Rule | Kind::Flow, &[number]) => {
                Some(Self::Each(vec![of_number(Range::ANY, number)?]))
            }
            (Kind::Vector, &[_, _, _]) => {
                let largest = numbers
                    .iter()
                    .fold(0.0_f64, |size, number| size.max(number.abs()));
                let reach = round_up(2.0 * largest.max(0.5));
                Some(Self::Each(vec![Span::evenly(-reach, reach); 3]))
            }
            (Kind::Direction, &[_, _, _]) => {
                let largest = numbers
                    .iter()
                    .fold(1.0_f64, |size, number| size.max(number.abs()));
                Some(Self::Each(vec![Span::evenly(-largest, largest); 3]))
            }
            (Kind::Extent, &[_, _, _]) => {
                let spans = numbers
                    .iter()
                    .map(|&number| of_number(Range::POSITIVE, number));
                spans.collect::<Option<_>>().map(Self::Each)
            }
            (Kind::Tensor, numbers) if numbers.iter().any(|number| *number != 0.0) => {
                let ones = numbers.to_vec();
                Some(Self::Factor { ones })
            }
            _ => None,
        }
    }

    /// The factor that stands for numbers, if they are those of the factor 1 times one number.
    pub fn factor(ones: &[f64], numbers: &[f64]) -> Option<f64> {
        let first = ones.iter().position(|one| *one != 0.0)?;
        let factor = numbers.get(first)? / ones[first];
        let is_so =
            |(one, number): (&f64, &f64)| (one * factor - number).abs() <= 1e-9 * number.abs();
        let is_all = ones.len() == numbers.len() && ones.iter().zip(numbers).all(is_so);
        is_all.then_some(factor)
    }

    /// Whether numbers can be shown on these sliders.
    pub fn hold(&self, numbers: &[f64]) -> bool {
        match self {
            Self::Each(spans) => {
                let pairs = || spans.iter().zip(numbers);
                spans.len() == numbers.len() && pairs().all(|(span, number)| span.holds(*number))
            }
            Self::Factor { ones } => {
                Self::factor(ones, numbers).is_some_and(|factor| Span::FACTOR.holds(factor))
            }
        }
    }

    /// The span of a factor.
    pub fn factor_span() -> Span {
        Span::FACTOR
    }
}

/// The slider of one number that may be in a range.
fn of_number(range: Range, number: f64) -> Option<Span> {
    if !number.is_finite() || !range.contains(number) {
        return None;
    }
    let within = |bound: f64| range.contains(bound).then_some(bound);
    if let (Some((low, _)), Some((high, _))) = (range.low, range.high)
        && high - low <= WIDEST
    {
        // From one bound to the other: Poisson's ratio, a share. One that is not allowed itself is left out.
        let edge = 1e-3 * (high - low);
        let low = within(low).unwrap_or(low + edge);
        return Some(Span::evenly(low, within(high).unwrap_or(high - edge)));
    }
    // A bound that is not allowed itself is left out.
    let highest = range.high.map_or(f64::INFINITY, |(high, _)| {
        within(high).unwrap_or(number + 0.99 * (high - number))
    });
    if number > 0.0 {
        let smallest = number / REACH;
        // Zero is the end if it is the bound and allowed.
        let low = range.low.map_or(smallest, |(low, _)| {
            within(low).unwrap_or(low + (number - low) / REACH)
        });
        return Some(Span {
            low: low.clamp(0.0, number),
            smallest,
            ..Span::by_factors(0.0, (number * REACH).min(highest))
        });
    }
    let lowest = range.low.map_or(f64::NEG_INFINITY, |(low, _)| low);
    let reach = match number == 0.0 {
        // Zero does not say how large it could be.
        true => 1.0,
        false => round_up(-2.0 * number),
    };
    Some(Span::evenly((-reach).max(lowest), reach.min(highest)))
}

/// The next number of the row 1, 2, 5, 10, 20, 50 …
fn round_up(number: f64) -> f64 {
    let unit = 10.0_f64.powf(number.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    let fits = steps
        .into_iter()
        .find(|step| step * unit >= number * (1.0 - 1e-12));
    fits.unwrap_or(10.0) * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(kind: Kind, number: f64) -> Span {
        match Sliders::new(kind, &[number]) {
            Some(Sliders::Each(spans)) if spans.len() == 1 => spans[0],
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_number_goes_by_factors_round_what_the_scene_says() {
        let young = one(Kind::Number(Range::POSITIVE), 2e5);
        assert!(young.is_logarithmic && young.low == 2e3 && young.high == 2e7);
        // Zero is on the slider where it is allowed.
        let damping = one(Kind::Number(Range::NOT_NEGATIVE), 0.5);
        assert_eq!(
            (damping.low, damping.smallest, damping.high),
            (0.0, 0.005, 50.0)
        );
        // Nothing, of which nobody knows how much it could be.
        assert_eq!(
            one(Kind::Number(Range::NOT_NEGATIVE), 0.0),
            Span::evenly(0.0, 1.0)
        );
        let share = one(Kind::Number(Range::UNIT), 0.3);
        assert_eq!(share, Span::evenly(0.0, 1.0));
        assert!(one(Kind::Number(Range::FRACTION), 0.3).low > 0.0);
        let below = one(Kind::Number(Range::ANY), -3.0);
        assert_eq!(below, Span::evenly(-10.0, 10.0));
    }

    #[test]
    fn gravity_can_be_turned_round_and_a_tensor_has_one_factor() {
        let gravity = Sliders::new(Kind::Vector, &[0.0, 0.0, -9.82]).unwrap();
        assert_eq!(gravity, Sliders::Each(vec![Span::evenly(-20.0, 20.0); 3]));
        assert!(gravity.hold(&[20.0, 0.0, 9.82]) && !gravity.hold(&[0.0, 0.0, -30.0]));
        let tensor = [30.0, 15.0, 15.0, 30.0];
        let tension = Sliders::new(Kind::Tensor, &tensor).unwrap();
        assert!(tension.hold(&tensor.map(|number| 0.3 * number)));
        assert!(!tension.hold(&[30.0, 15.0, 15.0, 31.0]));
        assert!(!tension.hold(&tensor.map(|number| 300.0 * number)));
        assert_eq!(
            Sliders::factor(&tensor, &tensor.map(|number| 2.0 * number)),
            Some(2.0)
        );
        assert_eq!(Sliders::new(Kind::Tensor, &[0.0; 4]), None);
    }

    #[test]
    fn counts_are_whole_and_what_is_no_number_has_no_slider() {
        let count = one(
            Kind::Count {
                least: 1,
                most: 1000,
            },
            3.0,
        );
        assert!(count.is_whole && count.low == 1.0 && count.high == 12.0);
        assert_eq!(Sliders::new(Kind::Grid, &[31.0, 21.0]), None);
        assert_eq!(Sliders::new(Kind::Number(Range::POSITIVE), &[-1.0]), None);
        assert_eq!(
            Sliders::new(Kind::Number(Range::POSITIVE), &[1.0, 2.0]),
            None
        );
    }

    #[test]
    fn every_number_of_the_gallery_that_has_sliders_is_on_them_within_the_language() {
        let mut found = 0;
        for scene in pliant_scene::gallery() {
            for value in crate::scene_values(scene.text) {
                let numbers = value.value.as_deref().and_then(crate::numbers);
                let Some((kind, numbers)) = value.kind.zip(numbers) else {
                    continue;
                };
                let Some(sliders) = Sliders::new(kind, &numbers) else {
                    continue;
                };
                found += 1;
                assert!(
                    sliders.hold(&numbers),
                    "{}: {value:?} {sliders:?}",
                    scene.name
                );
                if let (Kind::Number(range), Sliders::Each(spans)) = (kind, &sliders) {
                    let ends = [spans[0].low, spans[0].high];
                    let all = ends.iter().all(|end| range.contains(*end));
                    assert!(all, "{}: {value:?} {sliders:?}", scene.name);
                }
            }
        }
        assert!(found > 1000, "{found}");
    }
}
