//! Which files can be opened, by how their names end.

/// How the name of a file that can be opened ends, in capitals or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileEnding {
    /// Measured runs.
    Csv,
    /// A model.
    Json,
    /// A plan, a model or a calibration.
    Toml,
}

impl FileEnding {
    /// That of a path; `None` of files that cannot be opened.
    pub fn of(path: &str) -> Option<Self> {
        let lower = path.trim().to_lowercase();
        let all = [
            (".csv", Self::Csv),
            (".json", Self::Json),
            (".toml", Self::Toml),
        ];
        let found = all.into_iter().find(|(end, _)| lower.ends_with(end));
        found.map(|(_, ending)| ending)
    }

    /// Whether a name in a request is that of a model's file.
    pub fn is_model(name: &str) -> bool {
        matches!(Self::of(name), Some(Self::Json | Self::Toml))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_how_their_names_end() {
        assert_eq!(FileEnding::of("a/runs.CSV "), Some(FileEnding::Csv));
        assert_eq!(FileEnding::of("plan.toml.bak"), None);
        assert!(FileEnding::is_model("my/config.json") && FileEnding::is_model("a.toml"));
        assert!(!FileEnding::is_model("llama-3-8b") && !FileEnding::is_model("runs.csv"));
    }
}
