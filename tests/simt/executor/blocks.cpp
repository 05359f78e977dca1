// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the threads of one block do together: barriers, exchanges within warps. And the text that describes
// them.
#include "state.hpp"

#include <cstring>
#include <map>

namespace rankfold::simt::executor {
namespace {

void arrive(int number, int participants, const char* name, site where)
{
    machine::state& s = current();
    thread& t = s.enter(name, where);
    barrier_state& b = t.home->barriers[number];
    if (b.waiting.empty()) {
        b.participants = participants;
        b.line = where.line();
    } else if (b.participants != participants) {
        s.fail(fault::divergence, "barrier " + std::to_string(number) + " is named with " +
                                      std::to_string(b.participants) + " and with " +
                                      std::to_string(participants) + " participants");
        s.stop();
    } else if (number == 0 && b.line != where.line()) {
        s.fail(fault::divergence, "threads of one block meet in the block barriers of lines " +
                                      std::to_string(b.line) + " and " + std::to_string(where.line()));
        s.stop();
    }
    b.joined.join(t.memory.current);
    if (static_cast<int>(b.waiting.size()) + 1 < participants) {
        b.waiting.push_back(&t);
        s.wait();
        return;
    }
    s.changed();
    std::vector<thread*> all = std::move(b.waiting);
    b.waiting.clear();
    t.memory.join(b.joined);
    for (thread* other : all) {
        other->memory.join(b.joined);
        s.make_ready(*other);
    }
    b.joined.clear();
}

std::uint32_t ballot_of(const thread* lanes, int count)
{
    std::uint32_t result = 0;
    for (int l = 0; l < count; ++l) {
        result |= static_cast<std::uint32_t>(lanes[l].offer.flag) << l;
    }
    return result;
}

/// All lanes are here: gives each what it asked for.
void deliver(thread* lanes, int count)
{
    const std::uint32_t flags = ballot_of(lanes, count);
    view joined;
    for (int l = 0; l < count; ++l) {
        const lane_offer& o = lanes[l].offer;
        if (o.in != nullptr) {
            std::memcpy(o.out, lanes[o.source_lane].offer.in, o.bytes);
        } else if (o.out != nullptr) {
            std::memcpy(o.out, &flags, sizeof flags);
        } else {
            joined.join(lanes[l].memory.current);
        }
    }
    for (int l = 0; l < count; ++l) {
        if (lanes[l].offer.out == nullptr) { // sync_warp orders memory, exchanges do not
            lanes[l].memory.join(joined);
        }
    }
}

/// The lanes of the running thread's warp meet; the last one delivers.
void meet(const lane_offer& offer, site where)
{
    machine::state& s = current();
    thread& t = s.enter(offer.name, where);
    const int width = t.home->kernel->what.warp_size;
    thread* lanes = &t.home->threads[static_cast<std::size_t>(t.index / width * width)];
    if (offer.source_lane < 0 || offer.source_lane >= width) {
        s.fail(fault::divergence, std::string(offer.name) + " asks for lane " +
                                      std::to_string(offer.source_lane) + " of a warp of " +
                                      std::to_string(width));
        s.stop();
    }
    t.offer = offer;
    warp_state& warp = t.home->warps[static_cast<std::size_t>(t.index / width)];
    if (warp.ended > 0) {
        s.fail(fault::divergence,
               std::to_string(warp.ended) + " lanes have ended and are missing from the " + offer.name);
        s.stop();
    }
    if (warp.arrived == 0) {
        warp.first = &t;
    }
    const thread& first = *warp.first;
    if (first.where.line() != where.line() || first.offer.bytes != offer.bytes ||
        std::strcmp(first.offer.name, offer.name) != 0) {
        s.fail(fault::divergence, "lanes of one warp meet in the " + std::string(offer.name) + " of " +
                                      to_string(where) + " and the " + first.offer.name + " of " +
                                      to_string(first.where));
        s.stop();
    }
    if (++warp.arrived < width) {
        s.wait();
        return;
    }
    warp.arrived = 0;
    deliver(lanes, width);
    if (!t.spinning) {
        s.changed();
    }
    for (int l = 0; l < width; ++l) {
        lanes[l].offer = {};
        if (&lanes[l] != &t) {
            s.make_ready(lanes[l]);
        }
    }
}

} // namespace

void sync_block(site where)
{
    arrive(0, current().running->home->kernel->how.threads, "sync", where);
}

void sync_named(int barrier, int participants, site where)
{
    machine::state& s = current();
    const kernel_state& k = *s.running->home->kernel;
    if (barrier < 1 || barrier > 15 || participants % k.what.warp_size != 0 || participants > k.how.threads) {
        s.running->where = where;
        s.fail(fault::divergence, "barrier " + std::to_string(barrier) + " with " +
                                      std::to_string(participants) +
                                      " participants: 1 to 15, and whole warps of the block");
        s.stop();
    }
    arrive(barrier, participants, "sync_named", where);
}

void sync_warp(site where)
{
    meet({.name = "sync_warp"}, where);
}

void shuffle(const void* in, void* out, std::size_t bytes, int source_lane, const char* name, site where)
{
    meet({.name = name, .in = in, .out = out, .bytes = bytes, .source_lane = source_lane}, where);
}

std::uint32_t ballot(bool flag, site where)
{
    std::uint32_t result = 0;
    meet({.name = "ballot", .out = &result, .flag = flag}, where);
    return result;
}

std::string to_string(site where)
{
    const std::string file = where.file_name();
    return file.substr(file.rfind('/') + 1) + ":" + std::to_string(where.line());
}

namespace {

std::string describe(const thread& t)
{
    if (t.ended) {
        return "ended";
    }
    std::string text = (t.ready_slot < 0 ? "waits in "
                        : t.spinning     ? "polls, "
                                         : "can run, ") +
                       std::string(t.doing);
    if (t.where.line() != 0) {
        text += " at " + to_string(t.where);
    }
    if (t.spinning) {
        text += ", in the wait at " + to_string(t.spin_where);
    }
    return text;
}

} // namespace

std::string machine::state::describe_blocks() const
{
    std::string text;
    for (const auto& b : blocks) {
        std::map<std::string, std::string> threads_by_state;
        for (int i = 0; i < b->kernel->how.threads; ++i) {
            threads_by_state[describe(b->threads[static_cast<std::size_t>(i)])].append(" ").append(
                std::to_string(i));
        }
        text += "  gpu " + std::to_string(b->kernel->how.gpu) + " block " + std::to_string(b->index) + ":\n";
        for (const auto& [what, who_list] : threads_by_state) {
            text += "    threads" + who_list + ": " + what + "\n";
        }
    }
    for (const stream_state& stream : streams) {
        if (!stream.kernels.empty() && !stream.kernels.front().not_started.empty()) {
            const kernel_state& k = stream.kernels.front();
            text += "  gpu " + std::to_string(k.how.gpu) + ": " + std::to_string(k.not_started.size()) +
                    " blocks not started\n";
        }
    }
    return text;
}

} // namespace rankfold::simt::executor
