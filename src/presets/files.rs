//! Preset files: those built into the program and those of a user's folder, and how one is parsed.

use super::error::PresetError;
use super::reader_words::in_words;
use include_dir::{Dir, include_dir};
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

static SHIPPED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/presets");

/// The newest schema this build reads.
pub(super) const SCHEMA: u32 = 1;

/// What may stand where; printed by [`PresetError::Kind`].
const ALLOWED: &str = "precisions.toml, modes.toml, fabric.toml, accelerators/*.toml, systems/*.toml, \
     models/*.toml, prices/*.toml, carbon/*.toml, reliability.toml, advice.toml (and plans/, which is not read here)";

/// What a file describes; follows from where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Precisions,
    Modes,
    Fabric,
    Accelerators,
    Systems,
    Models,
    Prices,
    Carbon,
    Reliability,
    Advice,
}

impl Kind {
    fn of(relative: &str) -> Option<Self> {
        match relative {
            "precisions.toml" => return Some(Self::Precisions),
            "modes.toml" => return Some(Self::Modes),
            "fabric.toml" => return Some(Self::Fabric),
            "reliability.toml" => return Some(Self::Reliability),
            "advice.toml" => return Some(Self::Advice),
            _ => {}
        }
        match relative.split_once('/')?.0 {
            "accelerators" => Some(Self::Accelerators),
            "systems" => Some(Self::Systems),
            "models" => Some(Self::Models),
            "prices" => Some(Self::Prices),
            "carbon" => Some(Self::Carbon),
            _ => None,
        }
    }
}

/// One file as read.
#[derive(Debug, Clone)]
pub(super) struct PresetFile {
    pub kind: Kind,
    /// How errors call it.
    pub path: String,
    pub text: Cow<'static, str>,
}

/// The files built into the program.
pub(super) fn shipped() -> Result<Vec<PresetFile>, PresetError> {
    let mut files = Vec::new();
    collect_shipped(&SHIPPED, &mut files)?;
    Ok(files)
}

fn collect_shipped(dir: &'static Dir<'_>, files: &mut Vec<PresetFile>) -> Result<(), PresetError> {
    for file in dir.files() {
        let relative = file.path().to_string_lossy().replace('\\', "/");
        if !relative.ends_with(".toml") || relative.starts_with("plans/") {
            continue;
        }
        let path = format!("presets/{relative}");
        let text = file.contents_utf8().ok_or_else(|| PresetError::Io {
            path: path.clone(),
            message: "not UTF-8".into(),
        })?;
        files.push(preset_file(&relative, path, Cow::Borrowed(text))?);
    }
    dir.dirs().try_for_each(|dir| collect_shipped(dir, files))
}

/// The files of a user's folder, in the order of their paths. A folder that does not exist holds none.
pub(super) fn of_folder(root: &Path) -> Result<Vec<PresetFile>, PresetError> {
    let mut files = Vec::new();
    if root.exists() {
        collect_folder(root, root, &mut files)?;
    }
    files.sort_by(|a: &PresetFile, b| a.path.cmp(&b.path));
    Ok(files)
}

fn collect_folder(root: &Path, dir: &Path, files: &mut Vec<PresetFile>) -> Result<(), PresetError> {
    let broken = |path: &Path, error: std::io::Error| PresetError::Io {
        path: path.display().to_string(),
        message: error.to_string(),
    };
    for entry in std::fs::read_dir(dir).map_err(|e| broken(dir, e))? {
        let path = entry.map_err(|e| broken(dir, e))?.path();
        let relative = path
            .strip_prefix(root)
            .unwrap_or(&path)
            .to_string_lossy()
            .replace('\\', "/");
        if path.is_dir() {
            if relative != "plans" {
                collect_folder(root, &path, files)?;
            }
        } else if relative.ends_with(".toml") {
            let text = std::fs::read_to_string(&path).map_err(|e| broken(&path, e))?;
            let shown = path.display().to_string();
            files.push(preset_file(&relative, shown, Cow::Owned(text))?);
        }
    }
    Ok(())
}

fn preset_file(
    relative: &str,
    path: String,
    text: Cow<'static, str>,
) -> Result<PresetFile, PresetError> {
    match Kind::of(relative) {
        Some(kind) => Ok(PresetFile { kind, path, text }),
        None => Err(PresetError::Kind {
            file: path,
            allowed: ALLOWED,
        }),
    }
}

/// Only the schema number, whatever else the file holds.
#[derive(serde::Deserialize)]
struct Head {
    #[serde(default)]
    schema: u32,
}

impl PresetFile {
    /// Parses the file and checks its schema number, which `schema` finds in what was parsed.
    pub(super) fn read<T: DeserializeOwned>(
        &self,
        schema: impl Fn(&T) -> u32,
    ) -> Result<T, PresetError> {
        let parsed = toml::from_str(&self.text).map_err(|error| {
            let head = toml::from_str::<Head>(&self.text).unwrap_or(Head { schema: 0 });
            if head.schema > SCHEMA {
                self.newer(head.schema)
            } else {
                self.at(error.span(), &in_words(error.message()))
            }
        })?;
        self.check_schema(schema(&parsed))?;
        Ok(parsed)
    }

    fn check_schema(&self, schema: u32) -> Result<(), PresetError> {
        match schema {
            SCHEMA => Ok(()),
            newer if newer > SCHEMA => Err(self.newer(newer)),
            _ => Err(self.at(
                None,
                &format!("field `schema`: {schema} is unknown; allowed: {SCHEMA}"),
            )),
        }
    }

    fn newer(&self, found: u32) -> PresetError {
        PresetError::Newer {
            file: self.path.clone(),
            found,
            known: SCHEMA,
        }
    }

    /// An error at a key of a JSON file, which is the first of its name.
    pub(super) fn at_key(&self, key: &str, message: &str) -> PresetError {
        let quoted = format!("\"{key}\"");
        let is_key = |at: &usize| {
            let behind = self.text[at + quoted.len()..].trim_start();
            behind.starts_with(':')
        };
        let at = (self.text.match_indices(&quoted))
            .map(|(at, _)| at)
            .find(is_key);
        self.at(at.map(|at| at..at), message)
    }

    /// An error at a place of the file; the key of the line is named where the message does not.
    pub(super) fn at(&self, span: Option<Range<usize>>, message: &str) -> PresetError {
        let start = span.map_or(0, |s| s.start).min(self.text.len());
        let before = self.text.get(..start).unwrap_or("");
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = self.text[line_start..].lines().next().unwrap_or("");
        let message = message.trim_end().replace('\n', "; ");
        PresetError::At {
            file: self.path.clone(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            message: match key_of(line) {
                Some(key) if !names_a_field(&message) => format!("field `{key}`: {message}"),
                _ => message,
            },
        }
    }
}

/// Whether a message says itself what it is about.
fn names_a_field(message: &str) -> bool {
    [
        "missing field",
        "unknown field",
        "unknown key",
        "field `",
        "model `",
    ]
    .iter()
    .any(|start| message.starts_with(start))
}

/// The key of a `key = value` line.
fn key_of(line: &str) -> Option<&str> {
    let key = line.split_once('=')?.0.trim();
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!key.is_empty() && key.chars().all(bare)).then_some(key)
}
