//! A sheet as SVG.

use super::chart::{Anchor, SHEET, Sheet};
use std::fmt::Write;

/// The text of an SVG file.
pub fn svg(sheet: &Sheet) -> String {
    let [width, height] = SHEET;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    for line in sheet.lines.iter().filter(|line| !line.points.is_empty()) {
        let points: Vec<String> = line
            .points
            .iter()
            .map(|[x, y]| format!("{x:.1},{y:.1}"))
            .collect();
        let dashes: Vec<String> = line.dashes.iter().map(f64::to_string).collect();
        let dashes = match dashes.is_empty() {
            true => String::new(),
            false => format!(" stroke-dasharray=\"{}\"", dashes.join(" ")),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" \
             stroke-linejoin=\"round\"{dashes} points=\"{}\"/>",
            hexadecimal(line.color),
            line.width,
            points.join(" ")
        );
    }
    for label in &sheet.texts {
        let anchor = match label.anchor {
            Anchor::Left => "start",
            Anchor::Middle => "middle",
            Anchor::Right => "end",
        };
        // The base line of a text lies about a third of its height below its middle.
        let (x, y) = (label.at[0], label.at[1] + 0.35 * label.size);
        let _ = writeln!(
            text,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{}\" fill=\"{}\" \
             text-anchor=\"{anchor}\">{}</text>",
            label.size,
            hexadecimal(Sheet::text_color()),
            escaped(&label.text)
        );
    }
    text.push_str("</svg>\n");
    text
}

fn hexadecimal([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// A text as XML and HTML take it.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::chart::chart;
    use super::super::curves::{Curve, Quantity};
    use super::*;

    #[test]
    fn the_file_is_well_formed_whatever_the_names() {
        let curve = Curve {
            name: "a < b & \"c\"".to_owned(),
            kind: 1,
            run: 1,
            points: vec![[0.0, 1.0], [1.0, 2.0]],
        };
        let text = svg(&chart("<title>", Quantity::Energy, &[curve]));
        assert!(text.contains("a &lt; b &amp; &quot;c&quot;"));
        assert!(text.contains("stroke-dasharray=\"9 5\""));
        assert_eq!(
            text.matches("<text").count(),
            text.matches("</text>").count()
        );
        assert!(text.starts_with("<svg") && text.ends_with("</svg>\n"));
    }
}
