#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# Builds and passes every test that this machine can run; the last line says what passed, and what could not be run.
# RANKFOLD_FULL=1: CUDA code for all architectures and all pairs of type and operator.
# RANKFOLD_MPI=mpich: the tests of the host backend, all of them, with MPICH, in a build folder of its own.
set -euo pipefail
# shellcheck source=setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
passed=() failed=() not_run=()

# build PRESET [targets]
build() {
  local preset=$1 targets=()
  shift
  (($# == 0)) || targets=(--target "$@")
  say "building $preset ($jobs jobs)"
  cmake --build "$source_dir/build/$preset" --parallel "$jobs" "${targets[@]}"
}

# run_tests PRESET [ctest options]: notes the count in the summary.
run_tests() {
  local preset=$1 log=$source_dir/build/ctest-$1.log code=0
  shift
  say "testing $preset"
  (cd "$source_dir" && ctest --preset "$preset" -j "$test_jobs" "$@") 2>&1 | tee "$log" || code=$?
  tests_run=$(sed -n 's/.* tests failed out of \([0-9]*\)$/\1/p' "$log" | tail -1)
  return "$code"
}

# Notes the outcome of a stage.
note() {
  if (($2 == 0)); then passed+=("$1${3:+ ($3)}"); else failed+=("$1"); fi
}

check_format() {
  local version files
  if ! have clang-format; then
    not_run+=("clang-format (not installed)")
    return
  fi
  version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
  if ((version != 14)); then
    not_run+=("clang-format (14 is needed, here is $version)") # others format differently
    return
  fi
  mapfile -d '' -t files < <(cd "$source_dir" && find include lib launcher examples bench tests -type f \
    \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cuh' -o -name '*.cu' -o -name '*.h' \) -print0)
  (cd "$source_dir" && clang-format --dry-run --Werror "${files[@]}") && note clang-format 0 || note clang-format 1
}

check_host() {
  tests_run=""
  configure host && build host && run_tests host -LE 'gpu' && note host 0 "$tests_run tests" || note host 1
}

# With MPICH (Debian's, beside the other one): all tests of the host backend, or with an argument those of a label.
check_mpich() {
  local selection=(-LE gpu) programs=()
  if ((${#mpich_options[@]} == 0)); then
    not_run+=("MPICH (mpicxx.mpich not found)")
    return
  fi
  tests_run=""
  configure host-mpich "${mpich_options[@]}" || { note MPICH 1; return; }
  if (($# > 0)); then
    selection=(-L "$1")
    mapfile -t programs < <(programs_of_tests host-mpich "${selection[@]}")
    ((${#programs[@]} > 0)) || { note MPICH 1; return; }
  fi
  build host-mpich "${programs[@]}" && run_tests host-mpich "${selection[@]}" && note MPICH 0 "$tests_run tests" || note MPICH 1
}

# The programs that the tests of a selection (ctest options) start: CTest itself knows them only when they are built.
programs_of_tests() {
  local preset=$1 build=$source_dir/build/$1 name
  shift
  (cd "$source_dir" && ctest --preset "$preset" -N "$@" 2>/dev/null) | sed -n 's/^ *Test *#[0-9]*: //p' |
    while read -r name; do
      grep -rhF --include=CTestTestfile.cmake "add_test([=[$name]=]" "$build" | grep -o "\"$build/[^\"]*\"" |
        tr -d '"' | xargs -r -n1 basename || true # some start no program of ours
    done | sort -u
}

# A part: kernels, protocols and the order and memory of the host backend, within the time that a check may take.
check_sanitized() {
  local selection=(-L 'unit|simt' -E '^(launcher|topology|examples|simt\.model|host\.builtin|host\.numerics)') programs
  tests_run=""
  configure host-asan && mapfile -t programs < <(programs_of_tests host-asan "${selection[@]}") &&
    ((${#programs[@]} > 0)) && build host-asan "${programs[@]}" && run_tests host-asan "${selection[@]}" &&
    note host-asan 0 "$tests_run tests" || note host-asan 1
}

check_cuda() {
  if [[ -z $nvcc ]]; then
    not_run+=("CUDA compilation (nvcc not found)" "GPU tests (no CUDA build)")
    return
  fi
  configure cuda "${cuda_options[@]}" || { note "CUDA compilation" 1; return; }
  if grep -q 'CUDA backend off' "$source_dir/build/configure-cuda.log"; then
    not_run+=("CUDA compilation (NCCL not found)" "GPU tests (no CUDA build)")
    return
  fi
  if [[ $has_gpu == no ]]; then
    # Rows of all sizes, and the tests that only look.
    build cuda rankfold test_gpu_user_types test_core_core_set &&
      run_tests cuda -R '^core\.core_set$' && note "CUDA compilation" 0 || note "CUDA compilation" 1
    not_run+=("GPU tests (no GPU)")
    return
  fi
  tests_run=""
  build cuda && note "CUDA compilation" 0 && run_tests cuda -L 'gpu|multigpu' &&
    note "GPU tests" 0 "$tests_run tests" || note "CUDA build or GPU tests" 1
}

joined() { local IFS=,; printf '%s' "$*" | sed 's/,/, /g'; }

setup_machine tests
test_jobs=$((jobs > 8 ? jobs / 4 : 2))
check_format
if [[ ${RANKFOLD_MPI:-} == mpich ]]; then
  ((${#mpich_options[@]} > 0)) || die "RANKFOLD_MPI=mpich: mpicxx.mpich and mpiexec.mpich are needed (mpich, libmpich-dev)"
  check_mpich
elif [[ -z ${RANKFOLD_MPI:-} ]]; then
  check_host
  check_sanitized
  check_cuda
else
  die "RANKFOLD_MPI is '$RANKFOLD_MPI', must be mpich, or not set for the MPI that mpicxx stands for"
fi
[[ -z $lacking_tools ]] || not_run+=("tests that need: $lacking_tools")

summary="passed: $(joined "${passed[@]:-nothing}")"
((${#not_run[@]} == 0)) || summary+="; could not be run here: $(joined "${not_run[@]}")"
if ((${#failed[@]} > 0)); then
  printf 'check FAILED: %s; %s\n' "$(joined "${failed[@]}")" "$summary"
  exit 1
fi
printf 'check %s\n' "$summary"
