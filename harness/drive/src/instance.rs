//! One performance of a script, with all its choices fixed, and what it leaves behind.

use std::{fmt, time::Duration};

use elenchus_protocol::Version;
use elenchus_suites::{Script, StepKind};
use elenchus_wire::trace::Trace;

use crate::{json, seed};

/// A script with its bindings, version, race plan and seed fixed.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance<'s> {
    /// The script.
    pub script: &'s Script,
    /// The protocol version that `open` asks for.
    pub version: Version,
    /// The value of each `each` variable, as exact JSON text.
    pub bindings: Vec<(String, String)>,
    /// The order and gap of the script's race, if it has one.
    pub race: Option<RacePlan>,
    /// Decides every random choice, together with what tells the instance from others.
    pub seed: u64,
}

/// How the arms of a race are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RacePlan {
    /// Indices of the arms, in the order of writing.
    pub order: Vec<u32>,
    /// What lies between them.
    pub gap: Gap,
}

/// What lies between the arms of a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Gap {
    /// Nothing: all arms leave in one write.
    OneWrite,
    /// No time, but each arm is a write of its own.
    BackToBack,
    /// So many microseconds.
    Micros(u64),
    /// So many hundredths of the time in which this very target answers, as measured on the connection until then.
    Latency(u32),
}

/// Delays of every race, in hundredths of the target's latency: within it, at it, and beyond it.
const SPREAD: [u32; 3] = [50, 100, 200];
/// The longest delay that a measured latency can lead to.
const LONGEST: Duration = Duration::from_secs(2);

impl Gap {
    /// The time, on a target that answers in this one; none for one write.
    pub(crate) fn time(self, latency: Duration) -> Option<Duration> {
        match self {
            Self::OneWrite => None,
            Self::BackToBack => Some(Duration::ZERO),
            Self::Micros(micros) => Some(Duration::from_micros(micros)),
            Self::Latency(hundredths) => {
                let scaled = (latency / 100).saturating_mul(hundredths);
                Some(scaled.clamp(Duration::from_micros(1), LONGEST))
            }
        }
    }
}

impl fmt::Display for RacePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order: Vec<String> = self.order.iter().map(u32::to_string).collect();
        write!(f, "race={}", order.join(","))?;
        match self.gap {
            Gap::OneWrite => f.write_str(" at once"),
            Gap::BackToBack => f.write_str(" back to back"),
            Gap::Micros(gap) => write!(f, " gap={gap}us"),
            Gap::Latency(hundredths) => write!(f, " gap={hundredths}% of the latency"),
        }
    }
}

impl Instance<'_> {
    /// What tells this instance from its siblings: bindings and race plan. Empty for a script that has only one.
    pub fn describe(&self) -> String {
        let mut parts: Vec<String> = self
            .bindings
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        parts.extend(self.race.as_ref().map(RacePlan::to_string));
        parts.join(" ")
    }

    /// The JSON text of what a path from one of the instance's own variables leads to.
    pub(crate) fn bound(&self, path: &[String]) -> Option<String> {
        let (name, rest) = path.split_first()?;
        let (_, text) = self.bindings.iter().find(|(bound, _)| bound == name)?;
        json::at(text, rest).map(str::to_owned)
    }

    /// The token that stands in all text that this instance makes up: the same in every run with the same seed.
    pub fn canary(&self) -> String {
        let mut mix = seed::Mix::new(self.seed);
        mix.add(self.script.name.as_bytes());
        mix.add(self.version.name().as_bytes());
        mix.add(self.describe().as_bytes());
        format!("canary-{:06x}", mix.value() & 0xff_ffff)
    }
}

/// What a performance left behind.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The trace.
    pub trace: Trace,
    /// The last lines that the target wrote to standard error.
    pub stderr: Vec<String>,
    /// Why the script stopped before its end, if it did.
    pub stopped: Option<Stopped>,
    /// How far the target came.
    pub reach: Reach,
}

/// How far a target came on the way to its work.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reach {
    /// It opened a session.
    pub session: Step,
    /// It ended a turn, and not with an error.
    pub turn: Step,
}

/// Something that any target has to do before it can be tested.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Step {
    /// Nobody asked for it.
    #[default]
    Untried,
    /// It was asked for and never done; why, the first time.
    Failed(String),
    /// It was done at least once.
    Done,
}

