//! Every request that ships checks and plans.

// A test may stop at the first surprise.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

use mantissa::planner::{LimitKind, Outcome, PlanRequest, Progress, check, plan};
use mantissa::predictor::Predictor;
use mantissa::presets::Catalogue;

#[test]
fn every_shipped_request_checks_and_plans() {
    let catalogue = Catalogue::shipped().expect("the catalogue loads");
    let predictor = Predictor::shipped().expect("the predictor loads");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/presets/plans");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).expect("a file");
        let request = PlanRequest::from_toml(&text, &name).expect("it reads");
        assert_eq!(
            PlanRequest::from_toml(&request.to_toml().expect("it writes"), &name)
                .expect("it reads"),
            request
        );
        let checked =
            check(&request, &catalogue).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
        let plan =
            plan(&checked, &catalogue, &predictor, &Progress::default()).expect("nobody stops it");
        let asked = checked.accelerators.len() * checked.counts.len() * checked.modes.len();
        assert_eq!(plan.combinations.len(), asked, "{name}");
        assert!(plan.recommended().is_some(), "{name}: something runs");
        for combination in &plan.combinations {
            match &combination.outcome {
                Outcome::Predicted(run) => {
                    let step = run.prediction.step_time;
                    assert!(
                        step.low <= step.value && step.value <= step.high && step.low > 0.0,
                        "{name}"
                    );
                    assert!(run.prediction.memory.may_fit(), "{name}");
                    assert_eq!(
                        run.configuration.strategy.devices(),
                        combination.count,
                        "{name}"
                    );
                    assert_eq!(run.cost_usd.is_none(), run.missing.cost.is_some(), "{name}");
                    assert_eq!(
                        run.energy_kwh.is_none(),
                        run.missing.energy.is_some(),
                        "{name}"
                    );
                    assert_eq!(run.co2e_kg.is_none(), run.missing.co2e.is_some(), "{name}");
                }
                Outcome::Refused(reason) => assert!(reason.ends_with('.'), "{name}: {reason}"),
            }
        }
        assert!(plan.pareto.windows(2).all(|pair| {
            let time = |at: usize| {
                plan.combinations[at]
                    .run()
                    .map(|run| run.total_time_h.value)
            };
            time(pair[0]) <= time(pair[1])
        }));
        seen += 1;
    }
    assert!(seen >= 8);
}

#[test]
fn a_stopped_plan_is_no_plan() {
    let catalogue = Catalogue::shipped().expect("the catalogue loads");
    let predictor = Predictor::shipped().expect("the predictor loads");
    let text = include_str!("../presets/plans/llama-3-8b.toml");
    let request = PlanRequest::from_toml(text, "plan").expect("it reads");
    let checked = check(&request, &catalogue).expect("it checks");
    let progress = Progress::default();
    progress.cancel();
    assert!(plan(&checked, &catalogue, &predictor, &progress).is_err());
}

/// A small request with more of it at its end; checked and planned.
fn planned(more: &str) -> mantissa::planner::Plan {
    planned_for("15 B", more)
}

fn planned_for(tokens: &str, more: &str) -> mantissa::planner::Plan {
    let text = format!(
        "schema = 1\nmodel = \"llama-3-8b\"\naccelerators = [\"H100-SXM5-80GB\", \"A100-SXM4-80GB\"]\ncounts = [16, 64]\n\
         precisions = [\"amp-bf16\", \"fp8\"]\ntrain = {{ tokens = \"{tokens}\" }}\n\
         batch = {{ global = 256 }}\n{more}"
    );
    let catalogue = Catalogue::shipped().expect("the catalogue loads");
    let predictor = Predictor::shipped().expect("the predictor loads");
    let request = PlanRequest::from_toml(&text, "plan").expect("it reads");
    let checked = check(&request, &catalogue).unwrap_or_else(|errors| panic!("{errors:?}"));
    plan(&checked, &catalogue, &predictor, &Progress::default()).expect("nobody stops it")
}

