//! Lists of counts of accelerators.

use super::parse::whole;
use super::words::quoted;
use crate::domain::ranges::MAX_COUNT;

/// More counts than a person means, each of which is planned.
const MOST_COUNTS: usize = 64;

/// Counts of accelerators, set apart by commas or spaces: `8, 16 32`. Three digits that begin with a zero can only be the
/// thousands of the number before them (`1 024`); any three after a space are, where commas set the entries apart
/// (`8, 1 536`). A lone `k` is a suffix. What is repeated counts once.
pub fn counts(text: &str) -> Result<Vec<u32>, String> {
    let mut entries: Vec<String> = Vec::new();
    let between: Vec<&str> = text.split([',', ';']).collect();
    for chunk in &between {
        for (i, part) in chunk.split_ascii_whitespace().enumerate() {
            let is_thousands = between.len() > 1 && i > 0 && part.len() == 3;
            let is_group = part.len() == 3 && (part.starts_with('0') || is_thousands);
            match entries.last_mut() {
                Some(entry) if is_group || part.eq_ignore_ascii_case("k") => entry.push_str(part),
                _ => entries.push(part.to_owned()),
            }
        }
    }
    if entries.len() > MOST_COUNTS {
        return Err(format!("At most {MOST_COUNTS} counts at once"));
    }
    let mut counts = Vec::new();
    for entry in &entries {
        let count = whole(entry).ok().filter(|n| *n <= MAX_COUNT);
        let count = count.ok_or_else(|| {
            format!(
                "{} is no count. Allowed: whole numbers from 1 to 1 000 000, such as 8, 16, 32",
                quoted(entry)
            )
        })?;
        if !counts.contains(&count) {
            counts.push(count);
        }
    }
    if counts.is_empty() {
        return Err("Type one count or several, such as 8, 16, 32".to_owned());
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_a_list_whose_wrong_entry_is_named() {
        for (text, list) in [
            ("8, 16, 32", vec![8, 16, 32]),
            ("8 16,32,", vec![8, 16, 32]),
            ("8,128", vec![8, 128]),
            ("1 024", vec![1024]),
            ("1,024, 2,048", vec![1024, 2048]),
            ("1 000 000", vec![1_000_000]),
            ("8, 1 536", vec![8, 1536]),
            ("8 128 1024", vec![8, 128, 1024]),
            ("2k 2 k, 2000", vec![2000]),
            ("96", vec![96]),
        ] {
            assert_eq!(counts(text), Ok(list), "{text}");
        }
        for (text, named) in [
            ("8, banana, 32", "“banana”"),
            ("8, 0", "“0”"),
            ("8 2.5", "“2.5”"),
            ("16, 2000000", "“2000000”"),
            ("8, -4", "“-4”"),
        ] {
            let problem = counts(text).unwrap_err();
            assert!(
                problem.contains(named) && problem.contains("from 1 to 1 000 000"),
                "{problem}"
            );
        }
        assert!(counts(", ").is_err() && counts(&"7 ".repeat(80)).is_err());
    }
}
