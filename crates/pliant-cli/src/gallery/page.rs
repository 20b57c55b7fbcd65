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
    /// Whether the page of the viewer stands beside the gallery and knows the scene.
    pub has_viewer: bool,
}

/// The page of the viewer, beside that of the gallery.
pub const VIEWER: &str = "pliant.html";

/// A work that scenes cite.
struct Work {
    /// As descriptions name it, in brackets.
    key: &'static str,
    /// What captions say for the key.
    names: &'static str,
    /// The title of its group of scenes; empty for works that have none.
    title: &'static str,
    /// All of it.
    citation: &'static str,
}

/// The works that scenes cite; their groups stand on the page in this order.
const WORKS: &[Work] = &[
    Work {
        key: "Terzopoulos1988",
        names: "Terzopoulos and Fleischer 1988",
        title: "Deformable models",
        citation: "D. Terzopoulos, K. Fleischer, \u{201c}Deformable models\u{201d}, The Visual \
                   Computer 4(6), 306-331, 1988",
    },
    Work {
        key: "Mueller2002",
        names: "Müller and others 2002",
        title: "Stable real-time deformations",
        citation: "M. Müller, J. Dorsey, L. McMillan, R. Jagnow, B. Cutler, \u{201c}Stable real-time \
                   deformations\u{201d}, Symposium on Computer Animation, 49-54, 2002",
    },
    Work {
        key: "Thesis2004",
        names: "thesis of 2004",
        title: "Implementation of deformable objects",
        citation: "\u{201c}Implementation of Deformable Objects\u{201d}, student thesis, University of \
                   Copenhagen, 2004",
    },
    Work {
        key: "Gudukbay",
        names: "Güdükbay and others 1993",
        title: "Rigid and deformable models",
        citation: "U. Güdükbay, B. Özgüç, Y. Tokad, \u{201c}An animation system for rigid and \
                   deformable models\u{201d}, Computers & Graphics 17(1), 71-77, 1993",
    },
    Work {
        key: "Gibson1997",
        names: "Gibson and Mirtich 1997",
        title: "A survey of deformable modeling",
        citation: "S. F. F. Gibson, B. Mirtich, \u{201c}A survey of deformable modeling in computer \
                   graphics\u{201d}, Mitsubishi Electric Research Laboratory, TR-97-19, 1997",
    },
    Work {
        key: "Bergou2008",
        names: "Bergou and others 2008",
        title: "",
        citation: "M. Bergou, M. Wardetzky, S. Robinson, B. Audoly, E. Grinspun, \u{201c}Discrete \
                   elastic rods\u{201d}, ACM Transactions on Graphics 27(3), 2008",
    },
    Work {
        key: "Terzopoulos1991",
        names: "Terzopoulos and Metaxas 1991",
        title: "",
        citation: "D. Terzopoulos, D. Metaxas, \u{201c}Dynamic 3D models with local and global \
                   deformations: deformable superquadrics\u{201d}, IEEE Transactions on Pattern Analysis \
                   and Machine Intelligence 13(7), 1991",
    },
    Work {
        key: "Witkin1990",
        names: "Witkin and Welch 1990",
        title: "",
        citation: "A. Witkin, W. Welch, \u{201c}Fast animation and control of nonrigid \
                   structures\u{201d}, Computer Graphics 24(4), SIGGRAPH 1990",
    },
    Work {
        key: "Celniker1991",
        names: "Celniker and Gossard 1991",
        title: "",
        citation: "G. Celniker, D. Gossard, \u{201c}Deformable curve and surface finite-elements for \
                   free-form shape design\u{201d}, Computer Graphics 25(4), SIGGRAPH 1991",
    },
    Work {
        key: "Welch1992",
        names: "Welch and Witkin 1992",
        title: "",
        citation: "W. Welch, A. Witkin, \u{201c}Variational surface modeling\u{201d}, Computer \
                   Graphics 26(2), SIGGRAPH 1992",
    },
    Work {
        key: "Qin1996",
        names: "Qin and Terzopoulos 1996",
        title: "",
        citation: "H. Qin, D. Terzopoulos, \u{201c}D-NURBS: a physics-based framework for geometric \
                   design\u{201d}, IEEE Transactions on Visualization and Computer Graphics 2(1), 1996",
    },
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
    let groups = WORKS
        .iter()
        .filter(|work| !work.title.is_empty())
        .map(|work| (Some(work.key), work.title, work.citation))
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

/// The works that a description cites, in the order in which it does.
fn cited(description: &str) -> Vec<&'static Work> {
    let place = |work: &Work| description.find(&format!("[{}]", work.key));
    let mut cited: Vec<&Work> = WORKS.iter().filter(|work| place(work).is_some()).collect();
    cited.sort_by_key(|work| place(work));
    cited
}