fn refused(more: &str) -> String {
    let text = format!(
        "schema = 1\nmodel = \"llama-3-8b\"\naccelerators = [\"H100-SXM5-80GB\"]\ncounts = [8]\n\
         precisions = [\"amp-bf16\"]\ntrain = {{ tokens = \"1 B\" }}\n{more}"
    );
    let catalogue = Catalogue::shipped().expect("the catalogue loads");
    let request = PlanRequest::from_toml(&text, "plan").expect("it reads");
    let errors = check(&request, &catalogue).expect_err("it is refused");
    errors
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(" | ")
}

fn first(plan: &mantissa::planner::Plan) -> &mantissa::planner::PredictedRun {
    plan.combinations[0].run().expect("it runs")
}

#[test]
fn time_is_steps_evaluation_and_interruptions_and_cost_is_hours_times_price() {
    let plain = planned(
        "reliability = { ideal = true }\nprices = { own_usd_per_hour = { H100-SXM5-80GB = 2.5 } }\n",
    );
    let run = first(&plain);
    let hours = run.steps * run.prediction.step_time.value / 3600.0;
    assert!((run.total_time_h.value / hours - 1.0).abs() < 1e-12);
    let cost = run.cost_usd.expect("a price");
    assert!((cost.value - hours * 16.0 * 2.5).abs() < 1e-9 * cost.value);

    let more = planned(
        "reliability = { accelerator_mtbf_h = 16000, checkpoint_every_min = 60, checkpoint_write_s = 36, restart_min = 30 }\n\
         extras = { evaluation_percent = 10, idle_percent = 20, storage_tb = 2, storage_usd_per_tb_month = 73 }\n\
         prices = { own_usd_per_hour = { H100-SXM5-80GB = 2.5 } }\n",
    );
    let slow = first(&more);
    // One interruption in 1,000 h; each hour of work takes a checkpoint of 0.01 h (Daly 2006, equation 13).
    let factor = 1000.0 * 0.0005f64.exp() * (1.01f64 / 1000.0).exp_m1();
    let expected = hours * 1.1 * factor;
    assert!((slow.total_time_h.value / expected - 1.0).abs() < 1e-9);
    let paid = expected / 0.8;
    let storage = 2.0 * 73.0 * paid / 730.0;
    assert!((slow.storage_usd - storage).abs() < 1e-9 * storage);
    let cost = slow.cost_usd.expect("a price").value;
    assert!((cost - paid * 16.0 * 2.5 - storage).abs() < 1e-9 * cost);
    assert!((slow.interruptions.expected - expected / 1000.0).abs() < 1e-9);
}

#[test]
fn spot_nodes_are_interrupted_and_what_is_not_published_stays_missing() {
    let spot = planned("prices = { tier = \"spot\", own_usd_per_hour = { H100-SXM5-80GB = 1 } }\n");
    let bought = planned("prices = { own_usd_per_hour = { H100-SXM5-80GB = 1 } }\n");
    assert!(first(&spot).interruptions.mtbf_h < 0.5 * first(&bought).interruptions.mtbf_h);
    let reserved = planned("prices = { tier = \"reserved\" }\n");
    let why = first(&reserved)
        .missing
        .cost
        .clone()
        .expect("it is missing");
    assert!(why.contains("reserved_discount_percent"), "{why}");
    let discounted = planned("prices = { tier = \"reserved\", reserved_discount_percent = 40 }\n");
    let listed = planned("");
    let price =
        |plan: &mantissa::planner::Plan| first(plan).price.clone().expect("a price").usd_per_hour;
    assert!((price(&discounted) / price(&listed) - 0.6).abs() < 1e-12);
}

