//! Any text as a patch: it can be read, and names only files that stand in it, each once. A section before it names its
//! file first, and takes none of the text's sections away.

#![no_main]

use std::collections::BTreeSet;

use elenchus_protocol::acp::git_patch::GitPatch;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let patch = GitPatch::read(text);
    assert!(patch.sections as usize <= text.matches("diff --git ").count());
    assert!(
        patch.sections > 0 || patch.paths.is_empty(),
        "only sections name files"
    );
    let different: BTreeSet<&String> = patch.paths.iter().collect();
    assert_eq!(different.len(), patch.paths.len());
    for path in &patch.paths {
        assert!(!path.is_empty() && path != "/dev/null");
        // What is quoted stands there in other letters.
        assert!(text.contains(path.as_str()) || text.contains('"'));
    }
    if let Some(line) = &patch.envelope {
        assert!(text.contains(line.as_str()));
    }

    let own = "diff --git /elenchus/own /elenchus/own\n";
    let first = GitPatch::read(&format!("{own}{text}"));
    assert_eq!(
        first.paths.first().map(String::as_str),
        Some("/elenchus/own")
    );
    assert_eq!(first.sections, 1 + patch.sections);
});
