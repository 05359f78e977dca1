#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# one_error.sh MESSAGE FOLDER COMPILER FLAGS...: every public header of FOLDER, compiled alone, is refused in one line that
# holds MESSAGE; what follows may only be the file that is missing so that the compiler stops.
set -euo pipefail
message=$1 folder=$2 wrong=0 seen=0
shift 2
for header in "$folder"/rankfold/*.hpp; do
  [[ $header != */cuda.hpp ]] || continue # includes CUDA
  seen=$((seen + 1))
  output=$("$@" -fsyntax-only -x c++ "$header" 2>&1) && { echo "$header compiles"; wrong=1; }
  errors=$(grep ' error: ' <<<"$output" | grep -v 'rankfold/stop_here' || true)
  if [[ $(wc -l <<<"$errors") != 1 || $errors != *"$message"* ]]; then
    printf '%s:\n%s\n' "$header" "$output" | head -20
    wrong=1
  fi
done
((seen > 10)) || { echo "only $seen headers in $folder"; wrong=1; }
exit "$wrong"
