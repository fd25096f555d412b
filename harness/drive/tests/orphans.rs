//! What leaves its group and tells nothing of whose it is goes once no living target is as old. In a program of its own, as
//! the targets of other tests would be.
#![cfg(target_os = "linux")]

mod support;

use std::time::Duration;

use elenchus_drive::Settings;

use support::{exit, lives, notebook, perform, settings, shell_with, written_down};

#[test]
fn what_leaves_the_group_does_not_outlive_the_instance() {
    for commands in [
        // Left behind by a leader that ends at once.
        r#"setsid sleep 1000 & echo $! >>"$PIDS""#,
        // In a session of its own, with an environment that tells nothing; seen while the leader lived.
        r#"env -i setsid sleep 1000 & echo $! >>"$PIDS"; cat >/dev/null"#,
        // Twice removed: its parent is gone before the leader is.
        r#"(setsid sh -c 'echo $$ >>"$PIDS"; exec sleep 1000' &); until test -s "$PIDS"; do :; done; cat >/dev/null"#,
        // Twice removed from the beginning, and nothing tells whose it is; and the same at the very end.
        r#"(env -i setsid sh -c 'echo $$ >"$0"; exec sleep 1000' "$PIDS" &); until test -s "$PIDS"; do :; done; cat >/dev/null"#,
        r#"cat >/dev/null; (env -i setsid sh -c 'echo $$ >"$0"; exec sleep 1000' "$PIDS" &); until test -s "$PIDS"; do :; done"#,
        // It holds the pipes open.
        r#"setsid sleep 1000 2>&1 & echo $! >>"$PIDS"; exec cat >/dev/null"#,
    ] {
        let (_folder, pids) = notebook();
        // Long enough that its own end is what ends it.
        let settings = Settings {
            goodbye: Duration::from_secs(60),
            ..settings()
        };
        let recording = perform(
            "connect",
            &shell_with(commands, &[("PIDS", &pids)]),
            &settings,
        );
        assert!(exit(&recording.trace.events).is_some(), "{commands}");
        for pid in written_down(&pids) {
            assert!(!lives(pid), "{commands}");
        }
    }
}
