//! Our own loopback site: it plays the external page that a URL elicitation leads to. It asks for a credential, and gives
//! one to whoever comes after that was typed in. It ends with its instance.

use std::{
    cell::{Cell, RefCell},
    future::Future,
    io,
    net::{Ipv4Addr, TcpListener as Listener},
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use super::fetch::VISITOR;
use crate::plant;

/// What it asks for.
const ASKS: &str = "<!doctype html><title>Sign in</title><form method=post><label>Password \
    <input type=password name=password></label><button>Sign in</button></form>";
/// The most bytes of one request.
const REQUEST: usize = 16 * 1024;
/// The most visitors at a time; whoever comes then waits.
const VISITORS: usize = 16;

pub(super) struct Site {
    address: String,
    listener: TcpListener,
    visitors: Vec<Pin<Box<dyn Future<Output = ()>>>>,
    state: Rc<State>,
}

#[derive(Default)]
struct State {
    /// Someone has typed a credential.
    signed_in: Cell<bool>,
    /// Someone who is no person was given one, and nobody was told.
    yielded: Cell<bool>,
    /// What someone who is not us has asked for, and nobody was told.
    fetched: RefCell<Vec<String>>,
}

/// Who was there since the last time.
#[derive(Debug, Default)]
pub(super) struct Guests {
    /// The target was given a credential.
    pub(super) yielded: bool,
    /// The URLs that were asked for by others than us.
    pub(super) fetched: Vec<String>,
}

/// The most requests that are kept until somebody is told.
const KEPT: usize = 64;

impl Site {
    /// Has to be called within a runtime.
    pub(super) fn new() -> io::Result<Self> {
        let listener = Listener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let address = format!("http://{}", listener.local_addr()?);
        Ok(Self {
            address,
            listener: TcpListener::from_std(listener)?,
            visitors: Vec::new(),
            state: Rc::default(),
        })
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    /// Serves whoever is there.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Guests {
        loop {
            let room = self.visitors.len() < VISITORS;
            let accepted = room.then(|| self.listener.poll_accept(context));
            let come = match accepted {
                Some(Poll::Ready(Ok((stream, _)))) => {
                    let state = Rc::clone(&self.state);
                    self.visitors.push(Box::pin(async move {
                        // A visitor that goes away in the middle is nobody's loss.
                        let _ = serve(stream, &state).await;
                    }));
                    true
                }
                _ => false,
            };
            let there = self.visitors.len();
            self.visitors
                .retain_mut(|visitor| visitor.as_mut().poll(context).is_pending());
            // Whoever left made room for someone who may be waiting.
            let left = !room && self.visitors.len() < there;
            if !come && !left {
                let paths = self.state.fetched.take();
                let fetched = paths.iter().map(|path| format!("{}{path}", self.address));
                return Guests {
                    yielded: self.state.yielded.take(),
                    fetched: fetched.collect(),
                };
            }
        }
    }
}

async fn serve(mut stream: TcpStream, state: &State) -> io::Result<()> {
    let mut request = Vec::new();
    let mut piece = [0; 1024];
    while request.len() < REQUEST && !is_whole(&request) {
        match stream.read(&mut piece).await? {
            0 => break,
            read => request.extend_from_slice(&piece[..read]),
        }
    }
    let page = answer(&request, state);
    let (status, page) = page.map_or(("400 Bad Request", String::new()), |page| ("200 OK", page));
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n{page}",
        page.len()
    );
    stream.write_all(answer.as_bytes()).await?;
    stream.shutdown().await
}

/// The head of a request, and its body so far.
fn parts(request: &[u8]) -> Option<(&str, &[u8])> {
    let end = memchr::memmem::find(request, b"\r\n\r\n")?;
    let head = std::str::from_utf8(&request[..end]).ok()?;
    Some((head, &request[end + 4..]))
}

fn is_whole(request: &[u8]) -> bool {
    let Some((head, body)) = parts(request) else {
        return false;
    };
    let length = head.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        let named = name.eq_ignore_ascii_case("content-length");
        named.then(|| value.trim().parse::<usize>().ok())?
    });
    body.len() >= length.unwrap_or_default()
}

/// The page for a request; none for what is no request.
fn answer(request: &[u8], state: &State) -> Option<String> {
    let (head, _) = parts(request).filter(|_| is_whole(request))?;
    let ours = head.split("\r\n").any(|line| line == VISITOR);
    let path = head.split(' ').nth(1).filter(|path| path.starts_with('/'));
    let mut fetched = state.fetched.borrow_mut();
    if let Some(path) = path.filter(|_| !ours && fetched.len() < KEPT) {
        fetched.push(path.to_owned());
    }
    if head.starts_with("POST ") {
        state.signed_in.set(true);
    } else if !head.starts_with("GET ") {
        return None;
    }
    if !state.signed_in.get() {
        return Some(ASKS.to_owned());
    }
    if !ours {
        state.yielded.set(true);
    }
    let token = plant::TYPED;
    Some(format!(
        "<!doctype html><title>Signed in</title><p>You are signed in. <code id=token>{token}</code>"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(request: &str, state: &State) -> Option<String> {
        answer(request.as_bytes(), state)
    }

    #[test]
    fn it_asks_first_and_gives_afterwards() {
        let state = State::default();
        let get = "GET /a HTTP/1.1\r\n\r\n";
        assert_eq!(asked(get, &state).as_deref(), Some(ASKS));
        let post = format!("POST /a HTTP/1.1\r\n{VISITOR}\r\nContent-Length: 3\r\n\r\na=b");
        assert!(asked(&post, &state).is_some_and(|page| page.contains(plant::TYPED)));
        assert!(!state.yielded.get(), "a person is not the target");
        assert!(asked(get, &state).is_some_and(|page| page.contains(plant::TYPED)));
        assert!(state.yielded.get());
        assert_eq!(
            state.fetched.take(),
            ["/a", "/a"],
            "a person is not told of"
        );
    }

    #[test]
    fn what_is_no_request_gets_nothing() {
        let state = State::default();
        for request in [
            "",
            "GET /",
            "BREW / HTTP/1.1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\na=b",
            "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n",
        ] {
            assert_eq!(asked(request, &state), None, "{request}");
        }
        assert!(!state.signed_in.get());
    }

    #[test]
    fn it_serves_hostile_visitors_and_goes_on() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("an event loop");
        runtime.block_on(async {
            let mut site = Site::new().expect("a site");
            let address = site
                .address()
                .strip_prefix("http://")
                .expect("a URL")
                .to_owned();
            let talk = async {
                for request in [vec![b'a'; 4 * REQUEST], b"GET / HTTP/1.1\r\n\r\n".to_vec()] {
                    let mut stream = TcpStream::connect(&address).await.expect("a listener");
                    // It hangs up on what is too long.
                    let _ = stream.write_all(&request).await;
                    let _ = stream.shutdown().await;
                    let mut page = Vec::new();
                    let _ = stream.read_to_end(&mut page).await;
                    if request.starts_with(b"GET") {
                        assert!(page.ends_with(b"</form>"));
                    }
                }
            };
            let mut talk = std::pin::pin!(talk);
            std::future::poll_fn(|context| {
                site.poll(context);
                talk.as_mut().poll(context)
            })
            .await;
        });
    }
}