#[test]
fn a_part_in_a_node_built_for_a_hotter_one_is_not_charged_for_what_that_would_draw() {
    let text = "schema = 1\nmodel = \"llama-3-8b\"\naccelerators = [\"B100-192GB\", \"B200-SXM-192GB\"]\ncounts = [8]\n\
                precisions = [\"amp-bf16\"]\ntrain = { tokens = \"1 B\" }\n";
    let catalogue = Catalogue::shipped().expect("the catalogue loads");
    let predictor = Predictor::shipped().expect("the predictor loads");
    let request = PlanRequest::from_toml(text, "plan").expect("it reads");
    let checked = check(&request, &catalogue).expect("it is allowed");
    let plan = plan(&checked, &catalogue, &predictor, &Progress::default()).expect("it ends");
    let watts = |at: usize| {
        let run = plan.combinations[at].run().expect("it runs");
        run.energy_kwh.expect("energy").value / run.total_time_h.value / 8.0 * 1e3
    };
    // Their boards are limited to 700 and 1 000 W, and the rest of the node is the same.
    let (b100, b200) = (watts(0), watts(1));
    assert!(b100 < b200 - 150.0, "{b100} {b200}");
}

#[test]
fn owned_hardware_costs_its_share_and_its_power() {
    let plan = planned(
        "prices = { tier = \"owned\", owned = { usd_per_accelerator = { H100-SXM5-80GB = 35064 }, years = 4, use_percent = 100, usd_per_kwh = 0.1, pue = 1.5 } }\n",
    );
    let run = first(&plan);
    // 35 064 $ over 4 years of 8 766 h is 1 $/h.
    let kilowatts = run.energy_kwh.expect("energy").value / run.total_time_h.value / 16.0;
    let expected = 1.0 + kilowatts * 1.5 * 0.1;
    let price = run.price.clone().expect("a price").usd_per_hour;
    assert!((price - expected).abs() < 1e-9, "{price} {expected}");
    assert!(
        plan.combinations
            .iter()
            .any(|c| c.run().is_some_and(|run| run.missing.cost.is_some()))
    );
}

#[test]
fn a_schedule_takes_its_shares_and_the_rule_gets_the_fastest() {
    let plan = planned(
        "schedule = [{ precision = \"fp8\", percent = 90 }, { precision = \"amp-bf16\", percent = 10 }]\n\
         schedule_rule = { at_least = \"amp-bf16\", percent = 25 }\n",
    );
    assert_eq!(plan.schedules.len(), 8);
    let of = |mode: &str| {
        let found = plan
            .combinations
            .iter()
            .find(|c| c.mode.key() == mode && c.run().is_some());
        found
            .and_then(|c| c.run())
            .expect("it runs")
            .total_time_h
            .value
    };
    let asked = plan.schedules[0].outcome.as_ref().expect("it runs");
    let expected = 0.9 * of("fp8") + 0.1 * of("amp-bf16");
    assert!((asked.total_time_h.value / expected - 1.0).abs() < 1e-12);
    let fastest = plan.schedules[1].outcome.as_ref().expect("it runs");
    let least = (0.75 * of("fp8") + 0.25 * of("amp-bf16")).min(of("amp-bf16"));
    assert!((fastest.total_time_h.value / least - 1.0).abs() < 1e-12);
    let no_fp8 = plan
        .schedules
        .iter()
        .find(|s| s.accelerator.name.starts_with("A100"))
        .expect("one");
    assert!(
        no_fp8
            .outcome
            .as_ref()
            .is_err_and(|why| why.contains("FP8"))
    );
    assert!(
        refused("schedule = [{ precision = \"fp8\", percent = 90 }]\n").contains("100 percent")
    );
}

