#!/bin/sh
# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# The tests of tests/gpu under compute-sanitizer, the tools side by side:
#   tests/gpu/sanitize.sh BUILD_FOLDER [TOOL ...]       (default: memcheck racecheck initcheck synccheck)
# RANKFOLD_TEST_REDUCED, which this sets and the tests honour, makes pieces small and repeats few (tests/gpu/device.hpp);
# tests that need large pieces or kernels side by side skip. What the tools and tests say goes to BUILD_FOLDER/sanitize/.
# Prints one line per tool, and what was found. Status: 0 clean, 1 findings or failed tests, 2 could not run.
set -u
build=${1:?usage: sanitize.sh BUILD_FOLDER [TOOL ...]}
shift
[ $# -gt 0 ] || set -- memcheck racecheck initcheck synccheck
limit_s=340 # of a tool
logs=$build/sanitize
export RANKFOLD_TEST_REDUCED=1

command -v compute-sanitizer >/dev/null || { echo "sanitize.sh: no compute-sanitizer in PATH" >&2; exit 2; }
ls "$build"/tests/gpu/test_gpu_* >/dev/null 2>&1 || { echo "sanitize.sh: no tests in $build/tests/gpu" >&2; exit 2; }
mkdir -p "$logs" || exit 2

# Runs every test program under one tool. Status: 0 where all were clean.
run_tool() {
  tool=$1 programs=0 bad='' began=$(date +%s)
  for program in "$build"/tests/gpu/test_gpu_*; do
    name=${program##*/test_gpu_}
    log=$logs/$tool.$name.txt
    left=$((began + limit_s - $(date +%s)))
    timeout "$((left > 1 ? left : 1))" compute-sanitizer --tool "$tool" --error-exitcode 9 "$program" >"$log" 2>&1
    status=$?
    programs=$((programs + 1))
    case $status in
      0) continue ;;
      9) bad="$bad $name: findings;" ;;
      124) bad="$bad $name: out of time;" ;;
      *) bad="$bad $name: failed ($status);" ;;
    esac
    echo "== $log"
    grep -E '^=========|FAILED|error' "$log" | head -n 40
  done
  echo "$tool: $programs programs, $(($(date +%s) - began)) s:${bad:- clean}"
  [ -z "$bad" ]
}

jobs=''
for tool in "$@"; do
  run_tool "$tool" >"$logs/$tool.summary" &
  jobs="$jobs $!"
done
failed=0
for job in $jobs; do
  wait "$job" || failed=1
done
for tool in "$@"; do
  cat "$logs/$tool.summary"
done
exit $failed
