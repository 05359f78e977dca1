// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "watch/progress_board.hpp"

#include "runtime/mpi_check.hpp"

#include <algorithm>
#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <unistd.h>

namespace rankfold::detail {
namespace {

/// Memory without a name, so that nothing is left behind: the others open it through its owner.
struct invitation {
    std::int32_t pid;
    std::int32_t descriptor; ///< in that process; -1 where the system refused
    std::uint64_t token;
};

invitation invite(std::size_t bytes)
{
    const int descriptor = memfd_create("rankfold", MFD_CLOEXEC);
    const bool sized = descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(bytes)) == 0;
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    return {getpid(), sized ? descriptor : -1, static_cast<std::uint64_t>(now)};
}

void* map_from(const invitation& from, std::size_t bytes)
{
    if (from.descriptor < 0) {
        return nullptr;
    }
    const std::string path = "/proc/" + std::to_string(from.pid) + "/fd/" + std::to_string(from.descriptor);
    const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
    off_t length = 0;
    void* memory = MAP_FAILED;
    if (descriptor >= 0) {
        length = lseek(descriptor, 0, SEEK_END);
        memory = length == static_cast<off_t>(bytes)
                     ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
                     : MAP_FAILED;
        ::close(descriptor);
    }
    return memory == MAP_FAILED ? nullptr : memory;
}

/// "stopped", "gone", or empty for a process that may run.
std::string state_of_process(int pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string stat;
    std::getline(file, stat);
    const std::size_t name_end = stat.rfind(')'); // the name may hold anything, also blanks
    const char state = name_end + 2 < stat.size() ? stat[name_end + 2] : 'X';
    if (state == 'T' || state == 't') {
        return "stopped";
    }
    return state == 'X' || state == 'Z' ? "gone" : "";
}

bool all_agree(bool yes, MPI_Comm comm)
{
    int all = yes ? 1 : 0;
    RANKFOLD_MPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, comm));
    return all != 0;
}

} // namespace

progress_board::progress_board(MPI_Comm node, int rank)
{
    int place = 0;
    RANKFOLD_MPI(MPI_Comm_rank(node, &place));
    RANKFOLD_MPI(MPI_Comm_size(node, &count_));
    invitation from{};
    if (place == 0) {
        from = invite(bytes());
    }
    RANKFOLD_MPI(MPI_Bcast(&from, sizeof from, MPI_BYTE, 0, node));
    void* const memory = map_from(from, bytes());
    auto* const mapped_head = static_cast<header*>(memory);
    if (place == 0 && memory != nullptr) {
        mapped_head->token.store(from.token);
    }
    const bool mapped = all_agree(memory != nullptr, node);
    // Process numbers of another namespace may lead to memory of others.
    const bool shared = all_agree(mapped && mapped_head->token.load() == from.token, node);
    if (place == 0 && from.descriptor >= 0) {
        ::close(from.descriptor);
    }
    if (!shared && memory != nullptr) {
        munmap(memory, bytes());
    }
    if (shared) {
        head_ = mapped_head;
        rows_ = reinterpret_cast<row*>(head_ + 1);
        own_ = rows_ + place;
        own_->rank = rank;
        own_->pid = getpid();
    }
}

progress_board::~progress_board()
{
    if (head_ != nullptr) {
        munmap(head_, bytes());
    }
}

void progress_board::enter(std::uint64_t call) noexcept
{
    if (own_ != nullptr) {
        own_->entered.store(call, std::memory_order_relaxed);
    }
}

void progress_board::leave(std::uint64_t call) noexcept
{
    if (own_ != nullptr) {
        own_->left.store(call, std::memory_order_relaxed);
    }
}

void progress_board::close() noexcept
{
    if (own_ != nullptr) {
        own_->closed.store(true, std::memory_order_release);
    }
}

void progress_board::publish(const failure_notice& notice) noexcept
{
    std::uint32_t expected = nothing;
    if (head_ != nullptr && head_->stage.compare_exchange_strong(expected, writing)) {
        head_->notice = notice;
        head_->stage.store(published, std::memory_order_release);
    }
}

bool progress_board::is_lost(int rank, std::uint64_t call) const
{
    const row* const known = row_of(rank);
    if (known == nullptr) {
        return false;
    }
    if (known->closed.load(std::memory_order_acquire)) {
        return known->left.load(std::memory_order_relaxed) < call;
    }
    return state_of_process(known->pid) == "gone";
}

const progress_board::row* progress_board::row_of(int rank) const noexcept
{
    const row* const end = own_ == nullptr ? rows_ : rows_ + count_;
    const row* const found =
        std::find_if(static_cast<const row*>(rows_), end, [&](const row& r) { return r.rank == rank; });
    return found == end ? nullptr : found;
}

std::string progress_board::tell(int rank) const
{
    const row* const known = row_of(rank);
    if (known == nullptr) {
        return {};
    }
    const std::uint64_t left = known->left.load(std::memory_order_relaxed);
    const std::uint64_t entered = known->entered.load(std::memory_order_relaxed);
    const std::string state = state_of_process(known->pid);
    std::string text = state + (state.empty() ? "" : "; ");
    if (known->closed.load(std::memory_order_relaxed)) {
        return text + "destroyed its communicator after call " + std::to_string(left);
    }
    if (entered > left) {
        return text + "in call " + std::to_string(entered) + " since it left call " + std::to_string(left);
    }
    return text + (left == 0 ? "has made no call yet" : "not in Rankfold since call " + std::to_string(left));
}

std::vector<int> progress_board::not_yet_in(std::uint64_t call) const
{
    std::vector<int> ranks;
    for (int i = 0; own_ != nullptr && i < count_; ++i) {
        if (rows_[i].entered.load(std::memory_order_relaxed) < call) {
            ranks.push_back(rows_[i].rank);
        }
    }
    return ranks;
}

} // namespace rankfold::detail
