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
    assert_eq!(
        describe(&Strategy::data_parallel(1, 1.0), 1, None),
        "One device"
    );
}