/// Why a script stopped before its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// The target could not be started: the operating system's reason.
    NotStarted(String),
    /// A step's precondition failed: what and in which line.
    Step {
        /// The script's line.
        line: u32,
        /// Why, for people.
        reason: String,
    },
}

/// With more arms than this, the orders of a race are sampled.
const ALL_ORDERS: usize = 3;
/// How many orders a sample has.
const SAMPLE: usize = 12;

/// Every instance of a script for one version: the product of its `each` values and its race plans. Unless `thorough`,
/// each order of a race is only run in one write and with one of its other gaps, which the seed decides.
pub fn instances(
    script: &Script,
    version: Version,
    seed: u64,
    thorough: bool,
) -> Vec<Instance<'_>> {
    let mut bindings: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for each in &script.each {
        bindings = bindings
            .into_iter()
            .flat_map(|chosen| {
                each.values.iter().map(move |value| {
                    let mut chosen = chosen.clone();
                    chosen.push((each.name.clone(), value.clone()));
                    chosen
                })
            })
            .collect();
    }
    let races = race_plans(script, seed, thorough);
    bindings
        .into_iter()
        .flat_map(|bindings| {
            races.iter().map(move |race| Instance {
                script,
                version,
                bindings: bindings.clone(),
                race: race.clone(),
                seed,
            })
        })
        .collect()
}

/// The plans of the script's race; one `None` for a script without a race.
fn race_plans(script: &Script, seed: u64, thorough: bool) -> Vec<Option<RacePlan>> {
    let race = script.steps.iter().find_map(|step| match &step.kind {
        StepKind::Race { gaps_us, arms } => Some((gaps_us, arms)),
        _ => None,
    });
    let Some((gaps_us, arms)) = race else {
        return vec![None];
    };
    let mut apart = vec![Gap::BackToBack];
    apart.extend(SPREAD.map(Gap::Latency));
    for gap in gaps_us {
        if !apart.contains(&Gap::Micros(*gap)) {
            apart.push(Gap::Micros(*gap));
        }
    }
    let mut mix = seed::Mix::new(seed);
    mix.add(script.name.as_bytes());
    let mut plans = orders(arms.len(), mix.value());
    // Nothing can be written behind the end of the stream.
    let closes =
        |arm: &u32| matches!(arms.get(*arm as usize), Some(arm) if arm.kind == StepKind::Close);
    plans.retain(|order| order.iter().rev().skip(1).all(|arm| !closes(arm)));
    if !thorough {
        // One order after the other takes the next of them, so that the script as a whole sees as many as it can.
        let mut random = seed::Random::new(mix.value());
        random.shuffle(&mut apart);
    }
    let apart_in = |place: usize| {
        let count = if thorough { apart.len() } else { 1 };
        apart.iter().cycle().skip(place % apart.len()).take(count)
    };
    let plans = plans.iter().enumerate().flat_map(|(place, order)| {
        let gaps = [&Gap::OneWrite].into_iter().chain(apart_in(place));
        gaps.map(|&gap| RacePlan {
            order: order.clone(),
            gap,
        })
    });
    plans.map(Some).collect()
}

