//! The files of one command: what it writes is neither what it reads nor written twice.

use super::failure::{Failure, print_file};
use crate::report;
use std::path::{Path, PathBuf};

/// A file as the command was given it: what names it there, and its path where it was given.
pub(super) type Named<'a> = (&'static str, Option<&'a Path>);

/// Refuses an output that would replace an input or another output, and a second one on standard output.
///
/// # Errors
/// [`Failure::Input`] with both names and both paths.
pub(super) fn keep_apart(inputs: &[Named<'_>], outputs: &[Named<'_>]) -> Result<(), Failure> {
    let given = |files: &[Named<'_>]| -> Vec<(&'static str, PathBuf)> {
        let given = |&(name, path): &Named<'_>| Some((name, path?.to_owned()));
        files.iter().filter_map(given).collect()
    };
    let mut taken: Vec<(&'static str, PathBuf, Option<PathBuf>)> = (given(inputs).into_iter())
        .map(|(name, path)| (name, path.clone(), report::replaced_file(&path)))
        .collect();
    let mut on_stdout: Option<&str> = None;
    for (name, path) in given(outputs) {
        if is_stdout(&path) {
            if let Some(other) = on_stdout.replace(name) {
                return Err(Failure::input(format!(
                    "{other} and {name}: both would go to standard output; allowed: one of them"
                )));
            }
            continue;
        }
        let file = report::replaced_file(&path);
        let same = |taken: &&(&str, PathBuf, Option<PathBuf>)| file.is_some() && taken.2 == file;
        if let Some((other, other_path, _)) = taken.iter().find(same) {
            return Err(Failure::input(format!(
                "{name}: {} is the same file as {other} {}; allowed: a file of its own",
                path.display(),
                other_path.display()
            )));
        }
        taken.push((name, path, file));
    }
    Ok(())
}

/// Whether an output is standard output.
pub(super) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

/// Writes an output whole, to its file or to standard output.
pub(super) fn write(path: &Path, contents: &str) -> Result<(), Failure> {
    if is_stdout(path) {
        return print_file(contents);
    }
    Ok(report::save(path, contents)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(inputs: &[Named<'_>], outputs: &[Named<'_>]) -> Option<String> {
        match keep_apart(inputs, outputs) {
            Ok(()) => None,
            Err(Failure::Input(message)) => Some(message),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_output_is_neither_an_input_nor_another_output() {
        let folder = tempfile::tempdir().unwrap();
        let runs = folder.path().join("runs.csv");
        std::fs::write(&runs, "").unwrap();
        let spelled = folder.path().join(".").join("runs.csv");
        let new = folder.path().join("new.csv");
        let reads = [("--runs", Some(runs.as_path())), ("--profile", None)];
        let message = told(&reads, &[("--out", Some(&spelled))]).unwrap();
        assert_eq!(
            message,
            format!(
                "--out: {} is the same file as --runs {}; allowed: a file of its own",
                spelled.display(),
                runs.display()
            )
        );
        let twice = [("--csv", Some(new.as_path())), ("--json", Some(&new))];
        let message = told(&reads, &twice).unwrap();
        assert!(
            message.starts_with("--json: ") && message.contains("as --csv "),
            "{message}"
        );
        assert_eq!(
            told(&reads, &[("--csv", Some(&new)), ("--json", None)]),
            None
        );
    }

    #[test]
    fn standard_output_takes_one() {
        let dash = Some(Path::new("-"));
        assert_eq!(told(&[], &[("--csv", dash)]), None);
        let message = told(&[], &[("--csv", dash), ("--json", dash)]).unwrap();
        assert!(message.starts_with("--csv and --json: "), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_an_input_is_that_input() {
        let folder = tempfile::tempdir().unwrap();
        let (runs, link) = (
            folder.path().join("runs.csv"),
            folder.path().join("link.csv"),
        );
        std::fs::write(&runs, "").unwrap();
        std::os::unix::fs::symlink(&runs, &link).unwrap();
        assert!(told(&[("--runs", Some(&runs))], &[("--out", Some(&link))]).is_some());
    }
}
