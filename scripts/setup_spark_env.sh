#!/usr/bin/env bash
# Set up .venv-spark in this checkout: PyTorch for CUDA 13, onnxruntime with CUDA, training, dashboard and tests.
# For a DGX Spark (GB10, aarch64) and for x86-64 machines with an NVIDIA GPU; docs/gpu.md describes it.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: scripts/setup_spark_env.sh [--dry-run] [--cpu]

  --dry-run  Print every command, and run none.
  --cpu      Set up without a GPU: PyTorch and onnxruntime of the CPU, the same checks.

Variables:
  PYTHON           Python of the environment, 3.11 to 3.13 (default: python3)
  VENV             folder of the environment (default: .venv-spark)
  TORCH_INDEX_URL  package index for PyTorch (default: that of pip, whose builds for Linux are for CUDA 13)
TEXT
}

readonly least_driver=580 least_disk_gb=20
extras=train,qlora,gpu,dashboard,dev
torch='torch>=2.11,<2.14' # older builds of the default index are for CUDA 12
python=${PYTHON:-python3}
venv=${VENV:-.venv-spark}
dry_run=
cpu=
problems=0

problem() {
  printf 'setup_spark_env: %s\n' "$1" >&2
  problems=$((problems + 1))
}

fail() {
  printf 'setup_spark_env: %s\n' "$1" >&2
  exit 1
}

quoted() {
  local word
  for word; do
    case $word in
      *[!A-Za-z0-9_./=:-]* | '') printf ' %s' "${word@Q}" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
}

# Run a command, or print it as a shell would read it.
run() {
  if [ -n "$dry_run" ]; then
    printf '+%s\n' "$(quoted "$@")"
  else
    "$@"
  fi
}

write_lines() {
  local file=$1
  shift
  if [ -n "$dry_run" ]; then
    printf '+ write%s:%s\n' "$(quoted "$file")" "$(quoted "$@")"
  else
    printf '%s\n' "$@" >"$file"
  fi
}

check_machine() {
  local machine
  machine=$(uname -m)
  case $machine in
    aarch64 | x86_64) ;;
    *) problem "there are no builds of PyTorch with CUDA for $machine; use an aarch64 or x86-64 machine" ;;
  esac
  [ "$(uname -s)" = Linux ] || problem "the environment is for Linux, and this is $(uname -s)"
}

check_python() {
  local version
  if ! version=$("$python" -c 'import sys; print(*sys.version_info[:2], sep=".")' 2>/dev/null); then
    problem "$python does not run; install Python 3.11 to 3.13, or name one in PYTHON"
    return
  fi
  case $version in
    3.11 | 3.12 | 3.13) ;;
    *) problem "$python is Python $version; name one of 3.11 to 3.13 in PYTHON" ;;
  esac
  "$python" -c 'import ensurepip, venv' 2>/dev/null ||
    problem "$python has no venv; install it (Debian and Ubuntu: python$version-venv)"
}

check_disk() {
  local free
  free=$(df -Pk . | awk 'NR == 2 { print int($4 / 1000000) }')
  [ "$free" -ge "$least_disk_gb" ] ||
    problem "$free GB of disk are free, and the environment needs $least_disk_gb; make room"
}

check_gpu() {
  local found driver
  if ! command -v nvidia-smi >/dev/null; then
    problem "nvidia-smi is not on PATH; install the NVIDIA driver $least_driver or newer, or give --cpu"
    return
  fi
  if ! found=$(nvidia-smi --query-gpu=driver_version,name --format=csv,noheader 2>&1); then
    problem "nvidia-smi finds no GPU (${found%%$'\n'*}); repair the driver, or give --cpu"
    return
  fi
  driver=${found%%.*}
  case $driver in
    '' | *[!0-9]*) problem "nvidia-smi reports no driver version (${found%%$'\n'*}); install the driver again" ;;
    *) [ "$driver" -ge "$least_driver" ] ||
      problem "the NVIDIA driver ${found%%,*} is older than $least_driver, which CUDA 13 needs; upgrade it" ;;
  esac
}

make_venv() {
  if [ -e "$venv" ] && ! [ -e "$venv/pyvenv.cfg" ]; then
    fail "$venv exists and is not an environment of Python; remove it, or name another folder in VENV"
  fi
  # Without uv the last run was interrupted here: venv repairs what it finds.
  [ -x "$venv/bin/uv" ] || run "$python" -m venv "$venv" ||
    fail "$venv cannot be written; check the permissions and the free space of this folder"
  run "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --upgrade uv ||
    fail "uv cannot be installed in $venv; check the network and the package index of pip"
}

install() {
  local torch_options=() overrides=()
  if [ -n "${TORCH_INDEX_URL:-}" ]; then
    torch_options=(--index-url "$TORCH_INDEX_URL")
  fi
  run "$venv/bin/uv" pip install --python "$venv/bin/python" "${torch_options[@]}" "$torch" ||
    fail "PyTorch cannot be installed; check the network, and TORCH_INDEX_URL if it is set"

  # The extras would replace PyTorch by a build whose CUDA libraries suit onnxruntime's, or by another version.
  write_lines "$venv/constraints.txt" "torch==$(torch_version)"
  # onnxruntime and onnxruntime-gpu contain the same files: only one of them may be installed.
  [ -n "$cpu" ] || overrides+=('onnxruntime; sys_platform == "never"')
  if [ "$(uname -m)" = aarch64 ]; then
    overrides+=('onnxruntime-genai; sys_platform == "never"')
    echo "onnxruntime-genai has no build for aarch64: local chat models and the export of kind: chat are not available"
  fi
  write_lines "$venv/overrides.txt" "${overrides[@]-}"
  run "$venv/bin/uv" pip install --python "$venv/bin/python" --constraint "$venv/constraints.txt" \
    --overrides "$venv/overrides.txt" --editable ".[$extras]" ||
    fail "the extras $extras cannot be installed; the lines above name the package, run this script again after"
}

torch_version() {
  if [ -n "$dry_run" ]; then
    echo VERSION
  else
    "$venv/bin/python" -c 'import importlib.metadata; print(importlib.metadata.version("torch"))'
  fi
}

verify() {
  local required=(--require-gpu)
  [ -z "$cpu" ] || required=()
  run "$venv/bin/wardround" adapters environment --trial "${required[@]}" ||
    fail "the environment is installed, and a check failed; the lines above name what is missing"
}

while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry_run=1 ;;
    --cpu)
      cpu=1
      extras=train,qlora,dashboard,dev
      ;;
    -h | --help)
      usage
      exit 0
      ;;
    *)
      usage >&2
      fail "unknown argument $1"
      ;;
  esac
  shift
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
check_machine
check_python
check_disk
[ -n "$cpu" ] || check_gpu
[ "$problems" = 0 ] || [ -n "$dry_run" ] || exit 1
make_venv
install
verify
[ -n "$dry_run" ] || echo "ready: . $venv/bin/activate, then scripts/start_dashboard.sh"
