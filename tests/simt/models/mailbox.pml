// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The mailbox: ranks exchange slots call after call, through the wrap of the epoch.
//
// Models include/rankfold/device/mailbox.cuh (mailbox::exchange, push, await, finish, and epoch_after). A slot is a
// fingerprint word and a payload word. Words in flight arrive late and in any order. A payload word that the kernel has
// seen before the fingerprints agreed is taken here after that: it has the epoch of the call, and stays.
//
// Checked without FAILURES: no call hangs; every rank gets every word of this call and no other; no word is overwritten
// unread; who leaves a call has seen that all ranks began it; all ranks find the same verdict.
// With FAILURES one rank may stop, deadlines may pass, abort words may be set at any time, and a rank may have failed when a
// call begins: every rank comes to an end, sends nothing after a failure but the error that tells of it, and still takes no
// wrong word. A call that overlaps with another is such a beginning: it waits for its turn. (The fingerprint is one word here:
// in the kernel the error of one that was sent is a word of it, and replaced alone.)
//
// Faults, each of which must be found: ONE_HALF (halves do not alternate), ONLY_LOWER (a rank waits for lower ranks only),
// NO_CLEAR (at the wrap), WRAP_TO_ONE (the epoch after the last uses the same half again), NO_EPOCH (payload taken as is).

#ifndef RANKS
#define RANKS 2
#endif
#ifndef LAST_EPOCH
#define LAST_EPOCH 5   // odd, as 2^32 - 1 is
#endif
#ifndef CALLS
#define CALLS 9
#endif

#ifdef ONE_HALF
#define HALF(e) 0
#else
#define HALF(e) ((e) % 2)
#endif
#ifdef WRAP_TO_ONE
#define AFTER_LAST 1
#else
#define AFTER_LAST 2
#endif
// The same on all ranks. Words of calls without payload keep what they held: the next call of that epoch may find them.
#define HAS_PAYLOAD(c) (((c) / 2) % 2 == 0)
// word w of the slot of rank `from` in the mailbox of rank `to`
#define AT(to, half, from, w) ((((to) * 2 + (half)) * RANKS + (from)) * 2 + (w))
#define WORDS (RANKS * RANKS * 4)

#define ERROR 255 // in place of the call in a fingerprint word

byte stamp[WORDS], datum[WORDS];   // the mailboxes: epoch, and the call that sent the word
byte fly_stamp[WORDS], fly_datum[WORDS]; // what is on its way to a word; stamp 0: nothing
byte began[RANKS];                 // the last call that a rank began
byte failed_at[RANKS];             // 0, or the call in which it failed
byte other_at, other;              // rank `other` calls something else in call other_at
byte ended;

// At once, since delivery comes when it likes; to itself without delay.
inline push(w, what)
{
    atomic {
        to = 0;
        do
        :: to < RANKS && to != me ->
            assert(fly_stamp[AT(to, HALF(e), me, w)] == 0);
            fly_stamp[AT(to, HALF(e), me, w)] = e;
            fly_datum[AT(to, HALF(e), me, w)] = what;
            to++
        :: to == me -> stamp[AT(me, HALF(e), me, w)] = e; datum[AT(me, HALF(e), me, w)] = what; to++
        :: to == RANKS -> break
        od;
        to = 0
    }
}

inline sent(w)
{
    atomic {
        to = 0;
        do
        :: to < RANKS && fly_stamp[AT(to, HALF(e), me, w)] == 0 -> to++
        :: to == RANKS -> break
        od;
        to = 0
    }
}

#define DELIVER(i) :: d_step { fly_stamp[i] != 0 -> stamp[i] = fly_stamp[i]; datum[i] = fly_datum[i]; \
                               fly_stamp[i] = 0; fly_datum[i] = 0 }
#define DELIVER4(i) DELIVER(i) DELIVER(i + 1) DELIVER(i + 2) DELIVER(i + 3)

proctype network()
{
    do
    DELIVER4(0) DELIVER4(4) DELIVER4(8) DELIVER4(12)
#if RANKS == 3
    DELIVER4(16) DELIVER4(20) DELIVER4(24) DELIVER4(28) DELIVER4(32)
#endif
    :: ended == RANKS -> break
    od
}

proctype rank(byte me)
{
    byte e, call, from, to, verdict;

    do
    :: call < CALLS ->
#ifdef FAILURES
        if
        :: true
        :: me == 0 -> break // gone for good
        fi;
#endif
        atomic {
            call++;
            e = (e == LAST_EPOCH -> AFTER_LAST : e + 1);
            began[me] = call;
            verdict = 0
        };
#ifdef FAILURES
        if
        :: true
        :: failed_at[me] = call; goto tell // before the call
        fi;
#endif
        push(0, call);
        if
        :: HAS_PAYLOAD(call) -> push(1, call)
        :: else
        fi;
        from = 0;
        do
        :: from < RANKS && stamp[AT(me, HALF(e), from, 0)] == e ->
            atomic {
                assert(datum[AT(me, HALF(e), from, 0)] == call || datum[AT(me, HALF(e), from, 0)] == ERROR);
                verdict = (datum[AT(me, HALF(e), from, 0)] == ERROR -> 1 : verdict);
                verdict = (call == other_at && (from == other) != (me == other) -> 1 : verdict);
                from++
            }
#ifdef ONLY_LOWER
        :: from < RANKS && from > me -> from++
#endif
#ifdef FAILURES
        :: from < RANKS -> failed_at[me] = call; goto tell // the deadline or the abort word
#endif
        :: from == RANKS -> break
        od;
        from = 0;
        do
        :: from < RANKS -> atomic { assert(began[from] >= call); from++ }
        :: else -> break
        od;
        if
        :: verdict != 0 -> failed_at[me] = call; goto tell
        :: else
        fi;
        from = (HAS_PAYLOAD(call) -> 0 : RANKS);
        do
#ifdef NO_EPOCH
        :: from < RANKS ->
#else
        :: from < RANKS && stamp[AT(me, HALF(e), from, 1)] == e ->
#endif
            atomic { assert(datum[AT(me, HALF(e), from, 1)] == call); from++ }
#ifdef FAILURES
        :: from < RANKS -> failed_at[me] = call; goto tell
#endif
        :: from == RANKS -> break
        od;
        from = 0;
#ifndef NO_CLEAR
        if
        :: e >= LAST_EPOCH - 1 ->
            do
            :: from < RANKS -> atomic { stamp[AT(me, HALF(e), from, 0)] = 0; stamp[AT(me, HALF(e), from, 1)] = 0;
                                        datum[AT(me, HALF(e), from, 0)] = 0; datum[AT(me, HALF(e), from, 1)] = 0;
                                        from++ }
            :: else -> break
            od;
            from = 0
        :: else
        fi
#endif
    :: else -> break
    od;
    goto leave;
tell:
    sent(0); // stores to a word arrive in their order
    push(0, ERROR);
leave:
    atomic { call = 0; e = 0; from = 0; to = 0; verdict = 0; ended++ }
}

init {
    byte r;
    atomic {
        if // at most one call in which one rank does something else
        :: other_at = 0
#ifndef FAILURES
        :: other_at = CALLS - 1; other = RANKS - 1
#endif
        fi;
        run network();
        do
        :: r < RANKS -> run rank(r); r++
        :: else -> break
        od
    };
    ended == RANKS;
#ifndef FAILURES
    r = 0;
    do
    :: r < RANKS -> atomic { assert(failed_at[r] == other_at); r++ }
    :: else -> break
    od
#endif
}
