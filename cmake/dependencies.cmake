# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# Found on the system, never downloaded.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI 3.1 REQUIRED COMPONENTS CXX)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.0)

# On its own: sm_80 and sm_90 machine code, and PTX for what comes after. Within a project that wants to build soon:
# what the GPUs of this machine run, else sm_80 with PTX.
function(rankfold_default_architectures result)
  if(PROJECT_IS_TOP_LEVEL)
    set(${result} 80-real 90 PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                  OUTPUT_VARIABLE found ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" found "${found}")
  list(REMOVE_DUPLICATES found)
  list(TRANSFORM found REPLACE "\\." "")
  if(NOT found)
    set(found 80)
  endif()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# CUDA and NCCL come together: with AUTO either both are taken or neither.
set(RANKFOLD_HAS_CUDA OFF)
if(NOT RANKFOLD_ENABLE_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      rankfold_default_architectures(CMAKE_CUDA_ARCHITECTURES)
    endif()
    enable_language(CUDA)
    find_package(CUDAToolkit 12.4 REQUIRED)
    list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
    find_package(NCCL 2.19)
  endif()
  if(CMAKE_CUDA_COMPILER AND NCCL_FOUND)
    set(RANKFOLD_HAS_CUDA ON)
    message(STATUS "Rankfold: CUDA backend on (CUDA ${CUDAToolkit_VERSION}, NCCL ${NCCL_VERSION}, "
                   "architectures ${CMAKE_CUDA_ARCHITECTURES})")
  elseif(RANKFOLD_ENABLE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "RANKFOLD_ENABLE_CUDA=ON, but "
                        "CUDA compiler: '${CMAKE_CUDA_COMPILER}', NCCL: '${NCCL_LIBRARY}'. "
                        "Set CMAKE_CUDA_COMPILER or NCCL_ROOT, or use RANKFOLD_ENABLE_CUDA=OFF.")
  else()
    message(STATUS "Rankfold: CUDA backend off (CUDA compiler: '${CMAKE_CUDA_COMPILER}', NCCL: '${NCCL_LIBRARY}'); "
                   "the host backend is complete without it")
  endif()
else()
  message(STATUS "Rankfold: CUDA backend off (RANKFOLD_ENABLE_CUDA=OFF)")
endif()
