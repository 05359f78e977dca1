# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# How every target of the project is compiled, and how a layer of lib/ is declared.

# Numeric code keeps IEEE arithmetic: no contraction, no reassociation (bits must not depend on the compiler's mood).
add_library(rankfold_flags INTERFACE)
target_compile_features(rankfold_flags INTERFACE cxx_std_20)
target_compile_options(rankfold_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -ffp-contract=off>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>  # false alarms on std::string operator+ (GCC bug 105651)
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${RANKFOLD_WARNINGS_AS_ERRORS}>>:-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -fmad=false -Xcompiler=-Wall,-Wextra,-ffp-contract=off>
  $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${RANKFOLD_WARNINGS_AS_ERRORS}>>:-Werror=all-warnings>)
if(RANKFOLD_SANITIZE)
  target_compile_options(rankfold_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(rankfold_flags INTERFACE -fsanitize=address,undefined)
endif()

# rankfold_install_tool(TARGET): into bin; a shared librankfold is found from there.
function(rankfold_install_tool target)
  if(NOT RANKFOLD_INSTALL)
    return()
  endif()
  file(RELATIVE_PATH to_library ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set(place $ORIGIN/${to_library})
  if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
    set(place ${CMAKE_INSTALL_LIBDIR})
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH ${place})
  install(TARGETS ${target} RUNTIME)
endfunction()

# rankfold_add_layer(NAME SOURCES ... USES ...): the object library rankfold_<NAME> of one folder of lib/.
# Headers in <folder>/include/<NAME>/ are what other layers may include; a layer sees those of USES and no others.
function(rankfold_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES")
  add_library(rankfold_${name} OBJECT ${arg_SOURCES})
  set_target_properties(rankfold_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(rankfold_${name}
    PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(rankfold_${name} PRIVATE rankfold_flags ${arg_USES})
endfunction()
