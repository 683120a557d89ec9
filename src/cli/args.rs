//! The arguments of every command.

use crate::domain::ranges::{MAX_COUNT, MAX_IMAGE_SIZE, MAX_RANK, MAX_SEQ_LEN};
use crate::format;
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Plans deep-learning training runs: time, cost, energy and memory for every precision mode.
///
/// Without a command the window opens, on a plan where its file is given.
#[derive(Debug, Parser)]
#[command(
    name = "mantissa",
    version,
    about,
    max_term_width = 110,
    override_usage = "mantissa [--presets <FOLDER>] [PLAN.toml]\n       mantissa [--presets <FOLDER>] <COMMAND>"
)]
pub(super) struct Arguments {
    /// Folder of your own models, accelerators, systems, prices and grids, laid over those that ship
    #[arg(long, value_name = "FOLDER", global = true)]
    pub presets: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Predict every combination of a saved request
    Plan(PlanArgs),
    /// Predict one configuration
    Predict(Box<PredictArgs>),
    /// Hold the shipped predictor against measured runs, without a refit
    Evaluate(EvaluateArgs),
    /// Make a profile of factors from your own measured runs
    Calibrate(CalibrateArgs),
    /// Cross-validate: every protocol, beside the baselines
    Crossval(CrossvalArgs),
    /// Fit the predictor again from the measured runs that ship
    Train(TrainArgs),
    /// List what the catalogue knows
    Catalog(CatalogArgs),
}

#[derive(Debug, Args)]
#[command(group(ArgGroup::new("tables").multiple(true)))]
pub(super) struct PlanArgs {
    /// The request
    #[arg(value_name = "PLAN.toml")]
    pub file: PathBuf,
    /// Write every combination as CSV; `-` is standard output
    #[arg(long, value_name = "FILE", group = "tables")]
    pub csv: Option<PathBuf>,
    /// Write the plan as JSON; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write a printable page; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Correct the predictions by a profile of your own runs, as `calibrate` writes it
    #[arg(long)]
    pub profile: Option<PathBuf>,
    /// Say what would change the best combination: prices, the network, failures
    #[arg(long)]
    pub sensitivity: bool,
    /// Write that as CSV
    #[arg(long, value_name = "FILE", group = "tables")]
    pub sensitivity_csv: Option<PathBuf>,
    /// Write the precision schedules as CSV, a line a phase
    #[arg(long, value_name = "FILE", group = "tables")]
    pub schedule_csv: Option<PathBuf>,
    /// Write decimal commas in CSV files, and semicolons between cells, for a spreadsheet set to such a language
    #[arg(long, requires = "tables")]
    pub decimal_comma: bool,
}