/// All orders of a few arms, or a sample with the written order first.
fn orders(arms: usize, seed: u64) -> Vec<Vec<u32>> {
    let written: Vec<u32> = (0..).take(arms).collect();
    let mut orders = Vec::new();
    if arms <= ALL_ORDERS {
        permute(&mut Vec::new(), &written, &mut orders);
    } else {
        let mut random = seed::Random::new(seed);
        orders.push(written.clone());
        while orders.len() < SAMPLE {
            let mut order = written.clone();
            random.shuffle(&mut order);
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
    }
    orders
}

fn permute(begun: &mut Vec<u32>, rest: &[u32], orders: &mut Vec<Vec<u32>>) {
    if rest.is_empty() {
        orders.push(begun.clone());
    }
    for (place, &arm) in rest.iter().enumerate() {
        let mut rest = rest.to_vec();
        rest.remove(place);
        begun.push(arm);
        permute(begun, &rest, orders);
        begun.pop();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use elenchus_suites::script::parse;

    use super::*;

    fn script(rest: &str) -> Script {
        parse("s", &format!("# A test.\ntarget agent\nversions 1\n{rest}"))
            .unwrap_or_else(|error| panic!("{error}"))
    }

    fn racing(arms: usize) -> Script {
        let arms: Vec<String> = (0..arms).map(|n| format!("  - notify _n/{n}\n")).collect();
        script(&format!("\nconnect\nrace 200us\n{}", arms.concat()))
    }

    #[test]
    fn instances_are_the_product_of_values_and_plans() {
        let script = script(
            "each a [1, 1.0]\neach b [\"x\", null, {}]\n\nconnect\nnotify _n/n {\"a\":$a,\"b\":$b}\n",
        );
        let told: Vec<String> = instances(&script, Version::AcpV1, 0, false)
            .iter()
            .map(Instance::describe)
            .collect();
        assert_eq!(
            told,
            [
                "a=1 b=\"x\"",
                "a=1 b=null",
                "a=1 b={}",
                "a=1.0 b=\"x\"",
                "a=1.0 b=null",
                "a=1.0 b={}"
            ]
        );
    }

    #[test]
    fn few_arms_race_in_all_orders_and_many_in_a_sample() {
        for (arms, orders) in [(2, 2), (3, 6), (4, SAMPLE), (5, SAMPLE)] {
            let script = racing(arms);
            let plans: Vec<RacePlan> = instances(&script, Version::AcpV1, 5, true)
                .into_iter()
                .filter_map(|instance| instance.race)
                .collect();
            let different: BTreeSet<&Vec<u32>> = plans.iter().map(|plan| &plan.order).collect();
            assert_eq!(
                (different.len(), plans.len()),
                (orders, orders * 6),
                "{arms} arms"
            );
            let written: Vec<u32> = (0..).take(arms).collect();
            assert!(different.contains(&written));
            for plan in &plans {
                let mut sorted = plan.order.clone();
                sorted.sort_unstable();
                assert_eq!(sorted, written);
            }
            let gaps: Vec<Gap> = plans[..6].iter().map(|plan| plan.gap).collect();
            let [half, once, twice] = SPREAD.map(Gap::Latency);
            let micros = Gap::Micros(200);
            assert_eq!(
                gaps,
                [Gap::OneWrite, Gap::BackToBack, half, once, twice, micros]
            );
        }
    }

    #[test]
    fn a_usual_run_takes_each_order_in_one_write_and_with_one_gap_more() {
        let script = racing(3);
        let plans: Vec<RacePlan> = instances(&script, Version::AcpV1, 5, false)
            .into_iter()
            .filter_map(|instance| instance.race)
            .collect();
        let orders: BTreeSet<&Vec<u32>> = plans.iter().map(|plan| &plan.order).collect();
        assert_eq!((orders.len(), plans.len()), (6, 12));
        let (together, apart): (Vec<Gap>, Vec<Gap>) = plans
            .iter()
            .map(|plan| plan.gap)
            .partition(|gap| *gap == Gap::OneWrite);
        assert_eq!((together.len(), apart.len()), (6, 6));
        let different: BTreeSet<String> = apart.iter().map(|gap| format!("{gap:?}")).collect();
        assert_eq!(
            different.len(),
            5,
            "all five gaps come up in six orders: {apart:?}"
        );
    }

    #[test]
    fn a_seed_decides_everything_and_siblings_differ() {
        let script = racing(5);
        let of = |seed| instances(&script, Version::AcpV1, seed, true);
        assert_eq!(of(1), of(1));
        assert_ne!(
            of(1)
                .iter()
                .map(|instance| &instance.race)
                .collect::<Vec<_>>(),
            of(2)
                .iter()
                .map(|instance| &instance.race)
                .collect::<Vec<_>>()
        );
        let canaries: BTreeSet<String> = of(1).iter().map(Instance::canary).collect();
        assert_eq!(canaries.len(), of(1).len());
        // Written down: a seed has to mean the same in every version of this program.
        assert_eq!(of(1)[0].canary(), "canary-c2f40f");
    }

    #[test]
    fn delays_lie_around_the_latency_and_within_bounds() {
        let ms = Duration::from_millis;
        for (gap, latency, time) in [
            (Gap::OneWrite, ms(8), None),
            (Gap::BackToBack, ms(8), Some(Duration::ZERO)),
            (Gap::Micros(300), ms(8), Some(Duration::from_micros(300))),
            (Gap::Latency(50), ms(8), Some(ms(4))),
            (Gap::Latency(200), ms(8), Some(ms(16))),
            (
                Gap::Latency(200),
                Duration::ZERO,
                Some(Duration::from_micros(1)),
            ),
            (Gap::Latency(200), Duration::MAX, Some(LONGEST)),
        ] {
            assert_eq!(gap.time(latency), time, "{gap:?} at {latency:?}");
        }
    }
}
