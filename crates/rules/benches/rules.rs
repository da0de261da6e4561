//! Random games (steps a second) and path counts (paths a second) on one core.
//!
//! `cargo bench -p kauri-rules`

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use kauri_rules::{AshtaKashte, Kauri, Options, Position, Seat, perft};
use std::hint::black_box;

/// A xorshift generator: the cost of a draw is small beside a step.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let high = (self.0 >> 32) * bound as u64;
        usize::try_from(high >> 32).unwrap_or(0)
    }
}

/// Plays that many random steps, starting again whenever a game is over.
fn wander<P: Position>(start: P, steps: u64, random: &mut Random) -> P {
    let mut position = start;
    for _ in 0..steps {
        let mut legal = position.legal_steps();
        match legal.len() {
            0 => position = start,
            number => {
                if let Some(step) = legal.nth(random.below(number)) {
                    position.play_unchecked(step, |_| ());
                }
            }
        }
    }
    position
}

fn bench<P: Position>(criterion: &mut Criterion, name: &str, seats: &[Seat], options: &Options, turns: u32) {
    let Ok(start) = P::initial(Some(seats), options) else { return };
    let mut group = criterion.benchmark_group(name);

    let steps = 100_000;
    group.throughput(Throughput::Elements(steps));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    group.bench_function("playout", |bencher| {
        bencher.iter_batched(
            || start,
            |start| wander(black_box(start), steps, &mut random),
            BatchSize::SmallInput,
        );
    });

    group.throughput(Throughput::Elements(perft(&start, turns)));
    group.bench_function("perft", |bencher| bencher.iter(|| perft(black_box(&start), turns)));
    group.finish();
}

fn rules(criterion: &mut Criterion) {
    let (two, four) = (&[Seat::South, Seat::North], &Seat::ALL);
    let plain = Options::default();
    let blocking = Options { places: Some(true), doubles_block: Some(true), ..Options::default() };
    bench::<Kauri>(criterion, "kauri", two, &plain, 6);
    bench::<AshtaKashte>(criterion, "ashta-kashte, two", two, &plain, 5);
    bench::<AshtaKashte>(criterion, "ashta-kashte, four", four, &plain, 6);
    bench::<AshtaKashte>(criterion, "ashta-kashte, four, places, doubles_block", four, &blocking, 6);
}

criterion_group!(benches, rules);
criterion_main!(benches);
