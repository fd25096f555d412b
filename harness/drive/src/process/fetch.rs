//! Opens a page as a person's browser would, on this machine only.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use url::Url;

use crate::{
    page::{self, Seen, Submission},
    plant,
};

/// By this header our own site knows a person's visit from a fetch of the target.
pub(super) const VISITOR: &str = "Elenchus-Visitor: person";

/// The most bytes of a page that are read.
const PAGE: usize = 64 * 1024;

/// A loopback address in a URL: where to connect, what to write as `Host`, and what to ask for.
#[derive(Debug, PartialEq, Eq)]
struct Place {
    address: SocketAddr,
    host: String,
    path: String,
}

fn place(url: &str) -> Option<Place> {
    let rest = url.strip_prefix("http://")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let path = path.split('#').next().unwrap_or_default();
    // A line of HTTP has no room for these, and a URL has none either.
    if path.contains(|c: char| c.is_ascii_control() || c == ' ') {
        return None;
    }
    let path = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("/{path}")
    };
    let address = match host.parse::<SocketAddr>() {
        Ok(address) => address,
        Err(_) => match host.strip_prefix("localhost") {
            Some(port) => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port_of(port)?),
            None => SocketAddr::new(host.trim_matches(['[', ']']).parse().ok()?, 80),
        },
    };
    address.ip().is_loopback().then(|| Place {
        address,
        host: host.to_owned(),
        path,
    })
}

fn port_of(text: &str) -> Option<u16> {
    if text.is_empty() {
        Some(80)
    } else {
        text.strip_prefix(':')?.parse().ok()
    }
}

/// Opens the page, and perhaps types this into its form and sends it off; the error is a reason for people.
pub(super) async fn visit(url: String, typing: Option<&'static str>) -> Result<Seen, String> {
    let (at, page) = follow(url, None).await?;
    let text = String::from_utf8_lossy(&page);
    let mut seen = Seen {
        shows: plant::shows_credential(&page),
        typed: false,
    };
    let submission = typing.and_then(|typing| page::fill(&text, &at, typing));
    if let Some(Submission { url, body }) = submission {
        seen.typed = follow(url, body).await.is_ok();
    }
    Ok(seen)
}

/// The most redirections that are followed.
const HOPS: usize = 5;

/// Fetches a page, or posts a form to it, and goes where that leads. The address of the page comes back with its content.
async fn follow(mut url: String, mut body: Option<String>) -> Result<(String, Vec<u8>), String> {
    for _ in 0..HOPS {
        let answer = exchange(&url, body.as_deref()).await?;
        let end = memchr::memmem::find(&answer, b"\r\n\r\n").unwrap_or(answer.len());
        let head = String::from_utf8_lossy(&answer[..end]);
        let Some(next) = redirection(&head, &url) else {
            let page = answer.get(end + 4..).unwrap_or_default().to_vec();
            return Ok((url, page));
        };
        (url, body) = (next, None);
    }
    Err("the page leads from one address to the next without end".to_owned())
}

/// Where an answer leads on to.
fn redirection(head: &str, at: &str) -> Option<String> {
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?;
    let location = lines.find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("location")
            .then_some(value.trim())
    });
    let next = Url::parse(at).ok()?.join(location?).ok()?;
    matches!(status, "301" | "302" | "303" | "307" | "308").then(|| next.into())
}

/// One request, and all that comes back.
async fn exchange(url: &str, body: Option<&str>) -> Result<Vec<u8>, String> {
    let place =
        place(url).ok_or("only pages on this machine (http, a loopback address) are visited")?;
    let failed = |error: std::io::Error| format!("the page could not be fetched: {error}");
    let mut stream = TcpStream::connect(place.address).await.map_err(failed)?;
    let (method, content) = match body {
        None => ("GET", String::new()),
        Some(body) => (
            "POST",
            format!(
                "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
                body.len()
            ),
        ),
    };
    let request = format!(
        "{method} {} HTTP/1.1\r\nHost: {}\r\nAccept: */*\r\n{VISITOR}\r\n{content}Connection: close\r\n\r\n{}",
        place.path,
        place.host,
        body.unwrap_or_default()
    );
    stream.write_all(request.as_bytes()).await.map_err(failed)?;
    let mut page = vec![0; PAGE];
    let mut read = 0;
    while read < page.len() {
        match stream.read(&mut page[read..]).await {
            Ok(0) => break,
            Ok(more) => read += more,
            // A server that resets the connection after its answer has answered all the same.
            Err(_) if read > 0 => break,
            Err(error) => return Err(failed(error)),
        }
    }
    if read == 0 {
        return Err("the page had no content".to_owned());
    }
    page.truncate(read);
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_leads_on_only_by_its_status_and_location() {
        let at = "http://127.0.0.1:1/a/b";
        for (head, next) in [
            (
                "HTTP/1.1 303 See Other\r\nLocation: c?d",
                Some("http://127.0.0.1:1/a/c?d"),
            ),
            (
                "HTTP/1.1 302 Found\r\nX: y\r\nlocation:/c",
                Some("http://127.0.0.1:1/c"),
            ),
            ("HTTP/1.1 200 OK\r\nLocation: c", None),
            ("HTTP/1.1 302 Found", None),
            ("HTTP/1.1 302 Found\r\nLocation: http://[", None),
            ("noise", None),
            ("", None),
        ] {
            assert_eq!(redirection(head, at).as_deref(), next, "{head}");
        }
    }

    #[test]
    fn only_loopback_pages_are_places() {
        for (url, address, path) in [
            ("http://127.0.0.1:8080/a?b=c#d", "127.0.0.1:8080", "/a?b=c"),
            ("http://127.0.0.1", "127.0.0.1:80", "/"),
            ("http://localhost:99?x", "127.0.0.1:99", "/?x"),
            ("http://localhost/", "127.0.0.1:80", "/"),
            ("http://[::1]:7/", "[::1]:7", "/"),
            ("http://[::1]/", "[::1]:80", "/"),
        ] {
            let place = place(url).unwrap_or_else(|| panic!("{url}"));
            assert_eq!(
                (place.address.to_string().as_str(), place.path.as_str()),
                (address, path),
                "{url}"
            );
        }
        for url in [
            "https://127.0.0.1/",
            "http://example.com/",
            "http://10.0.0.1/",
            "http://127.0.0.1:8080/a b",
            "http://127.0.0.1/\r\nX: y",
            "http://localhost.example.com/",
            "http://user@127.0.0.1/",
            "not a url",
            "",
        ] {
            assert_eq!(place(url), None, "{url}");
        }
    }
}
