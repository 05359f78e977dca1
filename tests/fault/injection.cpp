// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fault/injection.hpp"

#include "rankfold/mpi.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <dlfcn.h>
#include <new>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace rankfold::test {
namespace {

constexpr int never = 0;
constexpr int always = -1;

std::atomic<library_call> chosen{};
std::atomic<int> remaining{never};
std::atomic<bool> stops{false};
std::atomic<bool> failed{false};
std::atomic<int> communicators{0};

bool fails(library_call kind)
{
    if (remaining.load() == never || chosen.load() != kind) {
        return false;
    }
    if (remaining.load() != always && remaining.fetch_sub(1) != 1) {
        return false;
    }
    failed = true;
    if (stops) {
        raise(SIGSTOP);
    }
    return !stops;
}

} // namespace

void let_fail(library_call kind, int nth)
{
    chosen = kind;
    stops = false;
    failed = false;
    remaining = nth;
}

void let_stop(library_call kind, int nth)
{
    let_fail(kind, nth);
    stops = true;
}

void let_all_fail(library_call kind)
{
    let_fail(kind, always);
}

bool let_work()
{
    remaining = never;
    return failed.exchange(false);
}

int mpi_communicators()
{
    return communicators;
}

namespace {

void* allocated(std::size_t bytes, std::size_t alignment)
{
    void* memory = nullptr;
    if (fails(library_call::operator_new) || posix_memalign(&memory, alignment, bytes > 0 ? bytes : 1) != 0) {
        throw std::bad_alloc();
    }
    return memory;
}

} // namespace
} // namespace rankfold::test

using rankfold::test::library_call;

void* operator new(std::size_t bytes)
{
    return rankfold::test::allocated(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment)
{
    return rankfold::test::allocated(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}

extern "C" {

// The library's only way to memory of the host backend.
void* aligned_alloc(std::size_t alignment, std::size_t bytes)
{
    void* memory = nullptr;
    const bool refused = rankfold::test::fails(library_call::aligned_alloc);
    return !refused && posix_memalign(&memory, alignment, bytes) == 0 ? memory : nullptr;
}

// Where ranks share no memory, as on two nodes, MPI alone carries what they tell each other.
int memfd_create(const char* name, unsigned flags)
{
    return std::getenv("RANKFOLD_TEST_NO_BOARD") != nullptr
               ? -1
               : static_cast<int>(syscall(SYS_memfd_create, name, flags));
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument)
{
    using function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_create"));
    return rankfold::test::fails(library_call::thread) ? EAGAIN : real(thread, attributes, start, argument);
}

int MPI_Irecv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request* request)
{
    return rankfold::test::fails(library_call::mpi_irecv)
               ? MPI_ERR_OTHER
               : PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}

int MPI_Isend(const void* buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm,
              MPI_Request* request)
{
    return rankfold::test::fails(library_call::mpi_isend)
               ? MPI_ERR_OTHER
               : PMPI_Isend(buffer, count, type, target, tag, comm, request);
}

int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[], MPI_Status statuses[])
{
    return rankfold::test::fails(library_call::mpi_testsome)
               ? MPI_ERR_OTHER
               : PMPI_Testsome(count, requests, done, indices, statuses);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* found, MPI_Status* status)
{
    return rankfold::test::fails(library_call::mpi_iprobe) ? MPI_ERR_OTHER
                                                           : PMPI_Iprobe(source, tag, comm, found, status);
}

int MPI_Recv(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status* status)
{
    return rankfold::test::fails(library_call::mpi_recv)
               ? MPI_ERR_OTHER
               : PMPI_Recv(buffer, count, type, source, tag, comm, status);
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* made)
{
    ++rankfold::test::communicators;
    return PMPI_Comm_dup(comm, made);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made)
{
    ++rankfold::test::communicators;
    return PMPI_Comm_split_type(comm, type, key, info, made);
}

int MPI_Comm_free(MPI_Comm* comm)
{
    --rankfold::test::communicators;
    return PMPI_Comm_free(comm);
}

} // extern "C"
