// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// Waits for signals instead of handling them: no code runs in a signal handler.
#include "process/launch_error.hpp"
#include "process/program.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rankfold::launcher {
namespace {

constexpr std::array handed_on{SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1,
                               SIGUSR2, SIGCONT, SIGTSTP, SIGWINCH};

sigset_t watched_signals()
{
    sigset_t watched;
    sigemptyset(&watched);
    sigaddset(&watched, SIGCHLD);
    for (const int signal : handed_on)
        sigaddset(&watched, signal);
    return watched;
}

[[noreturn]] void run_child(pid_t parent, const sigset_t& original_mask,
                            const std::vector<std::string>& arguments)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigprocmask(SIG_SETMASK, &original_mask, nullptr);
    if (getppid() != parent) // the parent died before prctl
        _exit(128 + SIGTERM);
    try {
        exec(arguments.front(), arguments);
    } catch (const launch_error& error) {
        const std::string text = std::string("rankfold-run: ") + error.what() + "\n";
        (void)!write(STDERR_FILENO, text.data(), text.size());
        _exit(error.status());
    }
}

// What the terminal sends, it sends to the whole foreground group: the child has it already.
bool from_terminal(const siginfo_t& info)
{
    return info.si_code == SI_KERNEL;
}

bool ended(pid_t child, int& status)
{
    if (waitpid(child, &status, WNOHANG) != child)
        return false;
    status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return true;
}

} // namespace

int run_and_forward(const std::vector<std::string>& arguments)
{
    const sigset_t watched = watched_signals();
    std::signal(SIGCHLD, SIG_DFL); // if it was inherited as ignored, no child could be waited for
    sigset_t original;
    sigprocmask(SIG_BLOCK, &watched, &original);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child < 0)
        throw launch_error(std::string("cannot start a process: ") + std::strerror(errno));
    if (child == 0)
        run_child(parent, original, arguments);
    for (int status = 0;;) {
        siginfo_t info{};
        const int signal = sigwaitinfo(&watched, &info);
        if (ended(child, status))
            return status;
        if (signal > 0 && signal != SIGCHLD && !from_terminal(info))
            kill(child, signal);
    }
}

} // namespace rankfold::launcher
