//! What requests are held to beyond what their fields mean.

use super::*;

const PLAN: &str = "schema = 1\nmodel = \"llama-3-8b\"\naccelerators = [\"H100-SXM5-80GB\"]\ncounts = [8]\n\
     precisions = [\"amp-bf16\"]\n";

/// What is said of a request with these lines more; empty where it is taken.
fn said(text: &str) -> String {
    let request = PlanRequest::from_toml(text, "test").unwrap();
    match check(&request, &Catalogue::shipped().unwrap()) {
        Ok(_) => String::new(),
        Err(errors) => {
            let lines: Vec<String> = errors.iter().map(RequestError::to_string).collect();
            lines.join(" | ")
        }
    }
}

fn with(train: &str, more: &str) -> String {
    said(&format!("{PLAN}train = {{ {train} }}\n{more}"))
}

#[test]
fn every_figure_has_a_range_and_says_it() {
    for (train, field, most) in [
        ("tokens = 1e308", "train.tokens: 1e308", "1e18"),
        ("tokens = \"9e17 T\"", "train.tokens: 9e29", "1e18"),
        (
            "epochs = 1e300, samples = 1e6",
            "train.epochs: 1e300",
            "1 000 000",
        ),
        (
            "epochs = 3, samples = 1e300",
            "train.samples: 1e300",
            "10 000 000 000 000",
        ),
        ("steps = 1e300", "train.steps: 1e300", "1 000 000 000 000"),
    ] {
        let message = with(train, "");
        let allowed = format!("{field} is not allowed; allowed: a number above 0, up to {most}");
        assert_eq!(message.replace('\u{202F}', " "), allowed);
    }
    for (more, field, allowed) in [
        (
            "prices = { own_usd_per_hour = { \"H100-SXM5-80GB\" = 1e308 } }",
            "prices.own_usd_per_hour.\"H100-SXM5-80GB\": 1e308",
            "a number above 0, up to 1 000 000",
        ),
        (
            "prices = { tier = \"owned\", owned = { usd_per_accelerator = { \"H100-SXM5-80GB\" = 1e300 }, years = 4, \
             use_percent = 80 } }",
            "prices.owned.usd_per_accelerator.\"H100-SXM5-80GB\": 1e300",
            "a number above 0, up to 1 000 000 000 000 000",
        ),
        (
            "limits = { budget_usd = 1e300 }",
            "limits.budget_usd: 1e300",
            "a number above 0, up to 1 000",
        ),
        (
            "limits = { deadline_h = 1e300 }",
            "limits.deadline_h: 1e300",
            "a number above 0, up to 1 000",
        ),
        (
            "extras = { storage_tb = 1e300, storage_usd_per_tb_month = 20 }",
            "extras.storage_tb: 1e300",
            "a number of 0 or more, up to 1 000 000 000",
        ),
        (
            "reliability = { restart_min = 1e300 }",
            "reliability.restart_min: 1e300",
            "a number of 0 or more, up to 1",
        ),
        (
            "what_if = { price = 1e300 }",
            "what_if.price: 1e300",
            "a number from 0.000001 to 1 000 000",
        ),
        (
            "what_if = { failures = -1 }",
            "what_if.failures: -1",
            "a number from 0 to 1 000 000",
        ),
        (
            "minimise = { time = 1e300 }",
            "minimise.time: 1e300",
            "a number of 0 or more, up to 1 000 000",
        ),
    ] {
        let message = with("tokens = 1e9", more).replace('\u{202F}', " ");
        let start = format!("{field} is not allowed; allowed: {allowed}");
        assert!(message.starts_with(&start), "{message}");
    }
    assert_eq!(with("tokens = 1e18", "what_if = { failures = 0 }"), "");
}

#[test]
fn a_plan_of_more_combinations_than_anybody_reads_says_how_many_there_are() {
    let plan = |counts: u32| {
        let counts: Vec<String> = (1..=counts).map(|count| count.to_string()).collect();
        let counts = format!("counts = [{}]", counts.join(", "));
        let modes = "precisions = [\"amp-bf16\", \"bf16\"]";
        let text = PLAN.replace("counts = [8]", &counts);
        said(&(text.replace("precisions = [\"amp-bf16\"]", modes) + "train = { tokens = 1e9 }"))
    };
    assert_eq!(plan(10_000), "");
    assert_eq!(
        plan(10_001).replace('\u{202F}', " "),
        "counts: 1 accelerators × 10 001 counts × 2 precisions are 20 002 combinations; allowed: up to 20 000; leave out \
         counts, or accelerators and precisions"
    );
}

#[test]
fn adapters_stand_beside_attention_and_all_weights_have_no_rank() {
    let on = |model: &str, train: &str, tuned: &str| {
        let text = PLAN.replace("llama-3-8b", model);
        said(&format!(
            "{text}train = {{ {train} }}\nfine_tune = {{ {tuned} }}"
        ))
    };
    let images = "epochs = 3, samples = 1e6";
    assert_eq!(
        on("resnet50", images, "method = \"lora\""),
        "fine_tune.method: `resnet50` has no attention, beside whose projections adapters stand; allowed: full"
    );
    assert_eq!(on("resnet50", images, "method = \"full\""), "");
    for (model, train) in [
        ("llama-3-8b", "tokens = 1e9"),
        ("vit-base-patch16-224", images),
        ("stable-diffusion-v1-unet", images),
    ] {
        assert_eq!(
            on(model, train, "method = \"lora\", rank = 8"),
            "",
            "{model}"
        );
    }
    let message = on("llama-3-8b", "tokens = 1e9", "method = \"full\", rank = 4");
    assert!(
        message.starts_with("fine_tune.rank: 4 with method full"),
        "{message}"
    );
}