#[test]
fn the_best_plan_is_the_lowest_of_all_that_qualify() {
    for (word, figure) in [("time", 0), ("cost", 1), ("energy", 2)] {
        let plan = planned(&format!("minimise = \"{word}\"\n"));
        let value = |at: usize| {
            let run = plan.combinations[at].run()?;
            Some(
                [
                    run.total_time_h.value,
                    run.cost_usd?.value,
                    run.energy_kwh?.value,
                ][figure],
            )
        };
        let best = plan.best.and_then(value).expect("one is best");
        assert!(
            (0..plan.combinations.len())
                .filter_map(value)
                .all(|other| best <= other),
            "{word}"
        );
        assert!(
            plan.pareto_all.contains(&plan.best.expect("one is best")),
            "{word}"
        );
    }
    let blend = planned("minimise = { time = 1, cost = 1 }\n");
    assert!(
        blend.best_why.contains("blend of 1 × time + 1 × cost"),
        "{}",
        blend.best_why
    );
    let tight = planned("limits = { deadline_h = 0.001 }\n");
    assert!(
        tight.best.is_none() && tight.best_why.contains("within every limit"),
        "{}",
        tight.best_why
    );
    let few = planned("limits = { available = { H100-SXM5-80GB = 16 } }\n");
    assert!(
        few.combinations
            .iter()
            .any(|c| matches!(&c.outcome, Outcome::Refused(why) if why.contains("Only 16")))
    );
    assert!(refused("minimise = { time = 0 }\n").contains("every weight is 0"));
}

#[test]
fn what_ifs_move_what_they_say() {
    let (catalogue, predictor) = (Catalogue::shipped().unwrap(), Predictor::shipped().unwrap());
    let base = planned("");
    let changes =
        mantissa::planner::sensitivity(&base, &catalogue, &predictor, None, &Progress::default())
            .unwrap();
    let change = |words: &str| {
        changes
            .iter()
            .find(|c| c.change.contains(words))
            .expect("it is tried")
    };
    let best = base.combinations[base.best.expect("one")]
        .run()
        .expect("it runs");
    let cheaper = change("fall by 20 %");
    assert!(!cheaper.differs);
    let ratio = cheaper.cost_usd.expect("a cost") / best.cost_usd.expect("a cost").value;
    assert!((ratio - 0.8).abs() < 1e-9, "{ratio}");
    assert!(change("halves").cost_usd >= change("doubles").cost_usd);
}

/// What moves no prediction is only added up anew: it must come to what a plan of its own comes to.
#[test]
fn what_would_change_the_answer_is_what_a_plan_of_it_says() {
    let (catalogue, predictor) = (Catalogue::shipped().unwrap(), Predictor::shipped().unwrap());
    let sellers = "prices = { every_seller = true }\n";
    for (more, words, what_if) in [
        (sellers, "fall by 20 %", "what_if = { price = 0.8 }\n"),
        (sellers, "Failures double", "what_if = { failures = 2 }\n"),
        ("", "Failures double", "what_if = { failures = 2 }\n"),
        ("", "doubles", "what_if = { network = 2 }\n"),
    ] {
        let (base, progress) = (planned(more), Progress::default());
        let changes =
            mantissa::planner::sensitivity(&base, &catalogue, &predictor, None, &progress).unwrap();
        let change = (changes.iter().find(|c| c.change.contains(words))).expect("it is tried");
        let (done, all) = progress.so_far();
        assert_eq!(done, all, "every combination of every change is counted");
        let own = planned(&format!("{more}{what_if}"));
        let best = &own.combinations[own.best.expect("one")];
        let run = best.run().expect("it runs");
        assert_eq!(change.best, own.best, "{words}");
        assert_eq!(change.name, best.name());
        assert_eq!(change.time_h, Some(run.total_time_h.value), "{words}");
        assert_eq!(change.cost_usd, run.cost_usd.map(|cost| cost.value));
    }
}

#[test]
fn adapters_need_less_memory_and_four_bits_less_still() {
    let memory = |more: &str| first(&planned(more)).prediction.memory;
    let layout = "strategy = { sharding = \"none\", tp = 1, pp = 1, cp = 1, accumulation = 16 }\n";
    let lora = memory(&format!("fine_tune = {{ method = \"lora\" }}\n{layout}"));
    let qlora = memory(&format!(
        "fine_tune = {{ method = \"qlora\", rank = 16 }}\n{layout}"
    ));
    assert!(qlora.weights.value() < 0.3 * lora.weights.value());
    assert!(lora.optimizer.gib() < 2.0);
    assert!(refused("fine_tune = { method = \"dora\" }\n").contains("full, lora, qlora"));
}

