//! The rules, one file an area, in explicit arrays.

use std::sync::OnceLock;

use crate::rule::Rule;

mod auth;
mod batch;
mod calls;
mod cancel;
mod cap;
mod client;
mod close;
mod cmd;
mod complete;
mod config;
pub(crate) mod content;
mod correlate;
mod delete;
mod dirs;
mod effect;
mod elicit_state;
mod enums;
mod error;
mod ext;
mod form;
mod fs;
mod grown;
mod init;
mod inserted;
mod items;
mod jsonrpc;
mod late;
mod lifecycle;
mod list;
mod load;
mod mcp;
mod meta;
mod modes;
mod moment;
mod options;
mod patch;
mod paths;
mod perm;
mod plan;
mod prompt;
mod reading;
mod report;
mod resp;
mod resume;
mod schema;
mod scope;
pub(crate) mod secret;
mod session;
mod shutdown;
mod state;
mod stop;
mod stray;
mod survive;
mod term;
mod told;
mod tool;
mod transport;
mod typed;
mod url;
mod views;
mod whose;

/// All rules, sorted by requirement.
pub fn rules() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let mut rules: Vec<Rule> = [
            cap::RULES,
            scope::RULES,
            correlate::RULES,
            form::RULES,
            schema::RULES,
            resp::RULES,
            effect::RULES,
            secret::RULES,
            url::RULES,
            complete::RULES,
            transport::RULES,
            reading::RULES,
            batch::RULES,
            jsonrpc::RULES,
            init::RULES,
            prompt::RULES,
            inserted::RULES,
            content::RULES,
            tool::RULES,
            items::RULES,
            patch::RULES,
            plan::RULES,
            cmd::RULES,
            session::RULES,
            shutdown::RULES,
            paths::RULES,
            list::RULES,
            load::RULES,
            resume::RULES,
            close::RULES,
            delete::RULES,
            dirs::RULES,
            cancel::RULES,
            stop::ends::RULES,
            stop::once::RULES,
            stop::questions::RULES,
            stop::work::RULES,
            late::RULES,
            state::RULES,
            perm::RULES,
            term::RULES,
            elicit_state::RULES,
            config::RULES,
            modes::RULES,
            auth::RULES,
            mcp::RULES,
            fs::RULES,
            enums::RULES,
            meta::RULES,
            ext::RULES,
            error::RULES,
            grown::RULES,
            typed::RULES,
            typed::answers::RULES,
            typed::unasked::RULES,
        ]
        .concat();
        rules.extend(client::RULES.concat());
        rules.sort_by_key(|rule| rule.id);
        rules
    })
}
