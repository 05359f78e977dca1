// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Look-back with draws and epochs, over several launches on one workspace.
//
// Models include/rankfold/device/lookback_scan.cuh (lookback_scan_kernel::run, publish_and_look_back), await.cuh,
// value.cuh (store_stamped, stamped_view) and control.cuh (draw_entry, close_after_last, close_at_wrap). A fold is two
// stamped words, stored and read one by one, in either order.
//
// Checked: no launch hangs with RESIDENT blocks at once; every tile takes each earlier fold once, from this launch;
// all draws of a launch tell the same epoch, and none are left; no stamp from before the wrap of the epoch is taken
// for a new one.
//
// Faults, each of which must be found: NO_DRAW (tiles follow from block indices), NO_RESET (of the draws), CLOSE_EARLY
// (by the draw before the last), ONE_WORD (a fold counts as there when its first word is), NO_CLEAR (at the wrap),
// NO_ARRIVAL (the wrap does not wait for those who still look).

#ifndef BLOCKS
#define BLOCKS 3
#endif
#ifndef RESIDENT
#define RESIDENT 2
#endif
#ifndef TILES
#define TILES 3
#endif
#define LAST_EPOCH 3
#ifndef LAUNCHES
#define LAUNCHES 5
#endif

byte draws, epoch;                  // the entry word
byte arrived, most;                 // the rest of struct control
byte stamp[TILES * 2], data[TILES * 2]; // a word is a stamp and a datum: the launch that wrote it
byte tiles, launch;                 // of the launch that runs
byte resident, finished;

inline close_draws()
{
#ifndef NO_RESET
    draws = 0
#else
    skip
#endif
}

inline store_word(tile, half) { d_step { stamp[(tile) * 2 + half] = mine; data[(tile) * 2 + half] = launch; } }

proctype block(byte index)
{
    byte mine, number, tile, t, old;
    bool seen0, seen1;

    atomic { resident < RESIDENT -> resident++ }
    old = index;
    do
    :: true ->
        d_step {
            assert(mine == 0 || mine == epoch + 1);
            mine = epoch + 1; number = draws; draws++;
#ifdef NO_DRAW
            tile = old; old = old + BLOCKS
#else
            tile = number
#endif
        };
        if
#ifdef CLOSE_EARLY
        :: number == tiles + BLOCKS - 2 && mine != LAST_EPOCH ->
#else
        :: number == tiles + BLOCKS - 1 && mine != LAST_EPOCH -> // close_after_last
#endif
            if
            :: tiles > most -> most = tiles
            :: else
            fi;
            d_step { epoch = mine; close_draws() }
        :: else
        fi;
        if
        :: tile >= tiles -> break
        :: else
        fi;
        if // relaxed stores of one thread to two words: in any order
        :: store_word(tile, 0); store_word(tile, 1)
        :: store_word(tile, 1); store_word(tile, 0)
        fi;
        t = 0;
        do
        :: t < tile ->
            seen0 = false; seen1 = false;
            do
            :: !seen0 && stamp[t * 2] == mine -> d_step { assert(data[t * 2] == launch); seen0 = true }
#ifdef ONE_WORD
            :: seen0 && !seen1 -> d_step { assert(data[t * 2 + 1] == launch); seen1 = true }
#else
            :: !seen1 && stamp[t * 2 + 1] == mine -> d_step { assert(data[t * 2 + 1] == launch); seen1 = true }
#endif
            :: seen0 && seen1 -> break
            od;
            t++
        :: else -> break
        od
    od;
    if
    :: mine == LAST_EPOCH -> // close_at_wrap
#ifdef NO_ARRIVAL
        old = 0;
#else
        atomic { arrived = (arrived == BLOCKS - 1 -> 0 : arrived + 1); old = arrived };
#endif
        if
        :: old == 0 ->
            if
            :: tiles > most -> most = tiles
            :: else
            fi;
#ifndef NO_CLEAR
            t = 0;
            do
            :: t < most -> d_step { stamp[t * 2] = 0; stamp[t * 2 + 1] = 0; t++ }
            :: else -> break
            od;
#endif
            atomic { epoch = 0; close_draws() }
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
            :: tiles = TILES
            :: tiles = 1
            fi;
            finished = 0;
            b = 0;
            do
            :: b < BLOCKS -> run block(b); b++
            :: else -> break
            od
        };
        finished == BLOCKS && _nr_pr == 1;
        d_step { assert(arrived == 0); assert(draws == 0) }
    :: else -> break
    od
}
