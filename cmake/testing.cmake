# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# rankfold_add_test(NAME <folder>.<unit> SOURCES ... LABELS ... TIMEOUT seconds
#                   [RANKS 1 2 ...] [GPUS n] [LINK targets] [ENVIRONMENT ...])
# Builds one GoogleTest program and registers it once for each rank count as <folder>.<unit>.np<ranks>.
if(NOT RANKFOLD_BUILD_TESTS)
  return()
endif()
enable_testing()
find_package(GTest REQUIRED)

# Tests start more ranks than there are cores, which Open MPI must be told.
set(mpiexec_flags "")
execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE mpiexec_version ERROR_QUIET)
if(mpiexec_version MATCHES "Open ?MPI|OpenRTE|PRRTE")
  set(mpiexec_flags --oversubscribe --bind-to none)
endif()
set(RANKFOLD_MPIEXEC_FLAGS "${mpiexec_flags}" CACHE STRING "What the tests hand to mpiexec (a list)")
set(rankfold_mpiexec ${MPIEXEC_EXECUTABLE} ${RANKFOLD_MPIEXEC_FLAGS} ${MPIEXEC_NUMPROC_FLAG})

function(rankfold_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT;GPUS" "SOURCES;RANKS;LABELS;LINK;ENVIRONMENT")
  foreach(required NAME TIMEOUT LABELS SOURCES)
    if(NOT arg_${required})
      message(FATAL_ERROR "rankfold_add_test: ${required} is mandatory (${arg_NAME})")
    endif()
  endforeach()
  string(REPLACE "." "_" target test_${arg_NAME})
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE rankfold_flags GTest::gtest ${arg_LINK})
  if(NOT arg_RANKS)
    set(arg_RANKS 0)  # not an MPI program
    target_link_libraries(${target} PRIVATE GTest::gtest_main)
  endif()
  foreach(ranks ${arg_RANKS})
    if(ranks EQUAL 0)
      set(test ${arg_NAME})
      add_test(NAME ${test} COMMAND ${target})
    else()
      set(test ${arg_NAME}.np${ranks})
      add_test(NAME ${test} COMMAND ${rankfold_mpiexec} ${ranks} $<TARGET_FILE:${target}>)
    endif()
    set_tests_properties(${test} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
      ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMP_NUM_THREADS=2;${arg_ENVIRONMENT}")
    if(arg_GPUS)
      set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
    endif()
  endforeach()
endfunction()