#[test]
fn a_difference_of_cents_is_one_where_a_run_costs_little() {
    let said = |tokens: &str| {
        let plan = planned_for(tokens, "");
        let fp8 = (plan.combinations.iter()).find(|c| c.mode.label() == "FP8" && c.run().is_some());
        plan.alternative_said(fp8.expect("FP8 runs"))
            .expect("another mode runs")
    };
    // The modes' costs have one ratio, however long the run.
    for tokens in ["15 B", "1 M"] {
        let text = said(tokens);
        assert!(text.contains(" and costs $"), "{text}");
        assert!(text.contains(" more"), "{text}");
    }
}

#[test]
fn advice_names_what_a_mode_needs() {
    let diverges = |tokens: &str| {
        let plan = planned_for(tokens, "");
        assert!(plan.advice.iter().all(|line| !line.source.is_empty()));
        (plan.advice.iter())
            .any(|line| line.text.contains("SwiGLU") && line.source.contains("2409.12517"))
    };
    // It was seen after 200 B tokens.
    assert!(diverges("1 T") && diverges("200 B"));
    assert!(!diverges("15 B"));
}

#[test]
fn the_requests_of_the_page_check() {
    let page = include_str!("../docs/requests.md");
    let blocks: Vec<&str> = page
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(blocks.len(), 2);
    let whole = format!("{}\n{}", blocks[0], blocks[1]);
    let catalogue = Catalogue::shipped().unwrap();
    for text in [blocks[0], &whole] {
        let request =
            PlanRequest::from_toml(text, "docs/requests.md").unwrap_or_else(|e| panic!("{e}"));
        check(&request, &catalogue).unwrap_or_else(|errors| panic!("{errors:?}"));
        let again = PlanRequest::from_toml(&request.to_toml().unwrap(), "again").unwrap();
        assert_eq!(again, request);
    }
}

#[test]
fn eager_attention_stores_scores_and_compilation_is_no_slower() {
    let layout = "seq_len = 1024\nstrategy = { sharding = \"fsdp\", tp = 1, pp = 1, cp = 1, recompute = \"none\", accumulation = 16 }\n";
    let run = |more: &str| first(&planned(&format!("{more}{layout}"))).clone();
    let (flash, eager) = (
        run("attention = \"flash\"\n"),
        run("attention = \"eager\"\n"),
    );
    assert!(
        eager.prediction.memory.activations.value()
            > 1.5 * flash.prediction.memory.activations.value()
    );
    assert!(eager.prediction.step_time.value > flash.prediction.step_time.value);
    let compiled = run("attention = \"flash\"\ncompile = true\n");
    assert!(compiled.prediction.step_time.value < 1.05 * flash.prediction.step_time.value);
    assert!(refused("attention = \"slow\"\n").contains("allowed: flash, eager"));
}

