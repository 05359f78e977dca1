# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# One consumer test: WAY is install, find_package, pkg_config, add_subdirectory, absolute_folders, shared_name or embedded.
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
function(build_by_pkg_config libdir)
  set(ENV{PKG_CONFIG_PATH} ${libdir}/pkgconfig)
  execute_process(COMMAND pkg-config --cflags --libs "rankfold >= 0.1" OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${COMPILER} -std=c++20 -Wall -Wextra -Werror ${WORK}/${WAY}.cpp ${flags} -o ${WORK}/${WAY}.program)
  run_program(${WORK}/${WAY}.program)
endfunction()

# A build folder of the library alone, configured with the options given.
function(configure_library folder)
  file(REMOVE_RECURSE ${folder})
  run(${CMAKE_COMMAND} -S ${SOURCE} -B ${folder} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
      -D MPI_CXX_COMPILER=${MPI_COMPILER} -D CMAKE_BUILD_TYPE=${CONFIG} -D RANKFOLD_ENABLE_CUDA=OFF
      -D RANKFOLD_BUILD_TESTS=OFF -D RANKFOLD_BUILD_EXAMPLES=OFF -D RANKFOLD_BUILD_LAUNCHER=OFF
      -D RANKFOLD_BUILD_BENCH=OFF ${ARGN})
endfunction()

# CMake takes no folder within the sources.
string(MD5 work_id ${WORK})
set(root /tmp/rankfold-absolute-${work_id})

# Library and headers in folders of their own, outside the prefix, as Nix and Guix have them. The library is the one that
# is built already: only where it goes is new.
function(install_into_absolute_folders)
  file(REMOVE_RECURSE ${root})
  configure_library(${WORK}/absolute_build -D CMAKE_INSTALL_PREFIX=${root}/usr
                    -D CMAKE_INSTALL_LIBDIR=${root}/lib -D CMAKE_INSTALL_INCLUDEDIR=${root}/include)
  file(COPY ${LIBRARY} DESTINATION ${WORK}/absolute_build/lib)
  run(${CMAKE_COMMAND} --install ${WORK}/absolute_build --config ${CONFIG})
endfunction()

# Programs of another minor version must not load it: before 1.0 RankfoldConfigVersion refuses them, too.
function(check_shared_name)
  configure_library(${WORK}/shared_build -D BUILD_SHARED_LIBS=ON)
  string(REGEX MATCH "^[0-9]+\\.[0-9]+" name ${VERSION})
  file(READ ${WORK}/shared_build/cmake_install.cmake script)
  string(REGEX MATCHALL "librankfold\\.so\\.[0-9.]*[0-9]" names "${script}")
  list(REMOVE_DUPLICATES names)
  list(SORT names)
  if(NOT names STREQUAL "librankfold.so.${name};librankfold.so.${VERSION}")
    message(FATAL_ERROR "installed are ${names}, must be librankfold.so.${name} and librankfold.so.${VERSION}")
  endif()
endfunction()

# Within another project: one kind of GPU, and the core set.
function(check_embedded_defaults)
  file(REMOVE_RECURSE ${WORK}/embedded)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${project} -B ${WORK}/embedded -G ${GENERATOR}
                          -D CMAKE_CXX_COMPILER=${COMPILER} -D RANKFOLD_SOURCE=${SOURCE} -D RANKFOLD_ENABLE_CUDA=ON
                          -D PROGRAM=${WORK}/${WAY}.cpp
                  OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY COMMAND_ECHO STDOUT)
  message("${output}")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE gpus ERROR_QUIET)
  if(NOT gpus MATCHES "[0-9]\\.[0-9]" AND NOT output MATCHES "architectures 80\\)")
    message(FATAL_ERROR "without a GPU the architectures must be 80")
  endif()
  if(output MATCHES "architectures 80-real")
    message(FATAL_ERROR "code for several architectures was not asked for")
  endif()
  file(STRINGS ${WORK}/embedded/CMakeCache.txt full REGEX "^RANKFOLD_FULL:BOOL=OFF")
  if(NOT full)
    message(FATAL_ERROR "RANKFOLD_FULL must be OFF")
  endif()
endfunction()

# Each starts from where it was installed.
function(check_tools)
  foreach(tool field_stats rankfold-run rankfold-flight)
    run(${prefix}/bin/${tool} --help)
  endforeach()
endfunction()

if(WAY STREQUAL "install")
  file(REMOVE_RECURSE ${prefix})
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --config ${CONFIG})
  check_tools()
  return()
endif()
extract_program(${WORK}/${WAY}.cpp)
if(WAY STREQUAL "find_package")
  build_project(-D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_CXX_FLAGS=-Wall\ -Wextra\ -Werror)
elseif(WAY STREQUAL "add_subdirectory")
  build_project(-D RANKFOLD_SOURCE=${SOURCE} -D RANKFOLD_ENABLE_CUDA=OFF -D CMAKE_BUILD_TYPE=Debug)
elseif(WAY STREQUAL "absolute_folders")
  install_into_absolute_folders()
  build_project(-D Rankfold_DIR=${root}/lib/cmake/Rankfold -D CMAKE_BUILD_TYPE=${CONFIG})
  build_by_pkg_config(${root}/lib)
  file(REMOVE_RECURSE ${root})
elseif(WAY STREQUAL "shared_name")
  check_shared_name()
elseif(WAY STREQUAL "embedded")
  check_embedded_defaults()
else()
  build_by_pkg_config(${prefix}/${LIBDIR})
endif()
