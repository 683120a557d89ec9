//! Lengths of sequences, whose thousands are 1 024 wherever people speak of them.

use super::parse::{number, whole};
use super::words::quoted;

/// Tokens of a sequence: `8192`, `8 192`, and `8k` as people speak of sequences, which is 8 192; with a note where that is
/// another number than it reads.
pub fn sequence(text: &str) -> Result<(u32, Option<String>), String> {
    let plain = text.trim().to_lowercase();
    let scaled = [("k", 1024.0), ("m", 1_048_576.0)].into_iter();
    let mut scaled =
        scaled.filter_map(|(suffix, scale)| Some((plain.strip_suffix(suffix)?.trim(), scale)));
    let Some((figure, scale)) = scaled.next() else {
        return whole(text).map(|tokens| (tokens, None));
    };
    let value = number(figure).map_err(|_| number(text).err().unwrap_or_default())? * scale;
    if value.fract() != 0.0 || value > f64::from(u32::MAX) {
        return Err(format!("{} is no whole number of tokens", quoted(text)));
    }
    let note = format!(
        "{} is read as {} tokens, as sequences are counted",
        text.trim(),
        crate::format::count(value)
    );
    Ok((value as u32, Some(note)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_tokens_of_a_sequence_are_1024() {
        for (text, tokens) in [
            ("8k", 8192),
            ("128 K", 131_072),
            ("1.5k", 1536),
            ("1M", 1 << 20),
        ] {
            let (value, note) = sequence(text).unwrap();
            assert!(value == tokens && note.is_some(), "{text}: {value}");
        }
        assert_eq!(sequence("8 000"), Ok((8000, None)));
        assert!(
            sequence("1.0001k").is_err() && sequence("k").is_err() && sequence("9e9k").is_err()
        );
    }
}
