//! Small formulas over the material coordinates of a body, such as `1 + 4*exp(-20*(u-0.5)^2)`.
//!
//! Grammar (`^` binds tightest and to the right, then the sign, then `*` and `/`, then `+` and
//! `-`; so `-u^2` is `-(u^2)`):
//! ```text
//! sum     = product { ("+" | "-") product }
//! product = signed { ("*" | "/") signed }
//! signed  = { "-" | "+" } power
//! power   = atom [ "^" signed ]
//! atom    = number | "pi" | "u" | "v" | "w" | "(" sum ")" | function "(" sum { "," sum } ")"
//! ```
//! `step(x)` is 0 for x < 0, else 1. The formula is compiled to a postfix program: no recursion.

use crate::nearest::meant_or_known;
use std::fmt;

/// Deepest nesting of parentheses, functions and powers.
pub const DEEPEST: usize = 64;
/// Most operations of one formula.
const LONGEST: usize = 4096;
/// Values on the stack at once; the nesting limit keeps every formula below it.
const STACK: usize = 4 * DEEPEST;

const FUNCTIONS: [(&str, Operation, usize); 8] = [
    ("sin", Operation::Sin, 1),
    ("cos", Operation::Cos, 1),
    ("exp", Operation::Exp, 1),
    ("sqrt", Operation::Sqrt, 1),
    ("abs", Operation::Abs, 1),
    ("step", Operation::Step, 1),
    ("min", Operation::Min, 2),
    ("max", Operation::Max, 2),
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    Number(f64),
    Coordinate(usize),
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Negate,
    Sin,
    Cos,
    Exp,
    Sqrt,
    Abs,
    Step,
    Min,
    Max,
}

/// A formula in u, v and w.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    source: String,
    program: Vec<Operation>,
}

/// Why a formula is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {column}: {message}")]
pub struct ExpressionError {
    /// Character of the formula, from 1.
    pub column: usize,
    /// What was expected and what was found.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

impl Expression {
    /// Compiles a formula.
    /// ```
    /// let rule = pliant_scene::Expression::parse("1 + 2*u^2").unwrap();
    /// assert_eq!(rule.evaluate([3.0, 0.0, 0.0]), 19.0);
    /// ```
    pub fn parse(source: &str) -> Result<Self, ExpressionError> {
        Self::over(source, &["u", "v", "w"])
    }

    /// Compiles a formula in the coordinates x, y and z and the time t.
    pub fn parse_in_space(source: &str) -> Result<Self, ExpressionError> {
        Self::over(source, &["x", "y", "z", "t"])
    }

    fn over(source: &str, names: &'static [&'static str]) -> Result<Self, ExpressionError> {
        let mut compiler = Compiler {
            names,
            characters: source.chars().collect(),
            position: 0,
            depth: 0,
            program: Vec::new(),
        };
        compiler.sum()?;
        compiler.skip_spaces();
        if compiler.position < compiler.characters.len() {
            let found = compiler.found();
            return Err(compiler.error(format!("expected an operator, found {found}"), None));
        }
        Ok(Self {
            source: source.to_owned(),
            program: compiler.program,
        })
    }

    /// The formula as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The value at `[u, v, w]`; not finite where it is not defined, as in a division by zero.
    pub fn evaluate(&self, [u, v, w]: [f64; 3]) -> f64 {
        self.evaluate_in_space([u, v, w, 0.0])
    }

    /// The same of a formula in space at `[x, y, z, t]`.
    pub fn evaluate_in_space(&self, coordinates: [f64; 4]) -> f64 {
        let mut stack = [0.0; STACK];
        let mut top = 0;
        for &operation in &self.program {
            use Operation as O;
            match operation {
                O::Number(value) => {
                    stack[top] = value;
                    top += 1;
                }
                O::Coordinate(direction) => {
                    stack[top] = coordinates[direction];
                    top += 1;
                }
                O::Negate | O::Sin | O::Cos | O::Exp | O::Sqrt | O::Abs | O::Step => {
                    stack[top - 1] = unary(operation, stack[top - 1]);
                }
                _ => {
                    top -= 1;
                    stack[top - 1] = binary(operation, stack[top - 1], stack[top]);
                }
            }
        }
        stack[0]
    }
}

fn unary(operation: Operation, x: f64) -> f64 {
    match operation {
        Operation::Negate => -x,
        Operation::Sin => x.sin(),
        Operation::Cos => x.cos(),
        Operation::Exp => x.exp(),
        Operation::Sqrt => x.sqrt(),
        Operation::Abs => x.abs(),
        _ => f64::from(x >= 0.0),
    }
}

