#!/usr/bin/env bash
# Start `wardround dashboard` from .venv-spark, or else from the environment on PATH; arguments are passed on.
set -euo pipefail

fail() {
  printf 'start_dashboard: %s\n' "$1" >&2
  exit 1
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=${VENV:-$root/.venv-spark}
if [ -x "$venv/bin/wardround" ]; then
  wardround=$venv/bin/wardround
elif ! wardround=$(command -v wardround); then
  fail "$venv has no wardround, and none is on PATH; run scripts/setup_spark_env.sh"
fi
"$wardround" dashboard --help >/dev/null ||
  fail "$wardround does not run; run scripts/setup_spark_env.sh again"
exec "$wardround" dashboard "$@"
