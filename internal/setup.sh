#!/usr/bin/env bash
# Makes sure that Go and a C compiler (for DuckDB's driver) are there; with the
# argument node, that Node is.
set -eu
if ! command -v "${GO:-go}" >/dev/null; then
  echo "Go 1.26 or newer is needed: https://go.dev/doc/install" >&2
  exit 1
fi
if [ "${1:-}" = node ]; then
  command -v node >/dev/null && exit 0
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -q && apt-get install -y -q nodejs npm
    exit 0
  fi
  echo "Node 20 or newer is needed (Debian: apt-get install nodejs npm)" >&2
  exit 1
fi
if command -v cc >/dev/null || command -v gcc >/dev/null; then
  exit 0
fi
if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  apt-get update -q && apt-get install -y -q gcc g++ libc6-dev
  exit 0
fi
echo "a C and C++ compiler is needed (Debian: apt-get install gcc g++)" >&2
exit 1