/// The first of the works with a group that a description cites.
fn source(description: &str) -> Option<&'static str> {
    let cited = cited(description).into_iter();
    let mut grouped = cited.filter(|work| !work.title.is_empty());
    grouped.next().map(|work| work.key)
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

/// A description with the works it cites named by their authors and year instead of by a key.
fn caption(description: &str) -> String {
    WORKS.iter().fold(description.to_owned(), |text, work| {
        // A comma only where a figure or a section follows.
        let key = format!("[{}]", work.key);
        text.replace(&format!("{key} "), &format!("{}, ", work.names))
            .replace(&key, work.names)
    })
}

/// All that a description cites, in full.
fn citations(description: &str) -> String {
    let citation = |work: &Work| format!("  <p class=\"facts\">{}</p>\n", escaped(work.citation));
    cited(description).into_iter().map(citation).collect()
}

fn card(entry: &Entry, hero: bool) -> String {
    let class = if hero { " class=\"hero\"" } else { "" };
    let name = escaped(&entry.name);
    let scene = escaped(&entry.scene);
    let turn = match entry.has_viewer {
        true => format!(" <a href=\"{VIEWER}#{scene}\">turn, pull, cut</a>"),
        false => String::new(),
    };
    format!(
        r#"<article id="{name}"{class}>
  <video loop muted playsinline preload="none" poster="{name}.png" src="{name}.mp4" tabindex="0" aria-label="Film of {name}"></video>
  <h3>{title}</h3>
  <p>{caption}</p>
{citations}  <p class="facts">{nodes} nodes, {seconds} s of motion in {cpu:.1} s of processor time</p>
  <p class="facts"><code>pliant run {scene}</code> <a href="{name}.xml">scene</a> <a href="{name}.glb" download>model</a>{turn}</p>
  <details><summary>Energies</summary><img loading="lazy" src="{name}-energy.svg" alt="Energies of {name} against time"></details>
</article>
"#,
        title = escaped(&title(&entry.name)),
        caption = escaped(&caption(&entry.description)),
        citations = citations(&entry.description),
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
            has_viewer: false,
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
        assert!(page.contains("The Visual Computer 4(6), 306-331, 1988"));
    }

    #[test]
    fn what_is_cited_is_cited_in_full_and_no_key_is_left() {
        for entry in
            std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes")).unwrap()
        {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "xml") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let description = text.split("<Description>").nth(1).unwrap_or_default();
            let description = description
                .split("</Description>")
                .next()
                .unwrap_or_default();
            let caption = caption(description);
            assert!(!caption.contains('['), "{}: {caption}", path.display());
        }
        let rod = caption("It winds round itself ([Bergou2008]).");
        assert_eq!(rod, "It winds round itself (Bergou and others 2008).");
        let cited = citations("As [Gibson1997] sect. 2 and [Witkin1990] say.");
        assert!(
            cited.find("A survey").unwrap() < cited.find("nonrigid").unwrap(),
            "{cited}"
        );
    }

    #[test]
    fn the_viewer_is_linked_where_it_is() {
        let mut flag = entry("flag", "A flag.");
        assert!(!html(&[flag.clone()]).contains("pliant.html"));
        flag.has_viewer = true;
        assert!(html(&[flag]).contains("href=\"pliant.html#flag\""));
    }
}
