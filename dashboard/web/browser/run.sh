#!/usr/bin/env bash
# Runs a script of this folder against a real daemon: run.sh pages.test.mjs.
# Installs what it needs (Chromium by apt, playwright-core and axe-core by npm) and
# fails where it cannot.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
cache=$root/.cache/pages
need() { # need PROGRAM PACKAGE...
  command -v "$1" >/dev/null && return
  if command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    apt-get update -q >/dev/null && DEBIAN_FRONTEND=noninteractive apt-get install -y -q "${@:2}" >/dev/null
  fi
  command -v "$1" >/dev/null || { echo "$1 is needed (Debian: apt-get install ${*:2})" >&2; exit 1; }
}
need node nodejs
need npm npm
need chromium chromium
fc-list 2>/dev/null | grep -q "Inter" || need fc-list fontconfig
fc-list | grep -qi "inter" || { [ "$(id -u)" = 0 ] && apt-get install -y -q fonts-inter >/dev/null 2>&1; } || true
version() { node -p "require('$here/../package.json').devDependencies['$1']"; }
for name in playwright-core axe-core; do
  want=$(version "$name")
  have=$(node -p "require('$cache/node_modules/$name/package.json').version" 2>/dev/null || true)
  [ "$have" = "$want" ] || npm install --prefix "$cache" --no-audit --no-fund --no-save --silent "playwright-core@$(version playwright-core)" "axe-core@$(version axe-core)"
done
(cd "$root" && "${GO:-go}" build -o "$cache/meterbridge" ./cmd/meterbridge)
export METERBRIDGE_PAGES_CACHE=$cache METERBRIDGE_PAGES_ROOT=$root
case $1 in
  *.test.mjs) exec node --test --test-concurrency=1 --test-reporter=spec "$here/$1" ;;
  *) exec node "$here/$1" "${@:2}" ;;
esac
