//! What a client was told to do by its environment.

use std::collections::BTreeMap;

use serde_json::Value;

/// The variable that holds what to answer elicitations with.
pub(crate) const ANSWERS: &str = "ELENCHUS_ANSWERS";

/// What the client is to do with one elicitation.
#[derive(Debug, Clone, PartialEq)]
pub enum Order {
    /// Accept it with this content; without any, with the defaults and else the smallest valid values.
    Accept(Option<Value>),
    /// Decline it.
    Decline,
    /// Cancel it.
    Cancel,
    /// Never answer it.
    Idle,
    /// What cannot be read.
    Unreadable,
}

/// The variables that a client was started with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Orders {
    told: BTreeMap<String, String>,
    answers: Vec<Order>,
}

impl Orders {
    /// Takes down a variable.
    pub(super) fn tell(&mut self, name: &str, value: &str) {
        if name == ANSWERS {
            let listed = serde_json::from_str::<Vec<Value>>(value);
            self.answers = listed.map_or_else(
                |_| vec![Order::Unreadable],
                |list| list.iter().map(order).collect(),
            );
        }
        self.told.insert(name.to_owned(), value.to_owned());
    }

    /// The value of a variable.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.told.get(name).map(String::as_str)
    }

    /// What to do with the elicitation that stands behind so many others. When the list is used up, it is cancelled.
    pub fn answer(&self, behind: usize) -> &Order {
        self.answers.get(behind).unwrap_or(&Order::Cancel)
    }

    /// None of the answers leaves an elicitation open.
    pub fn never_idle(&self) -> bool {
        let silent = |order: &Order| matches!(order, Order::Idle | Order::Unreadable);
        !self.answers.iter().any(silent)
    }
}

fn order(value: &Value) -> Order {
    match (value.as_str(), value["action"].as_str()) {
        (Some("idle"), _) => Order::Idle,
        (_, Some("accept")) => Order::Accept(value.get("content").cloned()),
        (_, Some("decline")) => Order::Decline,
        (_, Some("cancel")) => Order::Cancel,
        _ => Order::Unreadable,
    }
}
