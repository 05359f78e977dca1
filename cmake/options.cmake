# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# Every option of the build, in one place.
set(RANKFOLD_ENABLE_CUDA AUTO CACHE STRING "CUDA backend: AUTO takes it where CUDA and NCCL are found")
set_property(CACHE RANKFOLD_ENABLE_CUDA PROPERTY STRINGS AUTO ON OFF)
option(RANKFOLD_FULL "CUDA: compile every permitted (type, operator) pair, not only the core set" ${PROJECT_IS_TOP_LEVEL})
option(RANKFOLD_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(RANKFOLD_BUILD_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(RANKFOLD_BUILD_LAUNCHER "Build rankfold-run" ${PROJECT_IS_TOP_LEVEL})
option(RANKFOLD_BUILD_BENCH "Build rankfold-bench" ${PROJECT_IS_TOP_LEVEL})
option(RANKFOLD_INSTALL "Install library, headers and package files" ${PROJECT_IS_TOP_LEVEL})
option(RANKFOLD_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(RANKFOLD_WARNINGS_AS_ERRORS "Treat compiler warnings as errors" OFF)

include(GNUInstallDirs)

if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