#[test]
fn a_decoder_sees_as_many_tokens_as_asked() {
    let catalogue = Catalogue::shipped().unwrap();
    let predictor = Predictor::shipped().unwrap();
    let asked = |model: &str, more: &str| {
        let text = format!(
            "schema = 1\nmodel = \"{model}\"\naccelerators = [\"A100-SXM4-80GB\"]\ncounts = [8]\nprecisions = [\"amp-bf16\"]\n\
             train = {{ steps = 1000 }}\nbatch = {{ per_gpu = 24 }}\n{more}"
        );
        let request = PlanRequest::from_toml(&text, "test").unwrap();
        check(&request, &catalogue)
    };
    let run = |more: &str| {
        let request = asked("t5-large", more).unwrap_or_else(|errors| panic!("{errors:?}"));
        let plan = plan(&request, &catalogue, &predictor, &Progress::default()).unwrap();
        (request.decoder_tokens.unwrap(), first(&plan).clone())
    };
    // T5 is pre-trained with 114 tokens for 512; other lengths keep the share.
    let (usual, usual_run) = run("");
    assert_eq!(usual, 114);
    assert_eq!(run("seq_len = 1024\n").0, 228);
    let (stated, same) = run("decoder_tokens = 114\n");
    assert_eq!(stated, usual);
    assert_eq!(same.prediction.step_time, usual_run.prediction.step_time);
    // What is assumed is told; what is stated needs no word.
    let told = |run: &mantissa::planner::PredictedRun| {
        run.prediction.notes.iter().any(|n| n.contains("decoder"))
    };
    assert!(told(&usual_run) && !told(&same));
    let (longer, long) = run("decoder_tokens = 512\n");
    assert_eq!(longer, 512);
    assert!(long.prediction.step_time.value > 1.2 * usual_run.prediction.step_time.value);
    assert!(
        long.prediction.memory.activations.value()
            > usual_run.prediction.memory.activations.value()
    );
    assert_eq!(run("seq_len = 1024\ndecoder_tokens = 142\n").0, 142);
    let problem = |model: &str, more: &str| asked(model, more).unwrap_err()[0].to_string();
    let none = problem("llama-3-8b", "decoder_tokens = 256\n");
    assert!(
        none.contains("decoder_tokens") && none.contains("no decoder beside an encoder"),
        "{none}"
    );
    let zero = problem("t5-large", "decoder_tokens = 0\n");
    assert!(zero.contains("allowed: 1 to"), "{zero}");
}

#[test]
fn a_slower_network_is_never_faster() {
    let text = "schema = 1\nmodel = \"llama-3-70b\"\naccelerators = [\"H100-SXM5-80GB\"]\ncounts = [128, 256, 512]\n\
                precisions = [\"amp-bf16\", \"fp8\"]\nseq_len = 8192\ntuning = \"tuned\"\ntrain = { tokens = \"60B\" }\n\
                batch = { global = 1024 }\n";
    let catalogue = Catalogue::shipped().unwrap();
    let predictor = Predictor::shipped().unwrap();
    let hours = |network: f64| -> Vec<f64> {
        let text = format!("{text}[what_if]\nnetwork = {network}\n");
        let request = PlanRequest::from_toml(&text, "test").unwrap();
        let request = check(&request, &catalogue).unwrap();
        let plan = plan(&request, &catalogue, &predictor, &Progress::default()).unwrap();
        let times = plan.combinations.iter().filter_map(|c| c.run());
        times.map(|run| run.total_time_h.value).collect()
    };
    let slowest_first: Vec<Vec<f64>> = [0.25, 0.5, 0.8, 1.0, 2.0].map(hours).into();
    assert_eq!(slowest_first[0].len(), 6);
    for pair in slowest_first.windows(2) {
        for (slower, faster) in pair[0].iter().zip(&pair[1]) {
            assert!(slower >= &(faster * (1.0 - 1e-9)), "{slowest_first:?}");
        }
    }
    // And it tells: what crosses nodes takes its time.
    assert!(slowest_first[0].iter().sum::<f64>() > slowest_first[4].iter().sum::<f64>());
}

