//! Names without regard to case, `_`, `-` and space; shelves of named things; the nearest known names.

use super::error::{NameKind, UnknownName};
use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

/// How many near names an error lists.
const NEAREST: usize = 3;
/// A name that contains the asked one counts at least this near, however much longer it is.
const CONTAINS_SCORE: f64 = 0.9;

/// The form in which names are compared.
pub(super) fn normalise(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(c, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .collect()
}

/// Something that stands in a catalogue under a name and perhaps others.
pub(super) trait Named {
    /// The name it is listed under.
    fn name(&self) -> &str;
    /// Other names.
    fn aliases(&self) -> &[String];
}

/// Named things in the order of their names, found by any of their names.
///
/// A listed name beats an alias; an alias that two things claim finds neither, so that nobody gets the wrong one.
#[derive(Debug, Clone)]
pub(super) struct Shelf<T> {
    kind: NameKind,
    items: Vec<Arc<T>>,
    /// By spelling, case ignored.
    exact: HashMap<String, Option<usize>>,
    /// By spelling, case, `_`, `-` and spaces ignored.
    index: HashMap<String, Option<usize>>,
}

impl<T: Named> Shelf<T> {
    /// Shelves the items; of two with the same name the later one stays.
    pub(super) fn new(kind: NameKind, items: impl IntoIterator<Item = T>) -> Self {
        let mut by_name: HashMap<String, T> = HashMap::new();
        for item in items {
            by_name.insert(item.name().to_lowercase(), item);
        }
        let mut items: Vec<Arc<T>> = by_name.into_values().map(Arc::new).collect();
        items.sort_by(|a, b| a.name().cmp(b.name()));
        let mut shelf = Self {
            kind,
            exact: HashMap::new(),
            index: HashMap::new(),
            items,
        };
        let names: Vec<(String, usize)> = (0..shelf.items.len())
            .map(|at| (shelf.items[at].name().to_owned(), at))
            .collect();
        let aliases: Vec<(String, usize)> = (0..shelf.items.len())
            .flat_map(|at| {
                let aliases = shelf.items[at].aliases().to_vec();
                aliases.into_iter().map(move |alias| (alias, at))
            })
            .collect();
        shelf.claim(&names);
        shelf.claim(&aliases);
        shelf
    }

    /// Enters spellings that earlier claims left free; what two things claim at once finds neither.
    fn claim(&mut self, spellings: &[(String, usize)]) {
        let mut loose: HashMap<String, Option<usize>> = HashMap::new();
        let mut exact: HashMap<String, Option<usize>> = HashMap::new();
        for (spelling, at) in spellings {
            for (claims, key) in [
                (&mut loose, normalise(spelling)),
                (&mut exact, spelling.to_lowercase()),
            ] {
                claims
                    .entry(key)
                    .and_modify(|holder| {
                        if *holder != Some(*at) {
                            *holder = None;
                        }
                    })
                    .or_insert(Some(*at));
            }
        }
        for (key, holder) in loose {
            self.index.entry(key).or_insert(holder);
        }
        for (key, holder) in exact {
            self.exact.entry(key).or_insert(holder);
        }
    }

    /// All of them, sorted by name.
    pub(super) fn items(&self) -> &[Arc<T>] {
        &self.items
    }

    /// The one of that name or alias.
    pub(super) fn get(&self, name: &str) -> Option<&Arc<T>> {
        let exact = self.exact.get(&name.to_lowercase()).copied().flatten();
        let at = exact.or_else(|| self.index.get(&normalise(name)).copied().flatten())?;
        self.items.get(at)
    }

    /// The one of that name or alias, or an error that lists the nearest names.
    pub(super) fn find(&self, name: &str) -> Result<&Arc<T>, UnknownName> {
        self.get(name).ok_or_else(|| UnknownName {
            kind: self.kind,
            name: name.to_owned(),
            nearest: self.nearest(name),
        })
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        let spellings = self.items.iter().flat_map(|item| {
            std::iter::once(item.name())
                .chain(item.aliases().iter().map(String::as_str))
                .map(|spelling| (item.name(), spelling))
        });
        nearest(name, spellings)
    }
}

/// So many letters wrong, missing or swapped are a slip of the finger.
const SLIPS: usize = 2;

/// The word that was meant, where what was written is a slip of the finger away from one.
pub fn slip_of<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let written = compared(written);
    (known.into_iter())
        .map(|word| (strsim::damerau_levenshtein(word, &written), word))
        .filter(|(slips, _)| *slips <= SLIPS)
        .min()
        .map(|(_, word)| word)
}

