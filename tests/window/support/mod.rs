//! What the tests of the window share.

pub mod cpu_renderer;
pub mod window;
