//! Operator profiles: the store of traced ones, and where each kind of model gets its own.

use super::builders::{self, Head};
use super::catalogue::Catalogue;
use super::error::{NameKind, UnknownName};
use super::names::{nearest, normalise};
use super::profile_line::{ProfileKey, ProfileLine, rescale};
use crate::domain::{
    Model, ModelSource, OperatorProfile, ProfileScaling, TransformerLayout, TransformerShape,
};
use flate2::read::GzDecoder;
use include_dir::{Dir, include_dir};
use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/profiles");

/// Why a model has no operator profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// No stored profile has that key.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The size of a sample is needed and nobody states it.
    #[error("model `{model}` has no default {field}; state one")]
    MissingSize {
        /// The model asked.
        model: String,
        /// `seq_len` or `image_size`.
        field: &'static str,
    },
    /// A size that the model cannot take.
    #[error("model `{model}`: {field} {value} is {problem}")]
    BadSize {
        /// The model asked.
        model: String,
        /// `seq_len` or `image_size`.
        field: &'static str,
        /// The size asked.
        value: u32,
        /// What is wrong with it, and what is allowed.
        problem: String,
    },
    /// The store or a profile in it is damaged.
    #[error("{file}: {message}")]
    Broken {
        /// File of the store.
        file: String,
        /// What is wrong.
        message: String,
    },
}

/// The traced profiles that ship, inflated and indexed on first use; a line is parsed when it is asked for.
#[derive(Debug)]
struct Store {
    files: Vec<(String, String)>,
    /// By normalised key, then by size.
    lines: BTreeMap<String, (String, BTreeMap<u32, Place>)>,
}

#[derive(Debug, Clone)]
struct Place {
    file: usize,
    bytes: Range<usize>,
}

fn broken(file: &str, message: impl ToString) -> ProfileError {
    ProfileError::Broken {
        file: file.to_owned(),
        message: message.to_string(),
    }
}

impl Store {
    fn shipped() -> Result<&'static Self, ProfileError> {
        static STORE: OnceLock<Result<Store, ProfileError>> = OnceLock::new();
        STORE.get_or_init(Self::open).as_ref().map_err(Clone::clone)
    }

    fn open() -> Result<Self, ProfileError> {
        let mut store = Self {
            files: Vec::new(),
            lines: BTreeMap::new(),
        };
        for file in FILES.files() {
            let path = file.path().to_string_lossy();
            if !path.ends_with(".jsonl.gz") {
                continue;
            }
            let path = format!("assets/profiles/{path}");
            let mut text = String::new();
            GzDecoder::new(file.contents())
                .read_to_string(&mut text)
                .map_err(|e| broken(&path, e))?;
            store.index(path, text)?;
        }
        Ok(store)
    }

    fn index(&mut self, path: String, text: String) -> Result<(), ProfileError> {
        let at = self.files.len();
        let mut start = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let bytes = start..start + line.len();
            start = bytes.end;
            if line.trim().is_empty() {
                continue;
            }
            let key: ProfileKey = serde_json::from_str(line)
                .map_err(|e| broken(&path, format!("line {}: {e}", number + 1)))?;
            let size = key.size();
            self.lines
                .entry(normalise(&key.model))
                .or_insert_with(|| (key.model, BTreeMap::new()))
                .1
                .insert(size, Place { file: at, bytes });
        }
        self.files.push((path, text));
        Ok(())
    }

    fn sizes(&self, key: &str) -> Result<&BTreeMap<u32, Place>, UnknownName> {
        self.lines
            .get(&normalise(key))
            .map(|(_, sizes)| sizes)
            .ok_or_else(|| UnknownName {
                kind: NameKind::Profile,
                name: key.to_owned(),
                nearest: nearest(
                    key,
                    self.lines
                        .values()
                        .map(|(name, _)| (name.as_str(), name.as_str())),
                ),
            })
    }

    fn parse(&self, place: &Place) -> Result<OperatorProfile, ProfileError> {
        let Some((path, text)) = self.files.get(place.file) else {
            return Err(broken("assets/profiles", "the index is damaged"));
        };
        let line = text.get(place.bytes.clone()).unwrap_or("");
        let parsed: ProfileLine = serde_json::from_str(line).map_err(|e| broken(path, e))?;
        parsed.profile().map_err(|e| broken(path, e))
    }
}

/// Keys of all stored profiles, sorted.
///
/// # Errors
/// [`ProfileError::Broken`] if the store is damaged.
pub fn profile_keys() -> Result<Vec<&'static str>, ProfileError> {
    let store = Store::shipped()?;
    Ok(store
        .lines
        .values()
        .map(|(name, _)| name.as_str())
        .collect())
}

/// Sizes a profile was traced at, ascending: pixels a side or tokens; 0 alone where it has one size only.
///
/// # Errors
/// [`ProfileError`] if no profile has the key.
pub fn profile_sizes(key: &str) -> Result<Vec<u32>, ProfileError> {
    Ok(Store::shipped()?.sizes(key)?.keys().copied().collect())
}

