//! The page of the gallery: one file, nothing from elsewhere.

use crate::plot::escaped;
use std::fmt::Write;

/// A scene that has its film.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// The name of its files.
    pub name: String,
    /// What the user types to simulate it.
    pub scene: String,
    /// What the scene says about itself.
    pub description: String,
    pub nodes: usize,
    /// Simulated time.
    pub seconds: f64,
    /// Processor time of simulation and drawing, in seconds.
    pub processor_seconds: f64,
}

/// The works that scenes are taken from, in the order of the page.
const SOURCES: &[(&str, &str, &str)] = &[
    (
        "Terzopoulos1988",
        "Deformable models",
        "D. Terzopoulos, K. Fleischer, \u{201c}Deformable models\u{201d}, The Visual Computer 4(6), \
         306-331, 1988",
    ),
    (
        "Mueller2002",
        "Stable real-time deformations",
        "M. Müller, J. Dorsey, L. McMillan, R. Jagnow, B. Cutler, \u{201c}Stable real-time \
         deformations\u{201d}, Symposium on Computer Animation, 49-54, 2002",
    ),
    (
        "Thesis2004",
        "Implementation of deformable objects",
        "\u{201c}Implementation of Deformable Objects\u{201d}, student thesis, University of \
         Copenhagen, 2004",
    ),
    (
        "Gudukbay",
        "Rigid and deformable models",
        "U. Güdükbay, B. Özgüç, Y. Tokad, \u{201c}An animation system for rigid and deformable \
         models\u{201d}, Computers & Graphics 17(1), 71-77, 1993",
    ),
];

/// Scenes that stand first in their group.
const HEROES: &[&str] = &[
    "flag",
    "carpet",
    "goop",
    "jelly-stack",
    "rabbit",
    "vegetables",
    "heavy-curtain",
    "tablecloth",
    "rubber-balls",
];

/// The page with all films.
pub fn html(entries: &[Entry]) -> String {
    let groups = SOURCES
        .iter()
        .map(|(key, title, citation)| (Some(*key), *title, *citation))
        .chain([(None, "More", "Scenes of our own.")]);
    let (mut sections, mut links) = (String::new(), String::new());
    for (key, title, citation) in groups {
        let mut members: Vec<&Entry> = entries
            .iter()
            .filter(|entry| source(&entry.description) == key)
            .collect();
        if members.is_empty() {
            continue;
        }
        members.sort_by_key(|entry| {
            let hero = HEROES.iter().position(|hero| *hero == entry.name);
            hero.unwrap_or(HEROES.len())
        });
        // One of a large group stands out; a small group has no room for it.
        let hero = members[0].name.clone();
        let large = members.len() > 3 && HEROES.contains(&hero.as_str());
        let cards: String = members
            .into_iter()
            .map(|entry| card(entry, large && entry.name == hero))
            .collect();
        let anchor = key.unwrap_or("more");
        // Writing to a string cannot fail.
        let _ = writeln!(links, "<a href=\"#{anchor}\">{}</a>", escaped(title));
        let _ = write!(
            sections,
            "<section id=\"{anchor}\">\n<h2>{}</h2>\n<p class=\"from\">{}</p>\n<div class=\"cards\">\n{cards}</div>\n\
             </section>\n",
            escaped(title),
            escaped(citation)
        );
    }
    include_str!("page.html")
        .replace("{links}", &links)
        .replace("{sections}", &sections)
}

/// Which of the known works a description cites first.
fn source(description: &str) -> Option<&'static str> {
    let cited = SOURCES.iter().filter_map(|(key, ..)| {
        let place = description.find(&format!("[{key}]"))?;
        Some((place, *key))
    });
    cited.min().map(|(_, key)| key)
}

/// `heavy-curtain` as a title: `Heavy curtain`.
fn title(name: &str) -> String {
    let words = name.replace(['-', '_'], " ");
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => words,
    }
}

/// A description with the works it cites named by their authors' year instead of by a key.
fn caption(description: &str) -> String {
    let keys = [
        ("[Terzopoulos1988]", "Terzopoulos and Fleischer 1988,"),
        ("[Mueller2002]", "Müller and others 2002,"),
        ("[Thesis2004]", "thesis of 2004,"),
        ("[Gudukbay]", "Güdükbay and others 1993,"),
    ];
    keys.iter()
        .fold(description.to_owned(), |text, (key, names)| {
            text.replace(key, names)
        })
}

fn card(entry: &Entry, hero: bool) -> String {
    let class = if hero { " class=\"hero\"" } else { "" };
    let name = escaped(&entry.name);
    let scene = escaped(&entry.scene);
    format!(
        r#"<article id="{name}"{class}>
  <video loop muted playsinline preload="none" poster="{name}.png" src="{name}.mp4" tabindex="0" aria-label="Film of {name}"></video>
  <h3>{title}</h3>
  <p>{caption}</p>
  <p class="facts">{nodes} nodes, {seconds} s of motion in {cpu:.1} s of processor time</p>
  <p class="facts"><code>pliant run {scene}</code> <a href="{name}.xml">scene</a> <a href="{name}.glb" download>model</a></p>
  <details><summary>Energies</summary><img loading="lazy" src="{name}-energy.svg" alt="Energies of {name} against time"></details>
</article>
"#,
        title = escaped(&title(&entry.name)),
        caption = escaped(&caption(&entry.description)),
        nodes = entry.nodes,
        seconds = entry.seconds,
        cpu = entry.processor_seconds,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, description: &str) -> Entry {
        Entry {
            name: name.to_owned(),
            scene: name.to_owned(),
            description: description.to_owned(),
            nodes: 651,
            seconds: 7.0,
            processor_seconds: 3.2,
        }
    }

    #[test]
    fn the_page_names_films_and_escapes_texts() {
        let page = html(&[entry("flag", "A <flag> & \"wind\"")]);
        assert!(page.contains("src=\"flag.mp4\"") && page.contains("poster=\"flag.png\""));
        assert!(page.contains("A &lt;flag&gt; &amp; &quot;wind&quot;"));
        assert!(!page.contains("http"), "nothing from elsewhere");
    }

    #[test]
    fn scenes_are_grouped_by_what_they_are_taken_from_with_heroes_first() {
        let page = html(&[
            entry("mine", "Nothing cited."),
            entry("bars", "Bars ([Mueller2002] fig. 5)."),
            entry("lifted-plate", "A plate ([Terzopoulos1988] fig. 6)."),
            entry("carpet", "A carpet ([Terzopoulos1988] fig. 13)."),
        ]);
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("no {text}"));
        assert!(place("id=\"carpet\"") < place("id=\"lifted-plate\""));
        assert!(place("id=\"lifted-plate\"") < place("id=\"bars\""));
        assert!(place("id=\"bars\"") < place("id=\"mine\""));
        assert!(page.contains("<h3>Lifted plate</h3>"));
        assert!(place("href=\"#Terzopoulos1988\"") < place("id=\"Terzopoulos1988\""));
        assert!(!page.contains("class=\"hero\""), "the group is small");
        let many = ["lifted-plate", "goop", "net-tear", "carpet"]
            .map(|name| entry(name, "Something ([Terzopoulos1988])."));
        assert!(html(&many).contains("id=\"carpet\" class=\"hero\""));
        assert!(page.contains("Terzopoulos and Fleischer 1988, fig. 13"));
    }
}
