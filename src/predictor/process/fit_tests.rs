//! What a fitted process must hold.

use super::*;
use crate::predictor::process::inputs::MODE;

fn row(i: usize) -> Vec<f32> {
    (0..FEATURES.len())
        .map(|f| {
            if Some(f) == *MODE {
                (i % 3) as f32
            } else {
                ((i * (f + 3) * 7) % 23) as f32 / 5.0
            }
        })
        .collect()
}

fn truth(row: &[f32], many: bool) -> f64 {
    0.2 * f64::from(row[8]).sin() + if many { 0.1 * f64::from(row[80]) } else { 0.0 }
}

fn fitted() -> (Vec<Vec<f32>>, Process) {
    let rows: Vec<Vec<f32>> = (0..240).map(row).collect();
    let examples: Vec<Example<'_>> = rows
        .iter()
        .enumerate()
        .map(|(i, row)| Example {
            place: place(row, i % 2 == 0),
            target: truth(row, i % 2 == 0),
            doubts: [0.0; DOUBTS],
            group: i as u32,
        })
        .collect();
    let hidden = vec![false; FEATURES.len()];
    let (process, _) = Process::fit(&examples, &Shape::default(), hidden).unwrap();
    (rows, process)
}

fn place(row: &[f32], many: bool) -> Place<'_> {
    Place {
        row,
        compute_share: if many { 0.8 } else { 1.0 },
        many,
    }
}

fn value(process: &Process, place: &Place<'_>) -> Value {
    Value::of(
        &process.voices(std::slice::from_ref(place))[0],
        &[1.0; VOICES],
    )
}

#[test]
fn says_what_it_learned_and_adds_its_reasons_up() {
    let (rows, process) = fitted();
    for (i, row) in rows.iter().enumerate().step_by(17) {
        let place = place(row, i % 2 == 0);
        let value = value(&process, &place);
        let [s, m] = place.parts();
        assert!((s * value.compute + m * value.overlap - truth(row, place.many)).abs() < 0.1);
        for (part, whole) in [(0, value.compute), (1, value.overlap)] {
            let (shares, base) = process.contributions(&place, part, &[1.0; VOICES]);
            let sum = base + shares.iter().map(|s| s.1).sum::<f64>();
            assert!((sum - whole).abs() < 1e-4, "{sum} is not {whole}");
        }
    }
}

#[test]
fn is_sure_where_it_was_measured_and_not_far_away() {
    let (rows, process) = fitted();
    let far: Vec<f32> = rows[1].iter().map(|v| v + 40.0).collect();
    let deviation = |row: &[f32]| process.doubted(&place(row, false)).1;
    assert!(deviation(&far) > 3.0 * deviation(&rows[1]));
}

#[test]
fn what_holds_up_nets_on_several_devices_says_little_of_language_models() {
    let flag = FEATURES.iter().position(|f| f.label == "Language model");
    let of = |i: usize, language: bool| {
        let mut row = row(i);
        row[flag.unwrap()] = f32::from(u8::from(language));
        row
    };
    let rows: Vec<Vec<f32>> = (0..240).map(|i| of(i, i % 2 == 1)).collect();
    let examples: Vec<Example<'_>> = (rows.iter().enumerate())
        .map(|(i, row)| Example {
            place: place(row, i % 2 == 0),
            target: if i % 2 == 0 { 0.3 } else { 0.0 },
            doubts: [0.0; DOUBTS],
            group: i as u32,
        })
        .collect();
    let hidden = vec![false; FEATURES.len()];
    let (process, _) = Process::fit(&examples, &Shape::default(), hidden).unwrap();
    let overlap = |language: bool| value(&process, &place(&of(12, language), true)).overlap;
    assert!(overlap(false) > 0.2, "{}", overlap(false));
    assert!(overlap(true).abs() < 0.1, "{}", overlap(true));
}

#[test]
fn equal_rows_count_as_one_with_less_noise() {
    let row = row(5);
    let example = |target| Example {
        place: place(&row, false),
        target,
        doubts: [0.0; DOUBTS],
        group: 0,
    };
    let hidden = vec![false; FEATURES.len()];
    let both = [example(0.1), example(0.3)];
    let (process, unseen) = Process::fit(&both, &Shape::default(), hidden).unwrap();
    // Without the two nothing is known.
    assert!(unseen.iter().all(|u| u.abs() < 1e-9), "{unseen:?}");
    assert_eq!(process.len(), 1);
    assert!((value(&process, &place(&row, false)).compute - 0.2).abs() < 0.01);
    assert_eq!(
        Process::fit(&[], &Shape::default(), Vec::new()),
        Err(FitError::Empty)
    );
}

#[test]
fn what_it_says_unseen_is_what_a_fit_without_the_group_says() {
    let rows: Vec<Vec<f32>> = (0..240).map(row).collect();
    let example = |i: usize| Example {
        place: place(&rows[i], i.is_multiple_of(2)),
        target: truth(&rows[i], i.is_multiple_of(2)),
        doubts: [0.0, f64::from(u8::from(i.is_multiple_of(5))), 0.0],
        // Rows repeat every 69: what is the same in every feature is of one group.
        group: (i % 69 / 3) as u32,
    };
    let examples: Vec<Example<'_>> = (0..240).map(example).collect();
    let hidden = || vec![false; FEATURES.len()];
    let (whole, unseen) = Process::fit(&examples, &Shape::default(), hidden()).unwrap();
    // Its measure of features is that of all rows, which a few of 240 move little.
    for group in [0, 11, 22] {
        let of_group = |e: &&Example<'_>| e.group == group;
        let rest = examples.iter().filter(|e| !of_group(e)).copied();
        let rest: Vec<Example<'_>> = rest.collect();
        let (without, _) = Process::fit(&rest, &Shape::default(), hidden()).unwrap();
        for (i, e) in examples.iter().enumerate().filter(|(_, e)| of_group(e)) {
            let said = |process: &Process| {
                let (value, [s, m]) = (value(process, &e.place), e.place.parts());
                s * value.compute + m * value.overlap
            };
            let (seen, other) = (said(&whole), said(&without));
            assert!(
                (unseen[i] - other).abs() < 0.1 * (seen - other).abs() + 2e-3,
                "run {i}: {} is not {other}",
                unseen[i]
            );
        }
    }
}
