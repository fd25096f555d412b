#!/usr/bin/env bash
# Builds every fuzz target from $SRC/elenchus into $OUT, each with its seeds and its dictionary, under the names that
# ClusterFuzzLite looks for. `.ci/fuzz` runs it too, so that it cannot fall behind.
set -euo pipefail
cd "$SRC/elenchus"

# The builder image names its own nightly.
export RUSTUP_TOOLCHAIN="${RUSTUP_TOOLCHAIN:-nightly}"
host=$(rustc -vV | sed -n 's/^host: //p')

cargo fuzz build
for target in $(cargo fuzz list); do
    cp "fuzz/target/$host/release/$target" "$OUT/$target"
    python3 -m zipfile -c "$OUT/${target}_seed_corpus.zip" "fuzz/corpus/$target"/*
    dictionary="fuzz/dict/$target.dict"
    [ -e "$dictionary" ] || dictionary="fuzz/dict/protocol.dict"
    cp "$dictionary" "$OUT/$target.dict"
done