/// What a plan is asked for decides what it names, in every place the same.
#[test]
fn the_answer_within_limits_is_the_best_plan_and_a_budget_alone_is_there_to_be_spent() {
    let free = planned("");
    let hours = |plan: &mantissa::planner::Plan, at: usize| {
        plan.combinations[at].run().expect("it runs").total_time_h
    };
    let usd = |plan: &mantissa::planner::Plan, at: usize| {
        let run = plan.combinations[at].run().expect("it runs");
        run.cost_usd.expect("a price")
    };
    // A deadline that every run meets, and a budget that every run meets.
    let all = || (0..free.combinations.len()).filter(|at| free.combinations[*at].run().is_some());
    let deadline = 2.0 * all().map(|at| hours(&free, at).high).fold(0.0, f64::max);
    let budget = 2.0 * all().map(|at| usd(&free, at).high).fold(0.0, f64::max);
    let deadline = format!("deadline_h = {deadline}");
    let budget = format!("budget_usd = {budget}");
    for (limits, minimise, expected) in [
        (deadline.clone(), None, free.answers.cheapest),
        (budget.clone(), None, free.answers.fastest),
        (format!("{budget}, {deadline}"), None, free.answers.cheapest),
        (deadline.clone(), Some("time"), free.answers.fastest),
        (budget.clone(), Some("cost"), free.answers.cheapest),
    ] {
        let minimise = minimise.map_or_else(String::new, |word| format!("minimise = \"{word}\"\n"));
        let plan = planned(&format!("limits = {{ {limits} }}\n{minimise}"));
        assert_eq!(plan.answers.within_limits, expected, "{limits} {minimise}");
        assert_eq!(plan.best, expected, "{limits} {minimise}");
        assert_eq!(plan.recommended(), expected, "{limits} {minimise}");
    }
    assert_eq!(free.answers.within_limits, None);
    assert_eq!(free.recommended(), free.answers.cheapest);
}

#[test]
fn a_batch_that_nobody_states_is_the_same_for_every_count() {
    let plan = |counts: &str| {
        let text = format!(
            "schema = 1\nmodel = \"llama-3-8b\"\naccelerators = [\"H100-SXM5-80GB\"]\ncounts = {counts}\n\
             precisions = [\"amp-bf16\"]\ntrain = {{ tokens = \"1 B\" }}\n"
        );
        let catalogue = Catalogue::shipped().expect("the catalogue loads");
        let predictor = Predictor::shipped().expect("the predictor loads");
        let request = PlanRequest::from_toml(&text, "plan").expect("it reads");
        let checked = check(&request, &catalogue).unwrap_or_else(|errors| panic!("{errors:?}"));
        plan(&checked, &catalogue, &predictor, &Progress::default()).expect("nobody stops it")
    };
    let steps = |plan: &mantissa::planner::Plan| -> Vec<f64> {
        let runs = plan.combinations.iter().filter_map(|c| c.run());
        runs.map(|run| run.steps).collect()
    };
    let both = steps(&plan("[8, 64]"));
    assert_eq!(both.len(), 2);
    assert_eq!(both[0], both[1]);
    // As much for each of the largest count as for a plan of that count alone.
    assert_eq!(steps(&plan("[64]")), [both[1]]);
}

#[test]
fn a_run_beyond_a_limit_that_others_meet_says_so() {
    let free = planned("");
    let hours = |at: usize| {
        let run = free.combinations[at].run().expect("it runs");
        run.total_time_h
    };
    let fastest = free.answers.fastest.expect("one is fastest");
    let slowest = (0..free.combinations.len())
        .filter(|at| free.combinations[*at].run().is_some())
        .max_by(|a, b| hours(*a).value.total_cmp(&hours(*b).value))
        .expect("some run");
    let limit = hours(fastest).high * 1.01;
    let plan = planned(&format!("limits = {{ deadline_h = {limit} }}\n"));
    let name = |c: &mantissa::planner::Combination| c.name();
    let said = |at: usize| {
        let headline = plan.headline(plan.outlook().as_ref(), at, &name);
        headline.expect("it runs").limits
    };
    assert_eq!(said(plan.best.expect("one is in time")), None);
    let late = said(slowest).expect("it says how late");
    assert!(
        late.starts_with("This is ") && late.contains("after the deadline"),
        "{late}"
    );
    assert!(
        late.contains(&name(&plan.combinations[plan.best.expect("one")])),
        "{late}"
    );
}

