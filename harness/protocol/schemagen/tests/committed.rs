//! The committed schemas are those that the pinned schema crate makes.

use std::{fs, path::Path};

use elenchus_schemagen::Shapes;

#[test]
fn committed_schemas_are_what_the_schema_crate_makes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas");
    for shapes in [Shapes::acp_v1(), Shapes::acp_v2()] {
        let committed = fs::read_to_string(folder.join(shapes.file)).unwrap_or_default();
        assert!(
            committed == shapes.text(),
            "{} differs from what the schema crate makes; run `cargo run -p elenchus-schemagen` and read the diff",
            shapes.file,
        );
    }
}

#[test]
fn every_type_stands_at_the_method_that_it_names() {
    for shapes in [Shapes::acp_v1(), Shapes::acp_v2()] {
        assert_eq!(shapes.misplaced(), [""; 0], "{}", shapes.file);
    }
}

#[test]
fn no_prose_is_committed() {
    for shapes in [Shapes::acp_v1(), Shapes::acp_v2()] {
        let text = shapes.text();
        // A member may have such a name; what it maps to is then a schema, never a text.
        for prose in [
            "\"description\":\"",
            "\"title\":\"",
            "\"examples\":",
            "\"default\":\"",
            "\"x-",
        ] {
            assert!(!text.contains(prose), "{} holds {prose}", shapes.file);
        }
    }
}
