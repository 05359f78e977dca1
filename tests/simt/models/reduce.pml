// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The reduction whose last draw folds, over several launches on one workspace.
//
// Models include/rankfold/device/reduce.cuh (reduce_kernel::run, finish), chunk_partials.cuh (fold_run), await.cuh and
// control.cuh (draw_entry, begin_close, end_close): the last draw closes before it waits, unless epochs repeat after it. A
// partial is one stamped word. ONE_PASS: one_pass_reduce.cuh (run, meet), where every block has one chunk.
//
// Checked: no launch hangs with RESIDENT blocks at once, in whatever order they start; one block folds, every chunk once,
// from this launch; no draws are left; no stamp from before the wrap of the epoch is taken for a new one.
//
// Faults, each of which must be found: FIRST_FOLDS (the block with the first failing draw), NO_RESET (of the draws),
// NO_CLEAR (at the wrap), CLOSE_AT_WRAP (before it waits, as at any other time).

#ifndef BLOCKS
#define BLOCKS 3
#endif
#ifndef RESIDENT
#define RESIDENT 2
#endif
#define MOST_CHUNKS (BLOCKS + 2)
#define LAST_EPOCH 3
#ifndef LAUNCHES
#define LAUNCHES 5
#endif

byte draws, epoch, most;              // struct control
byte stamp[MOST_CHUNKS], data[MOST_CHUNKS];
byte chunks, launch, folded;          // of the launch that runs
byte blocks, resident, finished;

#ifdef CLOSE_AT_WRAP
#define CLOSES_FIRST true
#else
#define CLOSES_FIRST (mine != LAST_EPOCH)
#endif

inline close()
{
    if
    :: chunks > most -> most = chunks
    :: else
    fi;
    if
    :: mine == LAST_EPOCH ->
#ifndef NO_CLEAR
        t = 0;
        do
        :: t < most -> stamp[t] = 0; t++
        :: else -> break
        od;
#endif
        epoch = 0
    :: else -> epoch = mine
    fi;
#ifndef NO_RESET
    draws = 0
#endif
}

inline draw() { d_step { mine = epoch + 1; number = draws; draws++ } }

proctype block(byte index)
{
    byte mine, number, chunk, t;

    atomic { resident < RESIDENT -> resident++ }
    chunk = index;
    do
    :: true ->
        draw();
        d_step { stamp[chunk] = mine; data[chunk] = launch };
        chunk = BLOCKS + number;
        if
        :: chunk >= chunks -> break
        :: else
        fi
    od;
    if
#ifdef FIRST_FOLDS
    :: number + BLOCKS == chunks ->
#else
    :: number == chunks - 1 ->
#endif
        if
        :: CLOSES_FIRST -> close()
        :: else
        fi;
        t = 0;
        do
        :: t < chunks -> atomic { stamp[t] == mine -> assert(data[t] == launch); t++ }
        :: else -> break
        od;
        folded++;
        if
        :: !(CLOSES_FIRST) -> close()
        :: else
        fi
    :: else
    fi;
    d_step { resident--; finished++ }
}

init {
    byte b;
    do
    :: launch < LAUNCHES ->
        atomic {
            launch++;
            if // launches of any length share the workspace
#ifdef ONE_PASS
            :: chunks = BLOCKS - 1
#else
            :: chunks = MOST_CHUNKS
#endif
            :: chunks = BLOCKS
            fi;
            blocks = (chunks < BLOCKS -> chunks : BLOCKS);
            finished = 0; folded = 0;
            b = 0;
            do
            :: b < blocks -> run block(b); b++
            :: else -> break
            od
        };
        finished == blocks && _nr_pr == 1;
        d_step { assert(folded == 1); assert(draws == 0) }
    :: else -> break
    od
}
