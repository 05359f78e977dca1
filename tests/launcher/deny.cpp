// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// deny SYSCALL [silently] program...: the program runs where the kernel answers "not permitted" to that call,
// as in a container; silently: where it answers that all is well, and does nothing.
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

unsigned number_of(const char* name)
{
    return std::strcmp(name, "set_mempolicy") == 0 ? SYS_set_mempolicy : SYS_sched_setaffinity;
}

bool install(unsigned denied, unsigned answer)
{
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, denied, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc < 3)
        return 64;
    const bool silently = std::strcmp(argv[2], "silently") == 0;
    if (!install(number_of(argv[1]), silently ? 0 : EPERM))
        return 77; // no seccomp here
    argv += silently ? 3 : 2;
    execvp(*argv, argv);
    return 98;
}
