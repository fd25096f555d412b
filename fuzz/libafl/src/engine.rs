//! What LibAFL is given: inputs that are scripts, an executor that performs them in a lab, and a mutator that asks the lab
//! for children.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    collections::HashSet,
    hash::{DefaultHasher, Hash as _, Hasher as _},
    num::NonZero,
};

use elenchus_drive::fuzz::Lab;
use libafl::{
    Error,
    corpus::{Corpus as _, CorpusId},
    executors::{Executor, ExitKind, HasObservers},
    inputs::Input,
    mutators::{MutationResult, Mutator},
    observers::{MapObserver as _, StdMapObserver},
    state::{HasCorpus, HasExecutions, HasRand},
};
use libafl_bolts::{
    Named,
    rands::Rand as _,
    tuples::{RefIndexable, tuple_list, tuple_list_type},
};
use serde::{Deserialize, Serialize};

/// How many entries the map of features has. Features that share an entry are one to LibAFL.
pub(crate) const ENTRIES: usize = 1 << 16;
/// The longest input that is performed, in bytes; a longer one comes from no campaign.
pub(crate) const LONGEST: usize = 256 * 1024;
/// So many inputs are remembered; then it begins anew.
const MOST: usize = 1 << 20;
/// In so many of all mutations a new script takes the place of a child.
const NEW: f64 = 0.3;

/// An input: the text of a script.
#[derive(Debug, Clone, Hash, Serialize, Deserialize)]
pub(crate) struct Script(pub(crate) String);

impl Input for Script {}

/// The lab that the executor and the mutator of one client share.
pub(crate) struct Bench<'b, 'l, 's> {
    lab: RefCell<&'b mut Lab<'l, 's>>,
    over: Cell<bool>,
    /// The hashes of what was performed. Every secondary client sends on what it takes from another one, so that each
    /// input comes back as often as there are clients.
    tried: RefCell<HashSet<u64>>,
}

impl<'b, 'l, 's> Bench<'b, 'l, 's> {
    pub(crate) fn new(lab: &'b mut Lab<'l, 's>) -> Self {
        Self {
            lab: RefCell::new(lab),
            over: Cell::new(false),
            tried: RefCell::default(),
        }
    }

    /// The time is over, or the program was told to stop: nothing is performed any more.
    pub(crate) fn is_over(&self) -> bool {
        self.over.get()
    }

    /// Whether this input was not there yet.
    fn is_new(&self, input: &Script) -> bool {
        let mut hasher = DefaultHasher::new();
        input.hash(&mut hasher);
        let mut tried = self.tried.borrow_mut();
        if tried.len() >= MOST {
            tried.clear();
        }
        tried.insert(hasher.finish())
    }

    pub(crate) fn seeds(&self) -> Vec<Script> {
        let lab = self.lab.borrow();
        lab.seeds().into_iter().map(Script).collect()
    }

    pub(crate) fn generate(&self) -> Script {
        Script(self.lab.borrow_mut().generate())
    }
}

/// The observers of [`Performer`].
pub(crate) type Observers = tuple_list_type!(StdMapObserver<'static, u8, false>);

/// Performs inputs in the lab, and marks their features in a map.
pub(crate) struct Performer<'p, 'b, 'l, 's> {
    bench: &'p Bench<'b, 'l, 's>,
    observers: Observers,
}

impl<'p, 'b, 'l, 's> Performer<'p, 'b, 'l, 's> {
    pub(crate) fn new(
        bench: &'p Bench<'b, 'l, 's>,
        observer: StdMapObserver<'static, u8, false>,
    ) -> Self {
        Self {
            bench,
            observers: tuple_list!(observer),
        }
    }
}

impl<EM, S: HasExecutions, Z> Executor<EM, Script, S, Z> for Performer<'_, '_, '_, '_> {
    fn run_target(
        &mut self,
        _: &mut Z,
        state: &mut S,
        _: &mut EM,
        input: &Script,
    ) -> Result<ExitKind, Error> {
        if self.bench.is_over() || input.0.len() > LONGEST || !self.bench.is_new(input) {
            return Ok(ExitKind::Ok);
        }
        let mut lab = self.bench.lab.borrow_mut();
        let known = lab.status().findings;
        let Some(features) = lab.perform(&input.0) else {
            self.bench.over.set(true);
            return Ok(ExitKind::Ok);
        };
        *state.executions_mut() += 1;
        for feature in features {
            self.observers.0.set(entry(feature), 1);
        }
        if lab.status().findings > known {
            Ok(ExitKind::Crash)
        } else {
            Ok(ExitKind::Ok)
        }
    }
}

/// The place of a feature in the map.
fn entry(feature: u64) -> usize {
    let entries = u64::try_from(ENTRIES).expect("a few thousand");
    usize::try_from(feature % entries).expect("less than the entries")
}

impl HasObservers for Performer<'_, '_, '_, '_> {
    type Observers = Observers;

    fn observers(&self) -> RefIndexable<&Self::Observers, Self::Observers> {
        RefIndexable::from(&self.observers)
    }

    fn observers_mut(&mut self) -> RefIndexable<&mut Self::Observers, Self::Observers> {
        RefIndexable::from(&mut self.observers)
    }
}

/// Asks the lab for a child of an input, with another input of the corpus at hand, or for a new one.
pub(crate) struct Breeder<'p, 'b, 'l, 's> {
    bench: &'p Bench<'b, 'l, 's>,
}

impl<'p, 'b, 'l, 's> Breeder<'p, 'b, 'l, 's> {
    pub(crate) fn new(bench: &'p Bench<'b, 'l, 's>) -> Self {
        Self { bench }
    }
}

impl Named for Breeder<'_, '_, '_, '_> {
    fn name(&self) -> &Cow<'static, str> {
        &Cow::Borrowed("lab")
    }
}

impl<S> Mutator<Script, S> for Breeder<'_, '_, '_, '_>
where
    S: HasCorpus<Script> + HasRand,
{
    fn mutate(&mut self, state: &mut S, input: &mut Script) -> Result<MutationResult, Error> {
        let child = if state.rand_mut().coinflip(NEW) {
            self.bench.generate().0
        } else {
            let other = another(state)?;
            let other = other.as_ref().map(|other| other.0.as_str());
            self.bench.lab.borrow_mut().mutate(&input.0, other)
        };
        if child == input.0 {
            return Ok(MutationResult::Skipped);
        }
        input.0 = child;
        Ok(MutationResult::Mutated)
    }

    fn post_exec(&mut self, _: &mut S, _: Option<CorpusId>) -> Result<(), Error> {
        Ok(())
    }
}

fn another<S>(state: &mut S) -> Result<Option<Script>, Error>
where
    S: HasCorpus<Script> + HasRand,
{
    let Some(count) = NonZero::new(state.corpus().count()) else {
        return Ok(None);
    };
    let place = state.rand_mut().below(count);
    let corpus = state.corpus();
    corpus.cloned_input_for_id(corpus.nth(place)).map(Some)
}
