#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# Builds field_stats and runs it on the EGM96 geoid, with whatever GPUs there are: one rank on each of several, else 4 ranks.
set -euo pipefail
# shellcheck source=setup.sh
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# Where the geoid is not installed and cannot be: 181 x 360 integers, number i being (7919 i) mod 65160 - 32580.
make_synthetic_field() {
  local i value bytes=""
  for ((i = 0; i < 65160; ++i)); do
    value=$(((7919 * i % 65160 - 32580) & 0xFFFFFFFF))
    printf -v bytes '%s\\x%02x\\x%02x\\x%02x\\x%02x' "$bytes" $((value & 255)) $((value >> 8 & 255)) \
      $((value >> 16 & 255)) $((value >> 24))
    if ((${#bytes} > 4000)); then printf '%b' "$bytes"; bytes=""; fi
  done >"$1"
  printf '%b' "$bytes" >>"$1"
}

setup_machine build
preset=host options=()
if [[ $has_gpu == yes && -n $nvcc ]]; then
  preset=cuda options=("${cuda_options[@]}")
fi
build=$source_dir/build/$preset
say "building field_stats (preset $preset, $jobs jobs)"
configure "$preset" "${options[@]}"
cmake --build "$build" --target field_stats rankfold-run --parallel "$jobs"

field=("$geoid")
if [[ ! -e $geoid ]]; then
  say "$geoid (Debian package proj-data) is not there: a synthetic field stands in"
  make_synthetic_field "$build/synthetic.i4"
  # shellcheck disable=SC2054
  field=("$build/synthetic.i4" --type int32 --shape 181,360)
fi
[[ ! -t 2 ]] || field+=(--progress always)

ranks=4 share=(--share-gpus)
if [[ $preset == cuda ]] && ((gpu_count > 1)); then
  ranks=$gpu_count share=() # they exchange through each other's memory
fi
launch=("$build/launcher/rankfold-run" -n "$ranks" --oversubscribe "${share[@]}" --) # each rank near its GPU
say "rankfold-run ${launch[*]:1} field_stats ${field[*]}"
"${launch[@]}" "$build/examples/field_stats" "${field[@]}"
