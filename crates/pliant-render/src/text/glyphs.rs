//! The shapes of letters: strokes of one width, written down here.
//!
//! Each line holds a character, its width, and its strokes. The baseline is at height 0, capitals
//! are 14 high, small letters 10, and tails reach down to -4.4. Strokes are made of
//!
//! - `M x,y` lift the pen and go there,
//! - `L x,y` a straight line,
//! - `H x,y` a quarter of an ellipse that leaves horizontally and arrives vertically,
//! - `V x,y` a quarter of an ellipse that leaves vertically and arrives horizontally,
//! - `Q x,y x,y` a parabola with a control point.

/// All shapes.
const SHAPES: &str = "\
0 8 M0,4.5 L0,9.5 V4,14 H8,9.5 L8,4.5 V4,0 H0,4.5
1 8 M1.4,11.2 L5,14 L5,0
2 8 M0.2,10 V4,14 H7.8,10.2 Q7.8,8 5.9,6 L0,0 L8,0
3 8 M0.3,11.2 Q1.2,14 4,14 H7.4,10.6 V4,7.4 L3,7.4 M4,7.4 H8,3.7 V4,0 Q1,0 0,3
4 8 M6,0 L6,14 L0,4 L8.2,4
5 8 M7.3,14 L1.2,14 L0.7,7.6 Q2,8.8 4,8.8 H8,4.5 V4,0 Q1,0 0,2.8
6 8 M7.2,12.4 Q6.2,14 4.2,14 H0,7.5 L0,4.5 V4,0 H8,4.4 V4,8.7 H0,4.5
7 8 M0,14 L8,14 L2.8,0
8 8 M4,7.6 H0.5,10.8 V4,14 H7.5,10.8 V4,7.6 H0,3.8 V4,0 H8,3.8 V4,7.6
9 8 M0.8,1.6 Q1.8,0 3.8,0 H8,6.5 L8,9.5 V4,14 H0,9.6 V4,5.3 H8,9.5
A 10 M0,0 L5,14 L10,0 M1.8,5 L8.2,5
B 8.6 M0,0 L0,14 L4.2,14 H7.8,10.8 V4.2,7.5 L0,7.5 M4.2,7.5 H8.6,3.8 V4.2,0 L0,0
C 9.4 M9.4,11 Q8,14 5,14 H0,7 V5,0 Q8,0 9.4,3
D 9.4 M0,0 L0,14 L4,14 H9.4,7 V4,0 L0,0
E 7.6 M7.6,14 L0,14 L0,0 L7.6,0 M0,7.4 L6.6,7.4
F 7.4 M7.4,14 L0,14 L0,0 M0,7.2 L6.4,7.2
G 9.8 M9.4,11.2 Q8,14 5,14 H0,7 V5,0 H9.8,5 L9.8,6.4 L5.6,6.4
H 9 M0,0 L0,14 M9,0 L9,14 M0,7.2 L9,7.2
I 0 M0,0 L0,14
J 6 M6,14 L6,4 V3,0 Q0.6,0 0,2.6
K 8.8 M0,0 L0,14 M8.2,14 L0,5.6 M3.2,8.9 L8.8,0
L 7.2 M0,14 L0,0 L7.2,0
M 11 M0,0 L0,14 L5.5,4.5 L11,14 L11,0
N 9.2 M0,0 L0,14 L9.2,0 L9.2,14
O 10.8 M0,7 V5.4,14 H10.8,7 V5.4,0 H0,7
P 8.2 M0,0 L0,14 L4.4,14 H8.2,10.2 V4.4,6.4 L0,6.4
Q 10.8 M0,7 V5.4,14 H10.8,7 V5.4,0 H0,7 M6.6,3.4 L10.8,-1
R 8.6 M0,0 L0,14 L4.4,14 H8.2,10.2 V4.4,6.4 L0,6.4 M4.2,6.4 L8.6,0
S 8.4 M8,11.2 Q7.2,14 4.3,14 H0.5,10.6 Q0.5,8 4.2,7.2 Q8.4,6.3 8.4,3.6 V4.2,0 Q0.8,0 0,3
T 9 M0,14 L9,14 M4.5,14 L4.5,0
U 9 M0,14 L0,4.6 V4.5,0 H9,4.6 L9,14
V 9.6 M0,14 L4.8,0 L9.6,14
W 14 M0,14 L3.5,0 L7,13 L10.5,0 L14,14
X 9 M0,0 L9,14 M0,14 L9,0
Y 9 M0,14 L4.5,7 L9,14 M4.5,7 L4.5,0
Z 8.8 M0,14 L8.8,14 L0,0 L8.8,0
a 7.2 M0.7,8.2 Q1.5,10 3.8,10 H7.2,6.8 L7.2,0 M7.2,5.8 L3.4,5.6 H0,2.8 V3.2,0 H7.2,3.4
b 7.6 M0,14 L0,0 M0,5 V3.8,10 H7.6,5 V3.8,0 H0,5
c 7 M7,7.8 Q6,10 3.8,10 H0,5 V3.8,0 Q6,0 7,2.2
d 7.6 M7.6,14 L7.6,0 M7.6,5 V3.8,10 H0,5 V3.8,0 H7.6,5
e 7.6 M0,5.2 L7.6,5.2 V3.8,10 H0,5 V3.9,0 Q6.2,0 7.2,2
f 4.8 M4.8,13.9 Q2,14.6 2,11.4 L2,0 M0,10 L4.6,10
g 7.6 M7.6,10 L7.6,-0.6 V3.9,-4.4 Q1.4,-4.4 0.5,-2.8 M7.6,5 V3.8,10 H0,5 V3.8,0 H7.6,5
h 7.2 M0,14 L0,0 M0,6 V3.8,10 H7.2,6.4 L7.2,0
i 0 M0,10 L0,0 M0,13.4 L0,13.7
j 2 M2,10 L2,-1.4 Q2,-4.4 -0.6,-4.2 M2,13.4 L2,13.7
k 7 M0,14 L0,0 M6.6,10 L0,3.8 M2.5,6.2 L7,0
l 1.8 M0,14 L0,2.2 V1.8,0
m 11.6 M0,10 L0,0 M0,6.4 V3.2,10 H5.8,6.8 L5.8,0 M5.8,6.4 V9,10 H11.6,6.8 L11.6,0
n 7.2 M0,10 L0,0 M0,6 V3.8,10 H7.2,6.4 L7.2,0
o 7.8 M0,5 V3.9,10 H7.8,5 V3.9,0 H0,5
p 7.6 M0,10 L0,-4.4 M0,5 V3.8,10 H7.6,5 V3.8,0 H0,5
q 7.6 M7.6,10 L7.6,-4.4 M7.6,5 V3.8,10 H0,5 V3.8,0 H7.6,5
r 4.4 M0,10 L0,0 M0,6 Q0.4,10 4.4,9.8
s 6.6 M6.3,8 Q5.6,10 3.4,10 H0.4,7.6 Q0.4,5.8 3.3,5.2 Q6.6,4.5 6.6,2.6 V3.3,0 Q0.7,0 0,2.2
t 4.8 M1.8,13.2 L1.8,2.6 Q1.8,0 4.8,0.2 M0,10 L4.6,10
u 7.2 M0,10 L0,3.6 V3.4,0 H7.2,4 M7.2,10 L7.2,0
v 7.6 M0,10 L3.8,0 L7.6,10
w 11 M0,10 L2.8,0 L5.5,9.4 L8.2,0 L11,10
x 7 M0,10 L7,0 M0,0 L7,10
y 7.6 M0,10 L3.9,0.4 M7.6,10 L3.4,-2.6 Q2.6,-4.6 0.6,-4.2
z 6.8 M0,10 L6.8,10 L0,0 L6.8,0
. 0 M0,0 L0,0.3
, 0.8 M0.8,0.3 L0,-2.4
: 0 M0,0 L0,0.3 M0,8.2 L0,8.5
; 0.8 M0.8,0.3 L0,-2.4 M0.8,8.2 L0.8,8.5
! 0 M0,14 L0,4.4 M0,0 L0,0.3
? 7 M0,11 Q0.6,14 3.6,14 H7,10.7 Q7,8.6 5,7.2 Q3.5,6.1 3.5,4 M3.5,0 L3.5,0.3
' 0 M0,14 L0,10.4
\" 3 M0,14 L0,10.4 M3,14 L3,10.4
` 2 M0,14 L2,11.6
( 2.8 M2.8,15.6 Q0,11.5 0,5.8 Q0,0.1 2.8,-4
) 2.8 M0,15.6 Q2.8,11.5 2.8,5.8 Q2.8,0.1 0,-4
[ 3 M3,15.4 L0,15.4 L0,-3.6 L3,-3.6
] 3 M0,15.4 L3,15.4 L3,-3.6 L0,-3.6
{ 4 M4,15.4 Q1.8,15.4 1.8,12.8 L1.8,8.6 Q1.8,6 0,5.9 Q1.8,5.8 1.8,3.2 L1.8,-1 Q1.8,-3.6 4,-3.6
} 4 M0,15.4 Q2.2,15.4 2.2,12.8 L2.2,8.6 Q2.2,6 4,5.9 Q2.2,5.8 2.2,3.2 L2.2,-1 Q2.2,-3.6 0,-3.6
< 7.6 M7.6,11 L0,6.6 L7.6,2.2
> 7.6 M0,11 L7.6,6.6 L0,2.2
= 8 M0,8.8 L8,8.8 M0,4.6 L8,4.6
+ 8.4 M4.2,10.9 L4.2,2.5 M0,6.7 L8.4,6.7
- 4.6 M0,5.8 L4.6,5.8
\u{2212} 8 M0,6.7 L8,6.7
\u{2013} 7 M0,5.8 L7,5.8
\u{2014} 12 M0,5.8 L12,5.8
* 5.2 M2.6,14 L2.6,8 M0,12.5 L5.2,9.5 M0,9.5 L5.2,12.5
/ 6.4 M0,-1.6 L6.4,15
\\ 6.4 M0,15 L6.4,-1.6
| 0 M0,15.6 L0,-4
_ 8 M0,-2.4 L8,-2.4
^ 6.8 M0,9.6 L3.4,14 L6.8,9.6
~ 8 M0,6 Q1.6,8.8 4,7.2 Q6.4,5.6 8,8.2
# 10 M2.2,0 L3.8,14 M6.6,0 L8.2,14 M0,9.4 L10,9.4 M0,4.6 L10,4.6
% 12.4 M0,10.6 V2.7,14 H5.4,10.6 V2.7,7.2 H0,10.6 M10.4,14 L2,0 M7,3.4 V9.7,6.8 H12.4,3.4 V9.7,0 H7,3.4
& 10 M10,0 L2.4,10 Q0.9,12.2 2.2,13.3 Q4,14.6 5.6,13.2 Q7,11.4 4.6,9.4 L2,7.2 Q-0.6,4.8 0.4,2.2 Q1.6,0 4.2,0 Q7.6,0 9.2,6
$ 8.4 M8,11.2 Q7.2,14 4.3,14 H0.5,10.6 Q0.5,8 4.2,7.2 Q8.4,6.3 8.4,3.6 V4.2,0 Q0.8,0 0,3 M4.2,16 L4.2,-2
@ 13 M9.2,8.8 Q8.6,10 6.8,10 H3.6,6 V6.4,2.6 H9.2,6.4 M9.4,9.8 L9.2,5 V10.9,2.8 H13,7 V6.6,14 H0,5.6 V6.6,-2.4 Q9.4,-2.4 11,-1.2
\u{b0} 4.4 M0,11.8 V2.2,14 H4.4,11.8 V2.2,9.6 H0,11.8
\u{b5} 7.2 M0,10 L0,-4.4 M0,3.6 V3.4,0 H7.2,4 M7.2,10 L7.2,0
\u{b7} 0 M0,6.2 L0,6.5
\u{d7} 6.4 M0,3.4 L6.4,9.8 M0,9.8 L6.4,3.4
\u{b1} 8.4 M4.2,12 L4.2,3.6 M0,7.8 L8.4,7.8 M0,0.4 L8.4,0.4
\u{394} 10 M0,0 L5,14 L10,0 L0,0
\u{3b1} 8.4 M8.4,10 Q7,0 3.6,0 H0,5 V3.6,10 Q7,10 8.4,0
\u{3b5} 6.4 M6.2,8.4 Q5.4,10 3.4,10 H0.6,7.6 V3.2,5.3 L4.6,5.3 M3.2,5.3 H0,2.6 V3.2,0 Q5.6,0 6.4,1.8
\u{3b8} 7 M0,7 V3.5,14 H7,7 V3.5,0 H0,7 M0,7 L7,7
\u{3bb} 7.6 M0.6,13.8 Q2.2,14.2 2.8,12 L7.6,0 M4.2,8.4 L0,0
\u{3bd} 7 M0,10 L3.2,0 Q6.6,4.6 7,10
\u{3c0} 8.4 M0,10 L8.4,10 M2,10 L1.8,0 M6.4,10 L6.4,2 Q6.4,0 8,0.2
\u{3c1} 7.4 M0,-4.4 L0,5 V3.8,10 H7.4,5 V3.8,0 H0,5
\u{3c3} 8.4 M8.4,10 L3.9,10 H0,5 V3.8,0 H7.4,4.6 Q7.4,8 4.4,10
\u{3c4} 6.8 M0,10 L6.8,10 M3.4,10 L3.4,2.4 Q3.4,0 5.6,0.2
\u{3c6} 9.6 M4.8,14 L4.8,-4.4 M0,5 V4.8,10 H9.6,5 V4.8,0 H0,5
\u{3c9} 10 M1.6,10 Q0,7.4 0,4 V2.6,0 H5,3.6 L5,6 M5,3.6 V7.4,0 H10,4 Q10,7.4 8.4,10";

/// Drawn for characters that have no shape: an empty box.
const UNKNOWN: &str = "M0,0 L0,14 L7,14 L7,0 L0,0";

/// Straight pieces in a curve.
const PIECES: usize = 7;

/// The shape of a character.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Glyph {
    /// How far the pen moves on, in units of the drawing.
    pub advance: f32,
    /// Straight pieces of its strokes.
    pub pieces: Vec<[[f32; 2]; 2]>,
}

/// Space between two characters.
const GAP: f32 = 3.7;

/// The shape of a character.
pub(crate) fn glyph(character: char) -> Glyph {
    if character == ' ' || character == '\u{a0}' {
        return Glyph {
            advance: 5.6,
            pieces: Vec::new(),
        };
    }
    if let Some(plain) = plain_of_superscript(character) {
        let mut small = glyph(plain);
        let scale = 0.6;
        small.advance = (small.advance - GAP) * scale + 2.2;
        for end in small.pieces.iter_mut().flatten() {
            *end = [end[0] * scale, end[1] * scale + 6.4];
        }
        return small;
    }
    let character = match character {
        '\u{3bc}' => '\u{b5}',
        '\u{22c5}' | '\u{2022}' => '\u{b7}',
        '\u{2206}' => '\u{394}',
        '\u{2018}' | '\u{2019}' => '\'',
        '\u{201c}' | '\u{201d}' => '"',
        other => other,
    };
    let found = SHAPES.lines().find_map(|line| {
        let mut parts = line.splitn(3, ' ');
        (parts.next()?.chars().eq([character])).then_some(())?;
        let width = parts.next()?.parse::<f32>().ok()?;
        Some((width, parts.next()?))
    });
    let (width, strokes) = found.unwrap_or((7.0, UNKNOWN));
    Glyph {
        advance: width + GAP,
        pieces: pieces(strokes),
    }
}

/// The character that a superscript is a small copy of.
fn plain_of_superscript(character: char) -> Option<char> {
    Some(match character {
        '\u{2070}' => '0',
        '\u{b9}' => '1',
        '\u{b2}' => '2',
        '\u{b3}' => '3',
        '\u{2074}'..='\u{2079}' => char::from_digit(character as u32 - 0x2070, 10)?,
        '\u{207a}' => '+',
        '\u{207b}' => '\u{2212}',
        _ => return None,
    })
}

/// Straight pieces of some strokes.
fn pieces(strokes: &str) -> Vec<[[f32; 2]; 2]> {
    let mut pieces = Vec::new();
    let mut pen = [0.0_f32; 2];
    let mut words = strokes.split(' ');
    while let Some(word) = words.next() {
        let (kind, place) = word.split_at(1);
        let to = point(place);
        let mut curve = |at: &dyn Fn(f32) -> [f32; 2]| {
            for piece in 0..PIECES {
                let share = |piece: usize| piece as f32 / PIECES as f32;
                pieces.push([at(share(piece)), at(share(piece + 1))]);
            }
        };
        let mut end = to;
        match kind {
            "L" => pieces.push([pen, to]),
            "H" => curve(&|share| {
                let (sine, cosine) = (share * std::f32::consts::FRAC_PI_2).sin_cos();
                [
                    pen[0] + (to[0] - pen[0]) * sine,
                    to[1] + (pen[1] - to[1]) * cosine,
                ]
            }),
            "V" => curve(&|share| {
                let (sine, cosine) = (share * std::f32::consts::FRAC_PI_2).sin_cos();
                [
                    to[0] + (pen[0] - to[0]) * cosine,
                    pen[1] + (to[1] - pen[1]) * sine,
                ]
            }),
            "Q" => {
                end = words.next().map_or(to, point);
                curve(&|share| {
                    let rest = 1.0 - share;
                    [0, 1].map(|axis| {
                        rest * rest * pen[axis]
                            + 2.0 * rest * share * to[axis]
                            + share * share * end[axis]
                    })
                });
            }
            _ => {}
        }
        pen = end;
    }
    pieces
}

fn point(text: &str) -> [f32; 2] {
    let mut numbers = text.split(',').map(|part| part.parse().unwrap_or(0.0));
    [(); 2].map(|()| numbers.next().unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_printable_character_and_the_signs_of_units_have_a_shape() {
        let unknown = pieces(UNKNOWN);
        let signs = "\u{b0}\u{b5}\u{3bc}\u{b7}\u{b2}\u{b3}\u{2212}\u{d7}\u{b1}\u{2074}\u{207b}";
        for character in ('!'..='~').chain(signs.chars()) {
            let glyph = glyph(character);
            assert!(!glyph.pieces.is_empty(), "{character}");
            assert_ne!(glyph.pieces, unknown, "{character}");
            for [x, y] in glyph.pieces.iter().flatten() {
                assert!(*x > -1.5 && *x < glyph.advance, "{character}: x {x}");
                assert!(*y > -5.0 && *y < 16.5, "{character}: y {y}");
            }
        }
        assert_eq!(glyph('\u{4e2d}').pieces, unknown);
        assert!(glyph(' ').pieces.is_empty());
    }

    #[test]
    fn the_table_is_well_formed() {
        for line in SHAPES.lines() {
            let parts: Vec<&str> = line.splitn(3, ' ').collect();
            assert_eq!(parts.len(), 3, "{line}");
            assert!(parts[1].parse::<f32>().is_ok(), "{line}");
            assert!(parts[2].starts_with('M'), "{line}");
            let mut words = parts[2].split(' ');
            while let Some(word) = words.next() {
                let mut numbers = 0;
                let mut check = |text: &str| {
                    numbers += text.split(',').filter(|n| n.parse::<f32>().is_ok()).count();
                };
                check(&word[1..]);
                let expected = if word.starts_with('Q') {
                    check(words.next().unwrap());
                    4
                } else {
                    2
                };
                assert!("MLHVQ".contains(&word[..1]), "{line}");
                assert_eq!(numbers, expected, "{line}: {word}");
            }
        }
    }
}
