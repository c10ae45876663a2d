#!/usr/bin/env bash
# Runs every fuzz target of the module for FUZZTIME, one after the other. A number
# of runs ("20000x") ends exactly; a time may end inside a run, which go test then
# takes for a failure.
set -eu
GO="${GO:-go}"
cd "$(dirname "$0")/.."
grep -rlE '^func Fuzz[A-Za-z0-9_]*\(' --include='*_test.go' . | sort | while read -r file; do
  dir=$(dirname "$file")
  grep -ohE '^func Fuzz[A-Za-z0-9_]*' "$file" | sed 's/^func //' | while read -r target; do
    echo "fuzz $dir $target"
    "$GO" test "$dir" -run '^$' -fuzz "^${target}\$" -fuzztime "${FUZZTIME:-20000x}" -fuzzminimizetime 20x </dev/null
  done
done
