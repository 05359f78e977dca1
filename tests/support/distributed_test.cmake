# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# rankfold_add_distributed_test(NAME <folder>.<unit> SOURCES ... RANKS 1 2 ... [HOST_ONLY] [TIMEOUT s] [ENVIRONMENT ...]
#                               [CUDA_ENVIRONMENT ...])
# One program, registered on the host backend for each rank count (label mpi), and unless HOST_ONLY on the cuda
# backend for one GPU (label gpu) and for two (label multigpu).
function(rankfold_add_distributed_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "HOST_ONLY" "NAME;TIMEOUT" "SOURCES;RANKS;ENVIRONMENT;CUDA_ENVIRONMENT;LINK")
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  # Ranks and their threads share few cores here: whoever waits must not spin.
  set(environment OMPI_MCA_mpi_yield_when_idle=1 OMP_WAIT_POLICY=passive RANKFOLD_TIMEOUT_S=60 ${arg_ENVIRONMENT})
  rankfold_add_test(NAME ${arg_NAME} SOURCES ${arg_SOURCES} RANKS ${arg_RANKS} LABELS mpi TIMEOUT ${arg_TIMEOUT}
                    LINK rankfold_test_support ${arg_LINK} ENVIRONMENT RANKFOLD_BACKEND=host ${environment})
  if(arg_HOST_ONLY OR NOT RANKFOLD_HAS_CUDA)
    return()
  endif()

  string(REPLACE "." "_" target test_${arg_NAME})
  foreach(gpus 1 2)
    set(test ${arg_NAME}.cuda.np${gpus})
    add_test(NAME ${test} COMMAND ${rankfold_mpiexec} ${gpus} $<TARGET_FILE:${target}>)
    set_tests_properties(${test} PROPERTIES TIMEOUT ${arg_TIMEOUT} RUN_SERIAL ON
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;RANKFOLD_BACKEND=cuda;${environment};${arg_CUDA_ENVIRONMENT}")
  endforeach()
  set_tests_properties(${arg_NAME}.cuda.np1 PROPERTIES LABELS gpu)
  set_tests_properties(${arg_NAME}.cuda.np2 PROPERTIES LABELS multigpu)
endfunction()
