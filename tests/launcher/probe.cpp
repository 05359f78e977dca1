// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// The started program: says what the kernel and its environment tell it, each on a line of its own.
// It asks the kernel itself and shares no code with the launcher.
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

void print_mask()
{
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) != 0)
        std::exit(1);
    std::printf("mask");
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(static_cast<unsigned>(cpu), &mask))
            std::printf(" %d", cpu);
    std::printf("\n");
}

void print_policy()
{
    int mode = -1;
    unsigned long nodes[16] = {};
    const long failed = syscall(SYS_get_mempolicy, &mode, nodes, 1024UL, nullptr, 0UL);
    std::printf("policy %ld %d %lx\n", failed, mode, nodes[0]);
}

} // namespace

int main(int argc, char** argv)
{
    print_mask();
    print_policy();
    for (const char* name : {"RANKFOLD_DEVICE", "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "OMP_PLACES"})
        if (const char* value = std::getenv(name))
            std::printf("%s=%s\n", name, value);
    for (int i = 1; i < argc; ++i)
        std::printf("argument %s\n", argv[i]);
}
