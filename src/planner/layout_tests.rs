//! Divisors and descriptions of layouts.

use super::*;

#[test]
fn divisors_are_whole() {
    assert_eq!(divisor_at_most(96.0, 48.0), 48.0);
    assert_eq!(divisor_at_most(21.0, 10.0), 7.0);
    assert_eq!(divisor_at_most(13.0, 6.0), 1.0);
}

#[test]
fn a_layout_is_said_in_one_line() {
    let strategy = Strategy {
        sharding: Sharding::Fsdp,
        recompute: Recompute::Selective,
        ..Strategy::data_parallel(16, 1.0)
    };
    assert_eq!(
        describe(&strategy, 2, None),
        "FSDP over 16, 2 nodes, selective recompute"
    );
    let hybrid = Strategy {
        sharding: Sharding::Hsdp,
        ..strategy
    };
    assert_eq!(
        describe(&hybrid, 2, Some(8)),
        "HSDP in 2 groups of 8, 2 nodes, selective recompute"
    );
    let cut = Strategy {
        tensor: 8,
        ..Strategy::data_parallel(1, 1.0)
    };
    assert_eq!(describe(&cut, 1, None), "Tensor 8");
    // Context ranks share states out where there is one data rank alone.
    let shared = Strategy {
        context: 2,
        sharding: Sharding::Fsdp,
        ..cut
    };
    assert_eq!(
        describe(&shared, 2, None),
        "FSDP, tensor 8, context 2, 2 nodes"
    );
    assert_eq!(
        describe(&Strategy::data_parallel(1, 1.0), 1, None),
        "One device"
    );
}

#[test]
fn divisors_of_large_numbers_are_the_largest() {
    let plainly = |whole: f64, most: f64| {
        let mut divisor = most.floor();
        while whole % divisor != 0.0 {
            divisor -= 1.0;
        }
        divisor
    };
    for whole in [1.0, 2.0, 36.0, 97.0, 360.0, 1024.0, 2053.0, 9_699_690.0] {
        for part in [1.0, 1.5, 2.0, 3.0, 7.0, 10.5, 64.0, 1000.0] {
            let most = f64::max(whole / part, 1.0);
            assert_eq!(
                divisor_at_most(whole, most),
                plainly(whole, most),
                "{whole} {most}"
            );
        }
    }
    // A prime near the largest batch there is takes thousands of steps, not a billion.
    assert_eq!(divisor_at_most(1_000_000_007.0, 5e8), 1.0);
}
