#!/bin/sh
# The steps of the Jenkinsfile and of scripts/jenkins: started with "review", "post" or "act" in a folder outside the
# workspace. Its settings are variables; docs/ci.md lists them. Nothing is installed from the workspace, and no
# program starts in it or is looked for there.
set -efu
PATH=$(IFS=:; for d in $PATH; do case $d in "$WORKSPACE"|"$WORKSPACE"/*|[!/]*|'') ;; *) printf '%s:' "$d" ;; esac; done)
PATH=${PATH%:} home=$WORKSPACE_TMP/wardround source=${WARDROUND_SOURCE:?set it to a trusted checkout of wardround}
action=${1:-review}
export PATH

run() {
  "$home/venv/bin/python" -I -m wardround "$@"
}

install() {
  rm -rf "$home"
  mkdir -m 700 "$home"
  cd "$home"
  also=
  case ${WARDROUND_RECORD_STORE:-} in postgres*) also=postgres ;; esac
  venv=$(python3 -I "$source/.ci/install.py" --outside="$WORKSPACE" --extras="${WARDROUND_EXTRAS:-all}" --also="$also" \
    --once="${WARDROUND_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/wardround/ci}")
  ln -s "$venv" "$home/venv"
}

review() {
  install
  set --
  if [ "${WARDROUND_BUILD:-}" = true ]; then set -- "$@" --build-environments; fi
  if [ -n "${WARDROUND_FAIL_ON_VERDICT:-}" ]; then set -- "$@" --fail-on-verdict="$WARDROUND_FAIL_ON_VERDICT"; fi
  run ci --provider=jenkins --repo="$WORKSPACE" --reports-dir="$home/reports" --run="${WARDROUND_RUN:-}" \
    --base-ref="${WARDROUND_BASE:-}" --head-ref="${WARDROUND_HEAD:-}" --config-from="${WARDROUND_CONFIG_FROM:-base}" \
    --fail-level="${WARDROUND_FAIL_LEVEL:-}" --filter-mode="${WARDROUND_FILTER_MODE:-}" \
    --ticket="${WARDROUND_TICKET:-}" --passphrase-env="${WARDROUND_PASSPHRASE_ENV:-}" "$@"
}

# The host, the repository and the number of the change request; the token is a variable of this step only.
on_change_request() {
  cd "$home"
  command=$1
  shift
  run "$command" "$home/reports/report.json" --host="${WARDROUND_HOST:-github}" \
    --repository="${WARDROUND_REPOSITORY:?set it to owner/name}" --change-request="${CHANGE_ID:?}" "$@"
}

case $action in
  review) review ;;
  post)
    if [ -n "${WARDROUND_API:-}" ]; then set -- --api="$WARDROUND_API"; else set --; fi
    on_change_request post --max-comments="${WARDROUND_MAX_COMMENTS:-5}" "$@"
    ;;
  act)
    if [ -n "${WARDROUND_API:-}" ]; then set -- --api="$WARDROUND_API"; else set --; fi
    if [ -n "${WARDROUND_ACT_KEY:-}" ]; then
      set -- "$@" --record="$home/reports/review.intoto.jsonl" --key="$WARDROUND_ACT_KEY"
    else
      set -- "$@" --unsigned
    fi
    if [ "${WARDROUND_ACT:-}" = apply ]; then set -- "$@" --apply; fi
    on_change_request act --approve-as="${WARDROUND_APPROVE_AS:-}" "$@"
    ;;
  *)
    echo "wardround: $action is none of review, post and act" >&2
    exit 2
    ;;
esac
