//! Writes the schemas into `harness/protocol/schemas`.

use std::{fs, io, path::Path};

use elenchus_schemagen::Shapes;

fn main() -> io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas");
    for shapes in [Shapes::acp_v1(), Shapes::acp_v2()] {
        fs::write(folder.join(shapes.file), shapes.text())?;
    }
    Ok(())
}
