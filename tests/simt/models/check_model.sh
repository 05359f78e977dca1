#!/bin/sh
# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# check_model.sh <model.pml> <right|wrong> [-D...]: searches all states of a model. `right`: there must be no error;
# `wrong`: a fault is planted and must be found. Prints the number of states.
set -eu
model=$1 expected=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
spin -a "$@" "$model" >spin.log || { cat spin.log; exit 1; }
cc -O1 -w -DSAFETY -DCOLLAPSE -DMEMLIM=1500 -o pan pan.c
./pan -m1000000 >pan.log 2>&1 || true
states=$(sed -n 's/^ *\([0-9.e+]*\) states, stored.*/\1/p' pan.log)
errors=$(sed -n 's/.*errors: \([0-9]*\).*/\1/p' pan.log)
echo "$(basename "$model") $*: ${states:-?} states stored, errors: ${errors:-?}"
if grep -qE 'max search depth too small|out of memory|Search not completed' pan.log && [ "$expected" = right ]; then
    cat pan.log
    exit 1
fi
case $expected in
right) [ "$errors" = 0 ] ;;
wrong) [ "${errors:-0}" != 0 ] ;;
esac || { cat pan.log; exit 1; }
