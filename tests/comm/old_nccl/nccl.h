// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What Rankfold may use of NCCL 2.19, the oldest that it builds with: no device API, no windows. Declarations
// for a test that compiles and links nothing.
#pragma once

#include <cstddef>

#define NCCL_VERSION_CODE 21903
#define NCCL_SPLIT_NOCOLOR (-1)
#define NCCL_UNIQUE_ID_BYTES 128

struct CUstream_st;
struct ncclComm;
struct ncclConfig_t;
using ncclComm_t = ncclComm*;

struct ncclUniqueId {
    char internal[NCCL_UNIQUE_ID_BYTES];
};
enum ncclResult_t { ncclSuccess = 0, ncclInProgress = 7 };
enum ncclDataType_t { ncclUint8 = 1, ncclUint32 = 3 };
enum ncclRedOp_t { ncclSum = 0 };

extern "C" {
ncclResult_t ncclGetVersion(int* version);
ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank);
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* made, ncclConfig_t* config);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclCommAbort(ncclComm_t comm);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error);
const char* ncclGetErrorString(ncclResult_t result);
const char* ncclGetLastError(ncclComm_t comm);
ncclResult_t ncclAllGather(const void* from, void* to, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, CUstream_st* stream);
ncclResult_t ncclAllReduce(const void* from, void* to, std::size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, CUstream_st* stream);
}
