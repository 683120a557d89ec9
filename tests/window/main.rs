//! The window, driven by labels and keys, and its pictures: no display, no GPU, no system package.
//!
//! One program, since each test program links the whole window anew.
#![cfg(feature = "gui")]
#![allow(clippy::expect_used)] // a test may stop at the first surprise

mod support;

mod a_plan;
mod answers;
mod compare;
mod errors;
mod fields;
mod first_use;
mod gallery;
mod keyboard;
mod layout;
mod looks;
mod own_runs;
mod pictures;
mod plans;
mod prices;
mod reports;
mod request;
mod session;
mod shell;
mod takeaway;
mod trial;
mod typed;
mod views;
mod waiting;
