# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# Compiles user's files by nvcc against the installed tree, with plain flags and warnings as errors. No GPU is needed.
cmake_minimum_required(VERSION 3.25)
set(sources ${CMAKE_CURRENT_LIST_DIR}/nvcc)
file(MAKE_DIRECTORY ${WORK}/nvcc)
set(plain ${NVCC} -ccbin ${COMPILER} -std=c++20 -arch=sm_90 -Werror all-warnings -I${PREFIX}/include)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY COMMAND_ECHO STDOUT)
endfunction()

# Every kernel of the file stores a result.
function(expect_stores source count)
  run(${plain} -ptx ${sources}/${source} -o ${WORK}/nvcc/${source}.ptx)
  file(STRINGS ${WORK}/nvcc/${source}.ptx stores REGEX "st\\.global")
  list(LENGTH stores found)
  if(NOT found EQUAL count)
    message(FATAL_ERROR "${source} has ${found} stores, not ${count}")
  endif()
endfunction()

function(expect_refusal flag)
  execute_process(COMMAND ${plain} ${flag} -c ${sources}/kernel.cu -o ${WORK}/nvcc/kernel.o
                  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(code EQUAL 0 OR NOT output MATCHES "rankfold_refuses_use_fast_math")
    message(FATAL_ERROR "${flag} is not refused: ${code} ${output}")
  endif()
endfunction()

# The CMake target brings -fmad=false along, unless it is asked not to.
function(expect_exported_flags)
  run(${CMAKE_COMMAND} -S ${sources} -B ${WORK}/nvcc/project -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
      -D CMAKE_CUDA_COMPILER=${NVCC} -D CMAKE_CUDA_HOST_COMPILER=${COMPILER} -D CMAKE_CUDA_ARCHITECTURES=90
      -D CMAKE_PREFIX_PATH=${PREFIX} -D CMAKE_EXPORT_COMPILE_COMMANDS=ON)
  file(READ ${WORK}/nvcc/project/compile_commands.json commands)
  foreach(index 0 1)
    string(JSON command GET "${commands}" ${index} command)
    string(REGEX MATCH "(exact|contracted)\\.dir" target "${command}")
    string(FIND "${command}" "-fmad=false" at)
    if((target STREQUAL "exact.dir" AND at EQUAL -1) OR (target STREQUAL "contracted.dir" AND NOT at EQUAL -1))
      message(FATAL_ERROR "wrong flags of ${target}: ${command}")
    endif()
  endforeach()
endfunction()

function(run_operators)
  set(ENV{PKG_CONFIG_PATH} ${PREFIX}/${LIBDIR}/pkgconfig)
  execute_process(COMMAND pkg-config --cflags --libs rankfold OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${plain} ${sources}/operators.cu ${flags} -o ${WORK}/nvcc/operators)
  run(${MPIEXEC} 2 ${WORK}/nvcc/operators)
endfunction()

expect_stores(conversions.cu 3)
run(${plain} -c ${sources}/kernel.cu -o ${WORK}/nvcc/kernel.o)
foreach(flag -use_fast_math -ftz=true -prec-div=false -prec-sqrt=false)
  expect_refusal(${flag})
endforeach()
expect_exported_flags()
run_operators()
