//! Measured runs of one's own: what is held against the predictor, and what is left out.

use crate::support::window::Window;
use mantissa::gui::command::{Action, PathPurpose};

#[test]
fn an_own_run_that_contradicts_itself_is_left_out_and_said_to_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine.csv");
    let runs = "model,gpu,gpus,precision,batch_per_gpu,seq_len,tp,step_time_ms\n\
                llama3-8b,H100-SXM5-80GB,8,amp-bf16,1,8192,2,1500\n\
                llama3-8b,H100-SXM5-80GB,8,amp-bf16,1,8192,16,1500\n";
    std::fs::write(&path, runs).expect("a file");
    let mut window = Window::usual();
    window.send(Action::Path(
        PathPurpose::OpenPlan,
        path.display().to_string(),
    ));
    let evaluation = window.harness.state().state().evaluation.clone();
    let evaluation = evaluation.expect("the runs are open");
    assert_eq!(evaluation.rows.len(), 1);
    assert!(window.shows("1 left out: `tp` 16"), "no reason");
}
