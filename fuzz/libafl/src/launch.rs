//! The launcher: it checks what can be checked, forks the clients, is their broker, and sums up what they did.

use std::{
    collections::BTreeMap,
    env, fs,
    io::{self, BufRead as _, BufReader, PipeReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use elenchus_reports::text::printable;
use libafl::{
    Error,
    events::{
        ClientDescription, EventConfig, EventFirer, EventReceiver, ManagerKind, ProgressReporter,
        SendExiting, ShouldSaveState,
        launcher::{CentralizedLauncher, Launcher},
        setup_restarting_mgr_llmp,
    },
    monitors::NopMonitor,
};
use libafl_bolts::{
    core_affinity::{Cores, get_core_ids},
    shmem::{ShMemProvider as _, StdShMemProvider},
    tuples::tuple_list,
};
use log::{Level, LevelFilter, Log, Metadata, Record};
use rustix::process::{Signal, getpid, kill_process};

use crate::{
    args::Args,
    client::{self, Order, State},
    engine::Script,
    folders::{self, Folder},
    words::{End, Speaker, Word, tell},
};

/// How often the launcher says where the campaign is.
const TOLD_EVERY: Duration = Duration::from_secs(10);
/// So much later than the others the main client comes to a broker that joins another one.
const AFTER: Duration = Duration::from_secs(5);
/// How long another broker may take to accept a connection.
const REACH: Duration = Duration::from_secs(10);

/// Runs a campaign. It returns in the clients, too.
pub(crate) fn campaign(args: &Args) -> ExitCode {
    let (order, cores) = match order(args) {
        Ok(order) => order,
        Err(why) => {
            tell(&why);
            return ExitCode::from(2);
        }
    };
    let ends = match launch(args, &order, &cores) {
        Ok(Some(ends)) => ends,
        Ok(None) => return ExitCode::SUCCESS,
        Err(error) => {
            tell(&error.to_string());
            return ExitCode::from(4);
        }
    };
    match sum_up(&order, &ends) {
        Ok(code) => code,
        Err(error) => {
            tell(&format!("{}: {error}", order.out.display()));
            ExitCode::from(4)
        }
    }
}

/// What the clients are to do, and on which cores; the error says what is wrong with the arguments.
fn order(args: &Args) -> Result<(Order, Cores), String> {
    let words = shlex::split(&args.target)
        .filter(|words| !words.is_empty())
        .ok_or("--target: it is empty, or a quote is left open")?;
    let cwd = env::current_dir().map_err(|error| format!("the current folder: {error}"))?;
    let program = find(&words[0], &cwd)
        .ok_or_else(|| format!("--target: there is no program {}", words[0]))?;
    let mut argv = vec![program.into_os_string()];
    argv.extend(words[1..].iter().map(Into::into));
    let mut variables = Vec::new();
    for name in &args.pass_env {
        let value = env::var(name).map_err(|error| format!("--pass-env {name}: {error}"))?;
        variables.push((name.clone(), value));
    }

    let cores = Cores::from_cmdline(&args.cores).map_err(|error| format!("--cores: {error}"))?;
    let there = get_core_ids().map_err(|error| format!("--cores: {error}"))?;
    if let Some(core) = cores.ids.iter().find(|core| !there.contains(core)) {
        return Err(format!("--cores: there is no core {}", core.0));
    }
    let used = there.iter().filter(|core| cores.contains(**core)).count();
    let clients = used * usize::from(args.per_core);
    if clients < 3 && args.remote_broker.is_some() {
        return Err("--remote-broker: it takes three clients, one that sends and one that hears besides \
                    the one that LibAFL confuses with the connection; take more cores, or --per-core"
            .to_owned());
    }

    for port in [args.broker_port, args.broker_port + 1] {
        // Clients would join whoever else is the broker there.
        TcpListener::bind(("127.0.0.1", port))
            .map_err(|error| format!("--broker-port: port {port}: {error}"))?;
    }
    if let Some(address) = args.remote_broker {
        reach(address)?;
    }
    fs::create_dir_all(&args.out)
        .and_then(|()| folders::gather(&args.out))
        .map_err(|error| format!("--out {}: {error}", args.out.display()))?;
    let order = Order {
        argv,
        env: variables,
        cwd,
        out: args.out.clone(),
        time: args.time,
        seed: args.seed.unwrap_or_else(seed),
        clients,
    };
    Ok((order, cores))
}

/// The file of a program, as a shell would find it.
fn find(program: &str, cwd: &Path) -> Option<PathBuf> {
    if program.contains('/') {
        let path = cwd.join(program);
        return path.is_file().then_some(path);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut files = env::split_paths(&path).map(|folder| cwd.join(folder).join(program));
    files.find(|file| file.is_file())
}

/// A broker that cannot be reached would be waited for by everybody.
fn reach(address: SocketAddr) -> Result<(), String> {
    TcpStream::connect_timeout(&address, REACH)
        .map(drop)
        .map_err(|error| format!("--remote-broker {address}: {error}"))
}

fn seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| {
        now.as_secs().wrapping_mul(1_000_000_007) ^ u64::from(now.subsec_nanos())
    })
}

/// Forks the clients and is their broker. How they ended comes back; nothing in the processes that were forked.
fn launch(
    args: &Args,
    order: &Order,
    cores: &Cores,
) -> Result<Option<BTreeMap<usize, End>>, Error> {
    // Whoever else has set a logger shows it all.
    if log::set_logger(&TROUBLES).is_ok() {
        log::set_max_level(LevelFilter::Error);
    }
    let (reader, writer) = io::pipe()?;
    let speaker = Arc::new(Speaker::new(writer));
    let over = Arc::new(AtomicBool::new(false));
    let listener = {
        let (clients, speaker, over) = (order.clients, Arc::clone(&speaker), Arc::clone(&over));
        thread::spawn(move || listen(reader, clients, &speaker, &over))
    };
    let provider = StdShMemProvider::new()?;
    let connect = |_: &Launcher<'_, _, _, _>, about: ClientDescription| {
        if args.remote_broker.is_some() && about.id() == 1 {
            // Of the clients of a broker that joins another one, the connection of the two has the number of the first
            // that comes, and LibAFL takes the messages of each for those of the other. It must not be the main client,
            // who sends what all of them find.
            thread::sleep(AFTER);
        }
        setup_restarting_mgr_llmp(
            provider.clone(),
            EventConfig::AlwaysUnique,
            None::<NopMonitor>,
            args.broker_port,
            ManagerKind::Client {
                client_description: about,
            },
            None,
            ShouldSaveState::Never,
            tuple_list!(),
        )
    };
    let launched = CentralizedLauncher::builder()
        .shmem_provider(provider.clone())
        // Nobody is believed what an input reaches: each client tries it.
        .configuration(EventConfig::AlwaysUnique)
        .monitor(NopMonitor::new())
        .main_run_client(|_: Option<State>, mut manager, about: ClientDescription| {
            serve(order, &speaker, about.id(), &mut manager)
        })
        .secondary_run_client(|_: Option<State>, mut manager, about: ClientDescription| {
            serve(order, &speaker, about.id(), &mut manager)
        })
        .cores(cores)
        .overcommit(usize::from(args.per_core))
        .broker_port(args.broker_port)
        .centralized_broker_port(args.broker_port + 1)
        .remote_broker_addr(args.remote_broker)
        .fork(true)
        .build()
        .launch_centralized_custom(connect, connect);
    match launched {
        Ok(()) => {
            over.store(true, Ordering::Relaxed);
            speaker.close();
            let ends = listener.join();
            ends.map(Some)
                .map_err(|_| Error::illegal_state("the ends of the clients were not read"))
        }
        // A process that was forked, at its end.
        Err(Error::ShuttingDown) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The work of a forked client.
fn serve<EM>(order: &Order, speaker: &Speaker, client: usize, manager: &mut EM) -> Result<(), Error>
where
    EM: EventFirer<Script, State>
        + EventReceiver<Script, State>
        + ProgressReporter<State>
        + SendExiting,
{
    speaker.say(&Word::Begun)?;
    let end = client::work(order, client, speaker, manager);
    speaker.say(&Word::Ended { client, end })?;
    // Without this the client would be started again.
    manager.send_exiting()?;
    Err(Error::shutting_down())
}

/// Hears how far the clients are and how they end, until the last of them is gone.
fn listen(
    reader: PipeReader,
    clients: usize,
    speaker: &Speaker,
    over: &AtomicBool,
) -> BTreeMap<usize, End> {
    let (mut begun, mut at, mut ends) = (0, BTreeMap::new(), BTreeMap::new());
    let (start, mut told) = (Instant::now(), Instant::now());
    for line in BufReader::new(reader).lines().map_while(Result::ok) {
        match serde_json::from_str(&line) {
            Ok(Word::Begun) => {
                begun += 1;
                if begun == clients {
                    // All have been forked. From now on the pipe ends with the last of them.
                    speaker.close();
                }
            }
            Ok(Word::At {
                client,
                runs,
                features,
                findings,
            }) => {
                at.insert(client, (runs, features, findings));
            }
            Ok(Word::Ended { client, end }) => {
                ends.insert(client, end);
            }
            Err(_) => {}
        }
        if told.elapsed() >= TOLD_EVERY {
            told = Instant::now();
            let runs: u64 = at.values().map(|(runs, ..)| runs).sum();
            let most = |of: fn(&(u64, usize, usize)) -> usize| at.values().map(of).max();
            let (features, findings) = (most(|at| at.1), most(|at| at.2));
            tell(&format!(
                "{} s, clients {}, scripts {runs}, most of one client: features {}, findings {}",
                start.elapsed().as_secs(),
                at.len(),
                features.unwrap_or_default(),
                findings.unwrap_or_default()
            ));
        }
    }
    if !over.load(Ordering::Relaxed) {
        // A broker that is connected to another one takes that for a client, and would stay for it.
        let _ = kill_process(getpid(), Signal::INT);
    }
    ends
}

/// Shows what was done and found; with what the program ends.
fn sum_up(order: &Order, ends: &BTreeMap<usize, End>) -> io::Result<ExitCode> {
    folders::gather(&order.out)?;
    let findings = Folder::create(&order.out)?.findings;
    let found = folders::scripts(&findings)?;
    let mut out = io::stdout().lock();
    let mut complete = !TROUBLES.0.load(Ordering::Relaxed);
    for number in 1..=order.clients {
        let Some(end) = ends.get(&number) else {
            complete = false;
            writeln!(out, "client {number}: it did not come to its end")?;
            continue;
        };
        writeln!(
            out,
            "client {number}: {} scripts, features {}, corpus {}, of which {} from others, findings {}",
            end.runs, end.features, end.corpus, end.imported, end.findings
        )?;
        if let Some(why) = &end.incomplete {
            complete = false;
            writeln!(out, "client {number}: incomplete: {}", printable(why))?;
        }
    }
    for path in &found {
        writeln!(out, "finding {}", printable(&path.to_string_lossy()))?;
    }
    Ok(ExitCode::from(match (found.is_empty(), complete) {
        (false, _) => 1,
        (true, false) => 3,
        (true, true) => 0,
    }))
}

/// Shows the errors of LibAFL's launcher: it goes on without the exchange, and nobody else is told.
struct Troubles(AtomicBool);

static TROUBLES: Troubles = Troubles(AtomicBool::new(false));

impl Log for Troubles {
    fn enabled(&self, about: &Metadata<'_>) -> bool {
        about.level() == Level::Error && about.target().starts_with("libafl::")
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            self.0.store(true, Ordering::Relaxed);
            tell(&record.args().to_string());
        }
    }

    fn flush(&self) {}
}
