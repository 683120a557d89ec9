//! The table's filter: words that must occur, and comparisons such as `cost < 2k` or `time <= 2d`.

use crate::planner::Combination;

/// What a comparison looks at.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Figure {
    Cost,
    Hours,
    Energy,
    Memory,
    Count,
    Step,
}

/// One condition; all must hold.
#[derive(Debug, Clone, PartialEq)]
enum Clause {
    Word(String),
    Compare(Figure, char, bool, f64),
}

/// A parsed filter.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    clauses: Vec<Clause>,
}

impl Filter {
    /// Parses; what is no comparison counts as a word.
    pub fn parse(text: &str) -> Self {
        let mut spaced = String::new();
        for c in text.to_lowercase().chars() {
            match c {
                '<' | '>' => spaced.extend([' ', c]),
                '=' if spaced.ends_with(['<', '>']) => spaced.extend([c, ' ']),
                '=' => spaced.extend([' ', c, ' ']),
                c => {
                    if spaced.ends_with(['<', '>']) {
                        spaced.push(' ');
                    }
                    spaced.push(c);
                }
            }
        }
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut clauses = Vec::new();
        let mut i = 0;
        while i < words.len() {
            let compared = words
                .get(i..i + 3)
                .and_then(|w| comparison(w[0], w[1], w[2]));
            if let Some(clause) = compared {
                clauses.push(clause);
                i += 3;
            } else {
                clauses.push(Clause::Word(words[i].to_owned()));
                i += 1;
            }
        }
        Self { clauses }
    }

    /// Whether a combination passes.
    pub fn accepts(&self, c: &Combination) -> bool {
        self.clauses.iter().all(|clause| match clause {
            Clause::Word(word) => {
                c.mode.label().to_lowercase().contains(word)
                    || c.accelerator.label.to_lowercase().contains(word)
                    || c.accelerator.name.to_lowercase().contains(word)
                    || c.run().is_some_and(|r| {
                        r.layout.to_lowercase().contains(word)
                            || r.confidence().word().to_lowercase() == *word
                    })
                    || super::rows::seller_of(Some(c))
                        .to_lowercase()
                        .contains(word)
                    || (c.run().is_none() && "refused".contains(word.as_str()))
            }
            Clause::Compare(figure, sign, or_equal, limit) => {
                figure_of(*figure, c).is_some_and(|v| match sign {
                    '<' => v < *limit || (*or_equal && v <= *limit),
                    '>' => v > *limit || (*or_equal && v >= *limit),
                    _ => (v - limit).abs() <= limit.abs() * 1e-9,
                })
            }
        })
    }
}

fn figure_of(figure: Figure, c: &Combination) -> Option<f64> {
    if figure == Figure::Count {
        return Some(f64::from(c.count));
    }
    let run = c.run()?;
    match figure {
        Figure::Cost => run.cost_usd.map(|e| e.value),
        Figure::Hours => Some(run.total_time_h.value),
        Figure::Energy => run.energy_kwh.map(|e| e.value),
        Figure::Memory => Some(run.prediction.memory.total().gib()),
        Figure::Step => Some(run.prediction.step_time.value),
        Figure::Count => None,
    }
}

fn comparison(name: &str, sign: &str, value: &str) -> Option<Clause> {
    let figure = match name {
        "cost" | "price" => Figure::Cost,
        "time" | "total" => Figure::Hours,
        "energy" => Figure::Energy,
        "memory" => Figure::Memory,
        "count" | "n" => Figure::Count,
        "step" => Figure::Step,
        _ => return None,
    };
    let kind = sign.chars().next().filter(|c| "<>=".contains(*c))?;
    let limit = number_with_suffix(value.trim_start_matches('$'), figure)?;
    Some(Clause::Compare(figure, kind, sign.ends_with('='), limit))
}

/// `2k`, `1.5m`, and for times `2d`, `36h`, `90min` (in hours).
fn number_with_suffix(text: &str, figure: Figure) -> Option<f64> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let value: f64 = text.get(..end)?.parse().ok()?;
    let scale = match (text.get(end..)?, figure) {
        ("" | "h", Figure::Hours) => 1.0,
        ("d", Figure::Hours) => 24.0,
        ("min" | "m", Figure::Hours) => 1.0 / 60.0,
        ("ms", Figure::Step) => 1e-3,
        ("" | "gib" | "gb" | "kwh" | "s", _) => 1.0,
        ("k", _) => 1e3,
        ("m", _) => 1e6,
        _ => return None,
    };
    Some(value * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comparisons_parse_with_and_without_spaces() {
        let expect = Filter {
            clauses: vec![
                Clause::Word("fp8".into()),
                Clause::Compare(Figure::Cost, '<', false, 2000.0),
            ],
        };
        assert_eq!(Filter::parse("FP8 cost<2k"), expect);
        assert_eq!(Filter::parse("fp8 cost < $2k"), expect);
        assert_eq!(
            Filter::parse("time<=2d").clauses,
            vec![Clause::Compare(Figure::Hours, '<', true, 48.0)]
        );
        assert_eq!(
            Filter::parse("cost cheap").clauses,
            vec![Clause::Word("cost".into()), Clause::Word("cheap".into())]
        );
    }
}
