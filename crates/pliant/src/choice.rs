//! Lists of named choices, such as integrators and solvers: each has a name and a line that says
//! what it is. Whoever offers the choice (scene files, commands, documents) takes both from here.

/// The name of a choice and what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The name.
    pub name: &'static str,
    /// What it is, in a sentence; empty if the name says it.
    pub summary: &'static str,
}

impl Word {
    /// A name that needs no explanation.
    pub const fn plain(name: &'static str) -> Self {
        Self { name, summary: "" }
    }
}

/// Declares an enum of named choices. The name is that of the variant unless `= "Name"` follows it;
/// the summary is its documentation. The first is the default.
///
/// ```
/// pliant::choice! {
///     /// How a drink is served.
///     pub enum Drink {
///         /// From a pot.
///         Tea,
///         /// From a machine.
///         Coffee = "Espresso",
///     }
/// }
/// assert_eq!(Drink::Coffee.name(), "Espresso");
/// assert_eq!(Drink::default().summary(), "From a pot.");
/// assert_eq!(Drink::from_name("Tea"), Some(Drink::Tea));
/// assert_eq!(Drink::WORDS.len(), Drink::ALL.len());
/// ```
#[macro_export]
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $visibility:vis enum $name:ident {
            $(
                $(#[doc = $summary:literal])+
                $variant:ident $(= $word:literal)?
            ),* $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        $visibility enum $name {
            $($(#[doc = $summary])+ $variant),*
        }

        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        impl $name {
            /// All choices, in the order of the documents.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The names of all choices and what they are, in the same order.
            pub const WORDS: &'static [$crate::choice::Word] = &[$($crate::choice::Word {
                name: $crate::choice!(@name $variant $($word)?),
                summary: concat!($($summary),+).trim_ascii(),
            }),*];

            /// The name.
            pub const fn name(self) -> &'static str {
                Self::WORDS[self as usize].name
            }

            /// What it is, in a sentence.
            pub const fn summary(self) -> &'static str {
                Self::WORDS[self as usize].summary
            }

            /// The choice of a name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|choice| choice.name() == name)
            }
        }
    };
    (@name $variant:ident) => { stringify!($variant) };
    (@name $variant:ident $word:literal) => { $word };
}
