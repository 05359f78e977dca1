// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lets a library call of this process fail: MPI through its profiling interface, memory and threads by
// definitions of this program's own.
#pragma once

namespace rankfold::test {

enum class library_call {
    mpi_irecv,
    mpi_isend,
    mpi_testsome,
    mpi_iprobe,
    mpi_recv,
    aligned_alloc,
    operator_new,
    thread
};

/// The n-th call of the kind fails, once; 1 is the next.
void let_fail(library_call kind, int nth);
/// All calls of the kind fail.
void let_all_fail(library_call kind);
/// The process stops in the n-th call of the kind, which succeeds once it goes on.
void let_stop(library_call kind, int nth);
/// No call fails any more. @return true if one did
bool let_work();

/// MPI communicators that this process has made and not freed.
int mpi_communicators();

} // namespace rankfold::test
