//! Many requirement ids in few words.

/// An id's area, without the protocol's name before it and the number after it: `ELICIT-CAP`.
pub(super) fn area(id: &str) -> &str {
    let area = split(id).0;
    area.split_once('-')
        .filter(|(protocol, _)| matches!(*protocol, "ACP" | "MCP"))
        .map_or(area, |(_, area)| area)
}

fn split(id: &str) -> (&str, &str) {
    id.rsplit_once('-').unwrap_or((id, ""))
}

/// Sorted ids, shortened so that the first of each area can be copied: `ACP-ELICIT-CAP-004 to -006, -009; ACP-INIT-001`.
pub(super) fn compact(ids: &[&str]) -> String {
    let mut out = String::new();
    let mut area = None;
    let mut at = 0;
    while let Some(id) = ids.get(at) {
        let (of, first) = split(id);
        let mut last = first;
        while let Some((next_of, next)) = ids.get(at + 1).map(|id| split(id)) {
            if next_of != of || !follows(last, next) {
                break;
            }
            last = next;
            at += 1;
        }
        at += 1;
        if area == Some(of) {
            out.push_str(", ");
        } else {
            if area.is_some() {
                out.push_str("; ");
            }
            out.push_str(of);
            area = Some(of);
        }
        out.push('-');
        out.push_str(first);
        if last != first {
            out.push_str(" to -");
            out.push_str(last);
        }
    }
    out
}

fn follows(last: &str, next: &str) -> bool {
    matches!((last.parse::<u32>(), next.parse::<u32>()), (Ok(last), Ok(next)) if last.checked_add(1) == Some(next))
}

#[cfg(test)]
mod tests {
    use super::{area, compact};

    #[test]
    fn consecutive_numbers_become_ranges() {
        for (ids, text) in [
            (&[][..], ""),
            (&["ACP-INIT-001"], "ACP-INIT-001"),
            (
                &[
                    "ACP-ELICIT-CAP-004",
                    "ACP-ELICIT-CAP-005",
                    "ACP-ELICIT-CAP-006",
                    "ACP-ELICIT-CAP-009",
                    "ACP-INIT-010",
                ],
                "ACP-ELICIT-CAP-004 to -006, -009; ACP-INIT-010",
            ),
        ] {
            assert_eq!(compact(ids), text);
        }
    }

    #[test]
    fn an_area_is_named_without_protocol_and_number() {
        assert_eq!(area("ACP-ELICIT-CAP-004"), "ELICIT-CAP");
        assert_eq!(area("MCP-FORM-001"), "FORM");
        assert_eq!(area("ACP-INIT-010"), "INIT");
    }
}