/// The stored profile of a key at a size: the traced one where it was traced there, else the nearest one scaled.
///
/// # Errors
/// [`ProfileError`] if no profile has the key.
pub fn traced_profile(
    key: &str,
    size: Option<u32>,
    scales: ProfileScaling,
) -> Result<OperatorProfile, ProfileError> {
    let store = Store::shipped()?;
    let sizes = store.sizes(key)?;
    let wanted = match scales {
        ProfileScaling::Fixed => None,
        _ => size.filter(|&s| s > 0),
    };
    // Sizes apart by the same factor are equally near.
    let apart = |traced: u32| match wanted {
        Some(wanted) if traced > 0 => (f64::from(traced) / f64::from(wanted)).ln().abs(),
        _ => f64::MAX,
    };
    let (&traced, place) = sizes
        .iter()
        .min_by(|a, b| apart(*a.0).total_cmp(&apart(*b.0)))
        .ok_or_else(|| broken("assets/profiles", format!("`{key}` has no size")))?;
    let mut profile = store.parse(place)?;
    if let Some(wanted) = wanted {
        rescale(&mut profile, traced, wanted, scales);
    }
    Ok(profile)
}

/// The operator profile of a model at the size of a sample; `None` takes the model's default.
///
/// # Errors
/// [`ProfileError`] if a size is needed that nobody states, or a stored profile is missing.
pub fn profile(
    model: &Model,
    seq_len: Option<u32>,
    image_size: Option<u32>,
) -> Result<Arc<OperatorProfile>, ProfileError> {
    let seq_len = seq_len.or(model.seq_len);
    let image_size = image_size.or(model.image_size);
    let built = match &model.profile {
        ModelSource::Transformer(shape) => transformer(model, shape, seq_len, image_size)?,
        ModelSource::Traced { profile, scales } => {
            let size = wanted_size(*scales, seq_len, image_size);
            traced_profile(profile, size, *scales)?
        }
        ModelSource::Totals {
            parameters,
            forward_macs,
            activations,
        } => match seq_len {
            // What multiplies each parameter once a token is a plain stack; other totals are taken at their word.
            Some(tokens)
                if model.task.starts_with("language")
                    && (0.8..1.25).contains(&(forward_macs / (parameters * f64::from(tokens)))) =>
            {
                builders::language_totals(*parameters, tokens)
            }
            _ => builders::totals(*parameters, *forward_macs, *activations),
        },
        ModelSource::Imported {
            profile,
            size,
            scales,
        } => {
            let wanted = wanted_size(*scales, seq_len, image_size);
            if wanted.is_none_or(|wanted| wanted == *size) {
                return Ok(Arc::clone(profile));
            }
            let mut scaled = OperatorProfile::clone(profile);
            rescale(&mut scaled, *size, wanted.unwrap_or(0), *scales);
            scaled
        }
    };
    Ok(Arc::new(built))
}

fn wanted_size(
    scales: ProfileScaling,
    seq_len: Option<u32>,
    image_size: Option<u32>,
) -> Option<u32> {
    match scales {
        ProfileScaling::Pixels => image_size,
        ProfileScaling::Tokens => seq_len,
        ProfileScaling::Fixed => None,
    }
}

impl Catalogue {
    /// The operators of one sample of a model, of `seq_len` tokens or `image_size` pixels a side; `None` takes the
    /// model's default.
    ///
    /// # Errors
    /// [`ProfileError`] if a size is needed that nobody states, or a stored profile is missing or damaged.
    pub fn profile(
        &self,
        model: &Model,
        seq_len: Option<u32>,
        image_size: Option<u32>,
    ) -> Result<Arc<OperatorProfile>, ProfileError> {
        profile(model, seq_len, image_size)
    }

    /// Sizes at which a stored profile was traced, ascending: pixels a side or tokens, 0 alone where it has one size
    /// only; empty where there is none.
    pub fn profile_sizes(key: &str) -> Vec<u32> {
        profile_sizes(key).unwrap_or_default()
    }
}

fn transformer(
    model: &Model,
    shape: &TransformerShape,
    seq_len: Option<u32>,
    image_size: Option<u32>,
) -> Result<OperatorProfile, ProfileError> {
    let missing = |field| ProfileError::MissingSize {
        model: model.name.clone(),
        field,
    };
    let head = match shape.layout {
        _ if model.is_fine_tuned_encoder() => Head::NoToken,
        TransformerLayout::Encoder => Head::MaskedTokens,
        _ => Head::EveryToken,
    };
    if let (TransformerLayout::Vit, Some(image)) = (shape.layout, shape.image) {
        let size = image_size.ok_or_else(|| missing("image_size"))?;
        if size < image.patch {
            return Err(ProfileError::BadSize {
                model: model.name.clone(),
                field: "image_size",
                value: size,
                problem: format!("less than a patch; allowed: {} or more", image.patch),
            });
        }
        return Ok(builders::transformer(shape, 0, None, Some(size), head));
    }
    let tokens = seq_len.ok_or_else(|| missing("seq_len"))?;
    let written = model.decoder_tokens_for(tokens);
    Ok(builders::transformer(
        shape, tokens, written, image_size, head,
    ))
}
