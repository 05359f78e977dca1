#!/bin/sh
# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# The tests of tests/gpu at reduced sizes under compute-sanitizer:
#   tests/gpu/sanitize.sh BUILD_FOLDER [TOOL ...]       (default: memcheck racecheck initcheck synccheck)
set -u
build=${1:?usage: sanitize.sh BUILD_FOLDER [TOOL ...]}
shift
[ $# -gt 0 ] || set -- memcheck racecheck initcheck synccheck
export RANKFOLD_TEST_REDUCED=1
failed=0
for tool in "$@"; do
  for program in "$build"/tests/gpu/test_gpu_*; do
    [ -x "$program" ] || continue
    echo "== $tool $(basename "$program")"
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$program" --gtest_brief=1 || failed=1
  done
done
exit $failed
