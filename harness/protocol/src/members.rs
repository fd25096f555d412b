//! The members of JSON objects.

use serde_json::{Map, Value};

/// Up to so many members are looked through one by one: to compare a few names costs less than to hash one.
const FEW: usize = 8;

/// A member of an object. Those on the wire are small.
pub fn member<'v>(members: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    if members.len() > FEW {
        return members.get(name);
    }
    let mut members = members.iter();
    members
        .find(|(known, _)| *known == name)
        .map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_found_in_a_small_object_and_in_a_large_one() {
        for size in [0, 1, FEW, FEW + 1] {
            let members: Map<String, Value> = (0..size)
                .map(|place| (place.to_string(), Value::from(place)))
                .collect();
            for place in 0..=size {
                let name = place.to_string();
                assert_eq!(
                    member(&members, &name),
                    members.get(&name),
                    "{name} of {size}"
                );
            }
        }
    }
}