fn binary(operation: Operation, x: f64, y: f64) -> f64 {
    match operation {
        Operation::Add => x + y,
        Operation::Subtract => x - y,
        Operation::Multiply => x * y,
        Operation::Divide => x / y,
        Operation::Min => x.min(y),
        Operation::Max => x.max(y),
        _ => x.powf(y),
    }
}

struct Compiler {
    names: &'static [&'static str],
    characters: Vec<char>,
    position: usize,
    depth: usize,
    program: Vec<Operation>,
}

impl Compiler {
    fn error(&self, message: impl Into<String>, hint: Option<String>) -> ExpressionError {
        ExpressionError {
            column: self.position + 1,
            message: message.into(),
            hint,
        }
    }

    fn found(&self) -> String {
        match self.characters.get(self.position) {
            Some(c) => format!("`{c}`"),
            None => "the end of the formula".to_owned(),
        }
    }

    fn skip_spaces(&mut self) {
        while self
            .characters
            .get(self.position)
            .is_some_and(|c| c.is_whitespace())
        {
            self.position += 1;
        }
    }

    /// Reads one of `wanted` if it comes next.
    fn accept(&mut self, wanted: &[char]) -> Option<char> {
        self.skip_spaces();
        let next = *self.characters.get(self.position)?;
        wanted.contains(&next).then(|| {
            self.position += 1;
            next
        })
    }

    fn push(&mut self, operation: Operation) -> Result<(), ExpressionError> {
        if self.program.len() >= LONGEST {
            let message = format!("the formula has more than {LONGEST} operations");
            return Err(self.error(message, None));
        }
        self.program.push(operation);
        Ok(())
    }

    fn nested(
        &mut self,
        rule: fn(&mut Self) -> Result<(), ExpressionError>,
    ) -> Result<(), ExpressionError> {
        if self.depth >= DEEPEST {
            let message = format!("the formula is nested deeper than {DEEPEST} levels");
            return Err(self.error(message, None));
        }
        self.depth += 1;
        rule(self)?;
        self.depth -= 1;
        Ok(())
    }

    fn sum(&mut self) -> Result<(), ExpressionError> {
        self.product()?;
        while let Some(sign) = self.accept(&['+', '-']) {
            self.product()?;
            self.push(if sign == '+' {
                Operation::Add
            } else {
                Operation::Subtract
            })?;
        }
        Ok(())
    }

    fn product(&mut self) -> Result<(), ExpressionError> {
        self.signed()?;
        while let Some(sign) = self.accept(&['*', '/']) {
            self.signed()?;
            self.push(if sign == '*' {
                Operation::Multiply
            } else {
                Operation::Divide
            })?;
        }
        Ok(())
    }

    fn signed(&mut self) -> Result<(), ExpressionError> {
        let mut negative = false;
        while let Some(sign) = self.accept(&['+', '-']) {
            negative ^= sign == '-';
        }
        self.power()?;
        if negative {
            self.push(Operation::Negate)?;
        }
        Ok(())
    }

