//! The fitted predictor as a file: magic, format, then a compressed body.

use super::accuracy::AccuracyReport;
use super::communication::CommunicationStage;
use super::doubt::Intervals;
use super::prediction::Importance;
use super::stages::Stages;
use flate2::read::GzDecoder;
use flate2::{Compression, GzBuilder};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

const MAGIC: &[u8; 8] = b"MANTISSA";
/// Format of the body; raise it when a field changes.
const FORMAT: u32 = 19;

/// A measured run as the evidence panel shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceRun {
    /// Publication.
    pub source: String,
    /// Path in the publication.
    pub source_path: String,
    /// Model, canonical name.
    pub model: String,
    /// Part.
    pub accelerator: String,
    /// Devices.
    pub count: u32,
    /// Mode.
    pub precision: String,
    /// Measured step time in milliseconds.
    pub measured_ms: f32,
    /// What the shipped predictor says of it, in milliseconds.
    pub predicted_ms: f32,
}

/// Everything the predictor needs at run time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Artifact {
    /// Version of the product that wrote it.
    pub product: String,
    /// SHA-256 of the measured runs it was fitted on, hex.
    pub data_hash: String,
    /// Labels of the features, in order; a build with others refuses it.
    pub features: Vec<String>,
    /// Communication stage.
    pub communication: CommunicationStage,
    /// Compute and overlap stages on fitted physics.
    pub stages: Stages,
    /// Intervals.
    pub intervals: Intervals,
    /// The runs behind the feature rows of the stages.
    pub reference_runs: Vec<ReferenceRun>,
    /// What matters, per stage.
    pub importance: Vec<Importance>,
    /// Accuracy, measured when it was fitted.
    pub accuracy: AccuracyReport,
}

/// Why an artifact cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    /// Not a predictor at all.
    #[error("not a Mantissa predictor (no magic at the start); run `mantissa train`")]
    Magic,
    /// Another format.
    #[error(
        "predictor format {found} is not the one this build knows ({known}); run `mantissa train`"
    )]
    Format {
        /// Format of the file.
        found: u32,
        /// Format of this build.
        known: u32,
    },
    /// Other features.
    #[error(
        "the predictor was fitted with other features than this build computes; run `mantissa train`"
    )]
    Features,
    /// Other constants.
    #[error(
        "the predictor was fitted with other physical constants than this build has; run `mantissa train`"
    )]
    Constants,
    /// Damaged.
    #[error("the predictor file is damaged: {0}")]
    Damaged(String),
}

impl Artifact {
    /// As bytes: the same artifact always gives the same bytes.
    ///
    /// # Errors
    /// [`ArtifactError::Damaged`] if it cannot be encoded.
    pub fn encode(&self) -> Result<Vec<u8>, ArtifactError> {
        let body = postcard::to_stdvec(self).map_err(|e| ArtifactError::Damaged(e.to_string()))?;
        let mut bytes = MAGIC.to_vec();
        bytes.extend(FORMAT.to_le_bytes());
        let mut writer = GzBuilder::new().mtime(0).write(bytes, Compression::best());
        writer
            .write_all(&body)
            .map_err(|e| ArtifactError::Damaged(e.to_string()))?;
        writer
            .finish()
            .map_err(|e| ArtifactError::Damaged(e.to_string()))
    }

    /// From bytes.
    ///
    /// # Errors
    /// [`ArtifactError`] naming what is wrong.
    pub fn decode(bytes: &[u8]) -> Result<Self, ArtifactError> {
        let rest = bytes
            .strip_prefix(MAGIC.as_slice())
            .ok_or(ArtifactError::Magic)?;
        let (format, body) = rest.split_first_chunk::<4>().ok_or(ArtifactError::Magic)?;
        let found = u32::from_le_bytes(*format);
        if found != FORMAT {
            return Err(ArtifactError::Format {
                found,
                known: FORMAT,
            });
        }
        let mut plain = Vec::new();
        GzDecoder::new(body)
            .read_to_end(&mut plain)
            .map_err(|e| ArtifactError::Damaged(e.to_string()))?;
        let artifact: Self =
            postcard::from_bytes(&plain).map_err(|e| ArtifactError::Damaged(e.to_string()))?;
        let labels = super::features::FEATURES.iter().map(|f| f.label);
        if !artifact.features.iter().map(String::as_str).eq(labels) {
            return Err(ArtifactError::Features);
        }
        if !artifact.stages.constants.is_whole() {
            return Err(ArtifactError::Constants);
        }
        Ok(artifact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_predictor_is_refused_by_name() {
        assert_eq!(Artifact::decode(b"hello").err(), Some(ArtifactError::Magic));
        let mut newer = MAGIC.to_vec();
        newer.extend(99u32.to_le_bytes());
        assert_eq!(
            Artifact::decode(&newer).err(),
            Some(ArtifactError::Format {
                found: 99,
                known: FORMAT
            })
        );
        let mut short = Artifact::decode(include_bytes!("../../models/predictor.bin")).unwrap();
        let few = postcard::to_stdvec(&vec![0.0f64; 3]).unwrap();
        short.stages.constants = postcard::from_bytes(&few).unwrap();
        assert_eq!(
            Artifact::decode(&short.encode().unwrap()).err(),
            Some(ArtifactError::Constants)
        );
        let mut cut = MAGIC.to_vec();
        cut.extend(FORMAT.to_le_bytes());
        cut.extend([1, 2, 3]);
        assert!(matches!(
            Artifact::decode(&cut),
            Err(ArtifactError::Damaged(_))
        ));
    }
}