/// Letters of a name that are compared with those that are known: more than any of those has. To compare takes a time in
/// proportion to the letters of both, for each known name.
const COMPARED: usize = 100;

/// As much of a name as is compared.
pub(crate) fn compared(name: &str) -> String {
    name.chars().take(COMPARED).collect()
}

/// The nearest names to `wanted` among pairs of a listed name and one of its spellings, best first.
pub(super) fn nearest<'a>(
    wanted: &str,
    spellings: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<String> {
    let wanted = normalise(&compared(wanted));
    let mut best: HashMap<&str, f64> = HashMap::new();
    for (name, spelling) in spellings {
        let score = likeness(&wanted, &normalise(spelling));
        let kept = best.entry(name).or_insert(score);
        *kept = kept.max(score);
    }
    let mut ranked: Vec<(&str, f64)> = best.into_iter().collect();
    ranked.sort_by(|a, b| {
        b.1.partial_cmp(&a.1)
            .unwrap_or(Ordering::Equal)
            .then(a.0.cmp(b.0))
    });
    ranked
        .into_iter()
        .take(NEAREST)
        .map(|(name, _)| name.to_owned())
        .collect()
}

fn likeness(wanted: &str, known: &str) -> f64 {
    if wanted.len() > 1 && known.contains(wanted) {
        // Between two that contain the word, the one with less around it is nearer.
        let around = strsim::normalized_levenshtein(wanted, known);
        CONTAINS_SCORE + (1.0 - CONTAINS_SCORE) * around
    } else {
        strsim::jaro_winkler(wanted, known) * CONTAINS_SCORE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Thing(&'static str, Vec<String>);
    impl Named for Thing {
        fn name(&self) -> &str {
            self.0
        }
        fn aliases(&self) -> &[String] {
            &self.1
        }
    }

    #[test]
    fn case_and_dashes_do_not_matter() {
        let shelf = Shelf::new(
            NameKind::Model,
            [Thing("gpt3-1.3b", vec!["GPT 3 XL".into()])],
        );
        assert!(shelf.get("GPT3_1.3B").is_some());
        assert!(shelf.get("gpt-3-xl").is_some());
    }

    #[test]
    fn an_alias_of_two_things_finds_neither_but_is_near_both() {
        let shelf = Shelf::new(
            NameKind::Accelerator,
            [
                Thing("A100-40GB", vec!["A100".into()]),
                Thing("A100-80GB", vec!["A100".into()]),
            ],
        );
        let error = shelf.find("a100").map(|_| ()).unwrap_err();
        assert_eq!(error.nearest, ["A100-40GB", "A100-80GB"]);
        assert_eq!(
            error.to_string(),
            "unknown accelerator `a100`; nearest known: A100-40GB, A100-80GB"
        );
    }

    #[test]
    fn a_later_thing_of_the_same_name_replaces_the_earlier() {
        let shelf = Shelf::new(
            NameKind::System,
            [Thing("a-b", vec![]), Thing("A-B", vec!["x".into()])],
        );
        assert_eq!(shelf.items().len(), 1);
        assert!(shelf.get("x").is_some());
    }

    #[test]
    fn of_a_very_long_name_the_head_is_compared() {
        let long = format!("net1b{}", "é".repeat(100_000));
        assert_eq!(compared(&long).chars().count(), COMPARED);
        assert_eq!(compared("net1b"), "net1b");
        let shelf = Shelf::new(
            NameKind::Model,
            [Thing("net-1b", vec![]), Thing("other", vec![])],
        );
        let error = shelf.find(&long).map(|_| ()).unwrap_err();
        assert_eq!(error.nearest, ["net-1b", "other"]);
        assert_eq!(slip_of(&long, ["net1b"]), None);
    }

    #[test]
    fn names_one_dash_apart_are_found_by_their_spelling_alone() {
        let shelf = Shelf::new(
            NameKind::Model,
            [Thing("net-1b", vec![]), Thing("net1b", vec![])],
        );
        let name = |asked| shelf.get(asked).map(|thing| thing.0);
        assert_eq!(name("NET-1B"), Some("net-1b"));
        assert_eq!(name("net1b"), Some("net1b"));
        assert_eq!(name("net_1b"), None);
    }
}
