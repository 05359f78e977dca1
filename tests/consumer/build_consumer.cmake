# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# One consumer test: WAY is install, find_package, pkg_config or add_subdirectory.
cmake_minimum_required(VERSION 3.25)
set(prefix ${WORK}/prefix)
set(project ${CMAKE_CURRENT_LIST_DIR}/project)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY COMMAND_ECHO STDOUT)
endfunction()

# The first C++ block of the README, so that what it shows is what is tested.
function(extract_program file)
  file(READ ${SOURCE}/README.md readme)
  string(REGEX MATCH "```cpp\n([^`]*)```" block "${readme}")
  if(NOT block)
    message(FATAL_ERROR "README.md has no C++ block")
  endif()
  file(CONFIGURE OUTPUT ${file} CONTENT "${CMAKE_MATCH_1}" @ONLY)  # touches the file only if it changed
endfunction()

# Pieces of 1000, 1001 and 1002 ones: 3003, whichever way it was linked.
function(run_program program)
  execute_process(COMMAND ${MPIEXEC} 3 ${program}
                  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
  message("${output}")
  foreach(line "rank 0: total 3003, my prefix sums end with 1000"
               "rank 1: total 3003, my prefix sums end with 2001"
               "rank 2: total 3003, my prefix sums end with 3003")
    if(NOT output MATCHES "${line}")
      message(FATAL_ERROR "not printed: ${line}")
    endif()
  endforeach()
endfunction()

function(build_project)
  run(${CMAKE_COMMAND} -S ${project} -B ${WORK}/${WAY} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
      -D PROGRAM=${WORK}/${WAY}.cpp ${ARGV})
  run(${CMAKE_COMMAND} --build ${WORK}/${WAY} --target consumer --parallel 2)
  run_program(${WORK}/${WAY}/consumer)
endfunction()

# -isystem and the like come from pkg-config as one line.
function(build_by_pkg_config)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  execute_process(COMMAND pkg-config --cflags --libs "rankfold >= 0.1" OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${COMPILER} -std=c++20 -Wall -Wextra -Werror ${WORK}/${WAY}.cpp ${flags} -o ${WORK}/${WAY}.program)
  run_program(${WORK}/${WAY}.program)
endfunction()

if(WAY STREQUAL "install")
  file(REMOVE_RECURSE ${prefix})
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --config ${CONFIG})
  return()
endif()
extract_program(${WORK}/${WAY}.cpp)
if(WAY STREQUAL "find_package")
  build_project(-D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_CXX_FLAGS=-Wall\ -Wextra\ -Werror)
elseif(WAY STREQUAL "add_subdirectory")
  build_project(-D RANKFOLD_SOURCE=${SOURCE} -D RANKFOLD_ENABLE_CUDA=OFF -D CMAKE_BUILD_TYPE=Debug)
else()
  build_by_pkg_config()
endif()
