//! Opens a page as a person's browser would: one GET, on this machine only.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

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

/// Fetches the page; the error is a reason for people.
pub(super) async fn fetch(url: String) -> Result<(), String> {
    let place =
        place(&url).ok_or("only pages on this machine (http, a loopback address) are visited")?;
    let failed = |error: std::io::Error| format!("the page could not be fetched: {error}");
    let mut stream = TcpStream::connect(place.address).await.map_err(failed)?;
    let request = format!(
        "GET {} HTTP/1.1\r\nHost: {}\r\nAccept: */*\r\nConnection: close\r\n\r\n",
        place.path, place.host
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
        Err("the page had no content".to_owned())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