    fn power(&mut self) -> Result<(), ExpressionError> {
        self.atom()?;
        if self.accept(&['^']).is_some() {
            self.nested(Self::signed)?;
            self.push(Operation::Power)?;
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<(), ExpressionError> {
        if self.accept(&['(']).is_some() {
            self.nested(Self::sum)?;
            return self.close();
        }
        match self.characters.get(self.position) {
            Some(c) if c.is_ascii_digit() || *c == '.' => self.number(),
            Some(c) if c.is_alphabetic() => self.name(),
            _ => {
                let found = self.found();
                Err(self.error(
                    format!("expected a number, a name or `(`, found {found}"),
                    None,
                ))
            }
        }
    }

    fn close(&mut self) -> Result<(), ExpressionError> {
        if self.accept(&[')']).is_some() {
            return Ok(());
        }
        let found = self.found();
        Err(self.error(format!("expected `)`, found {found}"), None))
    }

    fn number(&mut self) -> Result<(), ExpressionError> {
        let start = self.position;
        let is_digit = |c: Option<&char>| c.is_some_and(|c| c.is_ascii_digit() || *c == '.');
        while is_digit(self.characters.get(self.position)) {
            self.position += 1;
        }
        if matches!(self.characters.get(self.position), Some('e' | 'E')) {
            let signed = matches!(self.characters.get(self.position + 1), Some('+' | '-'));
            let digits = self.position + 1 + usize::from(signed);
            if is_digit(self.characters.get(digits)) {
                self.position = digits;
                while is_digit(self.characters.get(self.position)) {
                    self.position += 1;
                }
            }
        }
        let text: String = self.characters[start..self.position].iter().collect();
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => self.push(Operation::Number(value)),
            _ => {
                self.position = start;
                Err(self.error(format!("expected a number, found `{text}`"), None))
            }
        }
    }

    fn name(&mut self) -> Result<(), ExpressionError> {
        let start = self.position;
        while self
            .characters
            .get(self.position)
            .is_some_and(|c| c.is_alphanumeric())
        {
            self.position += 1;
        }
        let name: String = self.characters[start..self.position].iter().collect();
        let coordinate = self
            .names
            .iter()
            .position(|known| *known == name)
            .map(Operation::Coordinate);
        let pi = || Operation::Number(std::f64::consts::PI);
        if let Some(leaf) = coordinate.or_else(|| (name == "pi").then(pi)) {
            return self.push(leaf);
        }
        let Some(&(_, operation, arguments)) = FUNCTIONS.iter().find(|(known, ..)| *known == name)
        else {
            self.position = start;
            let known = FUNCTIONS.iter().map(|(known, ..)| *known).chain(["pi"]);
            let hint = meant_or_known(&name, known.chain(self.names.iter().copied()), "names");
            return Err(self.error(format!("`{name}` is not a known name"), Some(hint)));
        };
        if self.accept(&['(']).is_none() {
            let found = self.found();
            return Err(self.error(format!("expected `(` after `{name}`, found {found}"), None));
        }
        for argument in 0..arguments {
            if argument > 0 && self.accept(&[',']).is_none() {
                let found = self.found();
                let message =
                    format!("`{name}` takes {arguments} values: expected `,`, found {found}");
                return Err(self.error(message, None));
            }
            self.nested(Self::sum)?;
        }
        self.close()?;
        self.push(operation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(source: &str) -> f64 {
        Expression::parse(source)
            .unwrap()
            .evaluate([0.25, 0.5, 2.0])
    }

    #[test]
    fn values() {
        assert_eq!(value("1 + 2*3 - 4/2"), 5.0);
        assert_eq!(value("-w^2"), -4.0);
        assert_eq!(value("2^-1"), 0.5);
        assert_eq!(value("2^3^2"), 512.0);
        assert_eq!(value("--1 - -1"), 2.0);
        assert_eq!(value("max(u, v) + min(u, v)"), 0.75);
        assert_eq!(
            value("step(u - 0.5) + 2*step(v - 0.5) + 4*step(u-0.25)"),
            6.0
        );
        assert_eq!(value("1e-1 + 1.5E+1"), 15.1);
        assert_eq!(value("exp(0) + abs(-2) + sqrt(4) + cos(0)"), 6.0);
        assert!(value("sin(pi)").abs() < 1e-15);
        assert_eq!(value("((((u))))"), 0.25);
        assert_eq!(value(&format!("0{}", "+1".repeat(2000))), 2000.0);
    }

    #[test]
    fn mistakes_carry_their_column() {
        let error = |source: &str| Expression::parse(source).unwrap_err();
        assert_eq!(error("").column, 1);
        assert_eq!(error("1 + ").column, 5);
        assert_eq!(error("1 2").column, 3);
        assert_eq!(error("(1").column, 3);
        assert_eq!(error("1..2").column, 1);
        assert_eq!(error("max(1)").column, 6);
        let unknown = error("1 + snq(u)");
        assert_eq!(unknown.column, 5);
        assert_eq!(error("sqr(u)").hint.unwrap(), "did you mean `sqrt`?");
        assert!(error(&"(".repeat(100_000)).message.contains("nested"));
        assert!(error(&"2^".repeat(100_000)).message.contains("nested"));
        assert!(
            error(&"1+".repeat(100_000))
                .message
                .contains("more than 4096")
        );
    }

    #[test]
    fn the_deepest_formula_fits_the_stack() {
        let mut source = "u".to_owned();
        for _ in 0..DEEPEST {
            source = format!("1 + 2*({source})");
        }
        assert!(Expression::parse(&source).unwrap().evaluate([0.0; 3]) > 0.0);
        let mut source = "u".to_owned();
        for _ in 0..DEEPEST {
            source = format!("1 + 2*2^min(1,{source})");
        }
        assert!(Expression::parse(&source).is_err());
    }
}
