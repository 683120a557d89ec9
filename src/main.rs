//! The binary: no arguments open the window.

fn main() -> std::process::ExitCode {
    #[cfg(feature = "gui")]
    if let Err(message) = mantissa::gui::run() {
        eprintln!("{message}");
        return std::process::ExitCode::FAILURE;
    }
    open_window()
}

#[cfg(feature = "gui")]
fn open_window() -> ExitCode {
    // Joined by the window: `mantissa::gui::run()`.
    eprintln!("the window is not part of this build; `mantissa --help` lists the commands");
    ExitCode::FAILURE
}

#[cfg(not(feature = "gui"))]
fn open_window() -> ExitCode {
    eprintln!(
        "this build has no window (feature `gui` is off); `mantissa --help` lists the commands"
    );
    ExitCode::FAILURE
}