#[test]
fn what_follows_from_papers_is_named_where_it_applies_alone() {
    let notes = |more: &str| {
        let plan = planned(more);
        first(&plan).prediction.notes.join(" ")
    };
    let offload = notes("strategy = { offload = \"optimizer\" }\n");
    assert!(offload.contains("papers alone: offload."), "{offload}");
    assert!(!offload.contains("Muon"), "{offload}");
    let muon = notes("optimizer = \"muon\"\n");
    assert!(muon.contains("papers alone: Muon"), "{muon}");
    assert!(!notes("").contains("papers"), "{}", notes(""));
}

#[test]
fn a_deadline_that_is_a_day_has_its_form_and_its_hours() {
    let of = |day: &str| {
        refused(&format!(
            "limits = {{ deadline_h = 48, deadline_day = \"{day}\" }}\n"
        ))
    };
    for wrong in ["2026-02-31", "4 Dec 2026", "2026-1-4", "20261204"] {
        assert!(
            of(wrong).contains("year-month-day"),
            "{wrong}: {}",
            of(wrong)
        );
    }
    let alone = refused("limits = { deadline_day = \"2026-12-04\" }\n");
    assert!(alone.contains("needs deadline_h"), "{alone}");
}

#[test]
fn emissions_are_as_uncertain_as_the_energy() {
    let plan = planned("region = \"FR\"\n");
    let run = first(&plan);
    let energy = run.energy_kwh.expect("a power draw");
    let emitted = LimitKind::Emissions.of_run(run).expect("a grid");
    assert_eq!(Some(emitted.value), run.co2e_kg);
    assert!((emitted.high / emitted.value - energy.high / energy.value).abs() < 1e-9);
    assert!(emitted.low < emitted.value && emitted.value < emitted.high);
}

#[test]
fn a_part_is_planned_with_the_kernels_it_has_however_old_it_is() {
    let attention = |part: &str| {
        let text = format!(
            "schema = 1\nmodel = \"vit-large-patch16-224\"\naccelerators = [\"{part}\"]\ncounts = [1]\n\
             precisions = [\"amp-fp16\"]\ntrain = {{ steps = 10 }}\n"
        );
        let request = PlanRequest::from_toml(&text, "test").expect("it reads");
        let catalogue = Catalogue::shipped().expect("the catalogue loads");
        let checked = check(&request, &catalogue).expect("lawful");
        let predictor = Predictor::shipped().expect("the predictor loads");
        let plan = plan(&checked, &catalogue, &predictor, &Progress::default()).expect("a plan");
        first(&plan).configuration.software.flash_attention
    };
    for part in ["A100-SXM4-80GB", "A100-PCIE-80GB", "T4-16GB", "T4G-16GB"] {
        assert!(attention(part), "{part}");
    }
    assert!(!attention("V100-SXM2-32GB"));
}

#[test]
fn a_recomputation_that_saves_nothing_is_refused() {
    let outcome = |recompute: &str| {
        let text = format!(
            "schema = 1\nmodel = \"resnet50\"\naccelerators = [\"H100-SXM5-80GB\"]\ncounts = [8]\n\
             precisions = [\"amp-bf16\"]\ntrain = {{ steps = 100 }}\nstrategy = {{ recompute = \"{recompute}\" }}"
        );
        let request = PlanRequest::from_toml(&text, "test").expect("it reads");
        let catalogue = Catalogue::shipped().expect("the catalogue loads");
        let checked = check(&request, &catalogue).expect("lawful");
        let predictor = Predictor::shipped().expect("the predictor loads");
        let plan = plan(&checked, &catalogue, &predictor, &Progress::default()).expect("a plan");
        plan.combinations[0].outcome.clone()
    };
    match outcome("selective") {
        Outcome::Refused(told) => assert!(told.contains("Allowed: none, full"), "{told}"),
        Outcome::Predicted(_) => panic!("it saves nothing"),
    }
    assert!(matches!(outcome("full"), Outcome::Predicted(_)));
}