#[derive(Debug, Args)]
// Or `--gpus -3` would be an unknown flag `-3`.
#[command(allow_negative_numbers = true)]
pub(super) struct PredictArgs {
    /// Catalogue name, alias, or path of a model file
    #[arg(long)]
    pub model: String,
    /// Accelerator, e.g. H100-SXM5-80GB
    #[arg(long)]
    pub gpu: String,
    /// How many of them
    #[arg(long, default_value_t = 1, value_parser = whole_to(MAX_COUNT))]
    pub gpus: u32,
    /// fp64, fp32, tf32, fp16, bf16, amp-fp16, amp-bf16, fp8, mxfp8 or nvfp4
    #[arg(long)]
    pub precision: String,
    /// Samples per accelerator and step
    #[arg(long, value_name = "SAMPLES", value_parser = above_zero)]
    pub batch_per_gpu: Option<f64>,
    /// Tokens per sample
    #[arg(long, value_name = "TOKENS", value_parser = whole_to(MAX_SEQ_LEN))]
    pub seq_len: Option<u32>,
    /// Tokens that a decoder sees beside an encoder; default: the model's share of --seq-len
    #[arg(long, value_name = "TOKENS", value_parser = whole_to(MAX_SEQ_LEN))]
    pub decoder_tokens: Option<u32>,
    /// Pixels a side
    #[arg(long, value_name = "PIXELS", value_parser = whole_to(MAX_IMAGE_SIZE))]
    pub image_size: Option<u32>,
    /// Node type; default: the one the accelerator usually sits in
    #[arg(long)]
    pub system: Option<String>,
    /// Train on so many tokens, e.g. "15 B"
    #[arg(long)]
    pub tokens: Option<String>,
    /// Train for so many passes over --samples
    #[arg(long)]
    pub epochs: Option<String>,
    /// Samples of the data set, e.g. "1.28 M"
    #[arg(long)]
    pub samples: Option<String>,
    /// Train for so many optimizer steps
    #[arg(long)]
    pub steps: Option<String>,
    /// Tensor-parallel ranks
    #[arg(long, value_parser = whole_to(MAX_COUNT))]
    pub tp: Option<u32>,
    /// Pipeline stages
    #[arg(long, value_parser = whole_to(MAX_COUNT))]
    pub pp: Option<u32>,
    /// Context-parallel ranks
    #[arg(long, value_parser = whole_to(MAX_COUNT))]
    pub cp: Option<u32>,
    /// Expert-parallel ranks
    #[arg(long, value_parser = whole_to(MAX_COUNT))]
    pub ep: Option<u32>,
    /// none, zero1, zero2, zero3, fsdp or hsdp
    #[arg(long)]
    pub sharding: Option<String>,
    /// Micro-steps per optimizer step
    #[arg(long, value_parser = whole_to(MAX_COUNT))]
    pub accumulation: Option<u32>,
    /// none, selective or full
    #[arg(long)]
    pub recompute: Option<String>,
    /// flash or eager; default: flash where the part has kernels for it and the model takes them
    #[arg(long)]
    pub attention: Option<String>,
    /// The graph is compiled (torch.compile)
    #[arg(long)]
    pub compile: bool,
    /// none, optimizer or all: what the host's memory keeps
    #[arg(long)]
    pub offload: Option<String>,
    /// Virtual pipeline stages a device
    #[arg(long, value_parser = whole_to(MAX_COUNT))]
    pub interleave: Option<u32>,
    /// sgd, adam, adamw, lamb, rmsprop, adagrad, adafactor, lion, muon or adam-8bit; default: the model's
    #[arg(long)]
    pub optimizer: Option<String>,
    /// Train low-rank adapters of this rank alone
    #[arg(long, value_name = "RANK", conflicts_with = "qlora", value_parser = whole_to(MAX_RANK))]
    pub lora: Option<u32>,
    /// The same over weights in 4 bits
    #[arg(long, value_name = "RANK", value_parser = whole_to(MAX_RANK))]
    pub qlora: Option<u32>,
    /// Price of this provider; default: whoever is cheapest
    #[arg(long)]
    pub provider: Option<String>,
    /// on-demand or spot; hours that are reserved or owned are for a request
    #[arg(long)]
    pub tier: Option<String>,
    /// Your own price, in US dollars for an accelerator and hour
    #[arg(long, value_name = "USD", value_parser = above_zero)]
    pub price: Option<f64>,
    /// plain, tuned or benchmark; default: typical, with a wider interval
    #[arg(long)]
    pub tuning: Option<String>,
    /// Country, US state or cloud region, for emissions
    #[arg(long)]
    pub region: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Reads a count; what is beyond `most` and still a count is left to the request, which says so.
fn whole_to(most: u32) -> impl Fn(&str) -> Result<u32, String> + Clone {
    move |text| {
        let most = format::count(f64::from(most));
        (text.trim().parse()).map_err(|_| format!("allowed: a whole number from 1 to {most}"))
    }
}

/// A number; its range is the request's.
fn above_zero(text: &str) -> Result<f64, &'static str> {
    (text.trim().parse()).map_err(|_| "allowed: a number above 0")
}

#[derive(Debug, Args)]
pub(super) struct EvaluateArgs {
    /// Measured runs as CSV
    #[arg(long, value_name = "FILE")]
    pub runs: PathBuf,
    /// A calibration made from a user's own runs
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Write one line a row as CSV; `-` is standard output
    #[arg(long, value_name = "FILE")]
    pub predictions: Option<PathBuf>,
    /// Write decimal commas in it, and semicolons between cells
    #[arg(long, requires = "predictions")]
    pub decimal_comma: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct CalibrateArgs {
    /// Your measured runs as CSV
    #[arg(long, value_name = "FILE")]
    pub runs: PathBuf,
    /// Where to write the profile; `-` is standard output
    #[arg(long, value_name = "PROFILE")]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct CrossvalArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct TrainArgs {
    /// Folder to write the predictor and its card to
    #[arg(long, value_name = "FOLDER", default_value = "models")]
    pub out: PathBuf,
    /// Learn the scales of the kernels first, and write them as kernel.json
    #[arg(long)]
    pub kernel: bool,
}

#[derive(Debug, Args)]
pub(super) struct CatalogArgs {
    /// What to list
    pub what: Shelf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Shelf {
    Models,
    Gpus,
    Systems,
    Precisions,
    Prices,
}
