//! The binary: no arguments open the window.

fn main() -> std::process::ExitCode {
    #[cfg(feature = "gui")]
    if let Err(message) = mantissa::gui::run() {
        eprintln!("{message}");
        return std::process::ExitCode::FAILURE;
    }
    std::process::ExitCode::SUCCESS
}
