// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/binding.hpp"

#include "topology/error.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <linux/mempolicy.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace rankfold::topology {
namespace {

constexpr int max_threads = 8192;
constexpr unsigned long max_nodes = 1024;
constexpr unsigned long word_bits = 8 * sizeof(unsigned long);
constexpr int preferred_many = 5; // MPOL_PREFERRED_MANY, since Linux 5.15
using node_mask = std::array<unsigned long, max_nodes / word_bits>;

class kernel_mask {
public:
    kernel_mask() : set_(CPU_ALLOC(max_threads)) { CPU_ZERO_S(bytes(), set_); }
    ~kernel_mask() { CPU_FREE(set_); }
    kernel_mask(const kernel_mask&) = delete;
    kernel_mask& operator=(const kernel_mask&) = delete;

    static std::size_t bytes() { return CPU_ALLOC_SIZE(max_threads); }
    cpu_set_t* set() { return set_; }

private:
    cpu_set_t* set_;
};

int set_mask(const index_set& threads)
{
    kernel_mask mask;
    for (const int thread : threads.to_vector())
        if (thread < max_threads)
            CPU_SET_S(static_cast<unsigned>(thread), kernel_mask::bytes(), mask.set());
    return sched_setaffinity(0, kernel_mask::bytes(), mask.set());
}

long set_policy(int mode, const index_set& nodes)
{
    node_mask mask{};
    for (const int node : nodes.to_vector())
        if (static_cast<unsigned long>(node) < max_nodes)
            mask[static_cast<unsigned long>(node) / word_bits] |=
                1UL << (static_cast<unsigned long>(node) % word_bits);
    return syscall(SYS_set_mempolicy, mode, mask.data(), max_nodes);
}

struct memory_policy {
    int mode = MPOL_DEFAULT;
    index_set nodes = {};
};

memory_policy read_policy()
{
    memory_policy policy;
    node_mask mask{};
    if (syscall(SYS_get_mempolicy, &policy.mode, mask.data(), max_nodes, nullptr, 0) != 0)
        return {};
    for (unsigned long node = 0; node < max_nodes; ++node)
        if (((mask[node / word_bits] >> (node % word_bits)) & 1UL) != 0)
            policy.nodes.insert(static_cast<int>(node));
    return policy;
}

// An older kernel has no preference for several nodes: then the first of them is preferred.
index_set apply_policy(const index_set& wanted, std::string& error)
{
    if (read_policy().mode == MPOL_BIND && set_policy(MPOL_BIND, wanted) == 0)
        return wanted;
    if (wanted.count() > 1 && set_policy(preferred_many, wanted) == 0)
        return wanted;
    index_set first{wanted.first()};
    if (set_policy(MPOL_PREFERRED, first) != 0)
        error = std::string("memory binding is not permitted here (") + std::strerror(errno) +
                "); the binding of threads is not affected";
    return first;
}

} // namespace

index_set threads_of_process(int pid)
{
    kernel_mask mask;
    index_set threads;
    if (sched_getaffinity(pid, kernel_mask::bytes(), mask.set()) != 0)
        return threads;
    for (int thread = 0; thread < max_threads; ++thread)
        if (CPU_ISSET_S(static_cast<unsigned>(thread), kernel_mask::bytes(), mask.set()))
            threads.insert(thread);
    return threads;
}

index_set memory_limit()
{
    const memory_policy policy = read_policy();
    return policy.mode == MPOL_BIND ? policy.nodes : index_set();
}

binding read_binding()
{
    binding now{.threads = threads_of_process(0), .memory_nodes = read_policy().nodes};
    if (now.threads.empty())
        throw topology_error(std::string("the kernel does not tell this thread's mask: ") +
                             std::strerror(errno));
    return now;
}

binding_result bind_thread(const binding& wanted)
{
    binding_result result;
    if (set_mask(wanted.threads) != 0)
        result.thread_error =
            "cannot bind to hardware threads " + wanted.threads.to_string() + ": " + std::strerror(errno);
    index_set expected_nodes;
    if (!wanted.memory_nodes.empty())
        expected_nodes = apply_policy(wanted.memory_nodes, result.memory_error);
    result.held = read_binding();
    if (result.thread_error.empty() && !(result.held.threads == wanted.threads))
        result.thread_error = "asked for hardware threads " + wanted.threads.to_string() +
                              ", the kernel holds " + result.held.threads.to_string();
    if (result.memory_error.empty() && !(result.held.memory_nodes == expected_nodes))
        result.memory_error = "asked for memory of NUMA nodes " + expected_nodes.to_string() +
                              ", the kernel holds '" + result.held.memory_nodes.to_string() + "'";
    return result;
}

index_set nodes_of_pages(const void* data, std::size_t bytes)
{
    constexpr std::size_t most = 64;
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(data) / page * page;
    const std::size_t pages =
        bytes == 0 ? 0 : (reinterpret_cast<std::uintptr_t>(data) + bytes - begin + page - 1) / page;
    const std::size_t step = pages / most + 1;
    std::vector<void*> addresses;
    for (std::size_t i = 0; i < pages; i += step)
        addresses.push_back(reinterpret_cast<void*>(begin + i * page)); // NOLINT(performance-no-int-to-ptr)
    std::vector<int> status(addresses.size(), -1);
    index_set nodes;
    if (addresses.empty() ||
        syscall(SYS_move_pages, 0, addresses.size(), addresses.data(), nullptr, status.data(), 0) != 0)
        return nodes;
    for (const int node : status)
        if (node >= 0)
            nodes.insert(node);
    return nodes;
}

} // namespace rankfold::topology
