# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# Finds NCCL: its own package config, else pkg-config, else NCCL_ROOT and the folders beside the CUDA toolkit.
# Defines NCCL::NCCL, NCCL_VERSION, NCCL_LIBRARY, NCCL_INCLUDE_DIR.
find_package(NCCL CONFIG QUIET)
if(TARGET NCCL::NCCL)
  find_package_handle_standard_args(NCCL CONFIG_MODE)
  return()
endif()

pkg_check_modules(PC_NCCL QUIET nccl)
find_path(NCCL_INCLUDE_DIR nccl.h
          HINTS ${NCCL_ROOT} $ENV{NCCL_ROOT} ${PC_NCCL_INCLUDE_DIRS} ${CUDAToolkit_INCLUDE_DIRS}
          PATH_SUFFIXES include)
find_library(NCCL_LIBRARY nccl
             HINTS ${NCCL_ROOT} $ENV{NCCL_ROOT} ${PC_NCCL_LIBRARY_DIRS} ${CUDAToolkit_LIBRARY_DIR}
             PATH_SUFFIXES lib lib64)
if(NCCL_INCLUDE_DIR)
  file(STRINGS ${NCCL_INCLUDE_DIR}/nccl.h nccl_version_lines REGEX "#define NCCL_(MAJOR|MINOR|PATCH) ")
  list(TRANSFORM nccl_version_lines REPLACE ".* ([0-9]+).*" "\\1")
  list(JOIN nccl_version_lines "." NCCL_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(NCCL REQUIRED_VARS NCCL_LIBRARY NCCL_INCLUDE_DIR VERSION_VAR NCCL_VERSION)
if(NCCL_FOUND AND NOT TARGET NCCL::NCCL)
  add_library(NCCL::NCCL UNKNOWN IMPORTED)
  set_target_properties(NCCL::NCCL PROPERTIES IMPORTED_LOCATION ${NCCL_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
endif()
mark_as_advanced(NCCL_INCLUDE_DIR NCCL_LIBRARY)
