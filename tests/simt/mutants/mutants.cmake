# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# rankfold_add_mutant(<name> IN <device header> TRIAL <one of trials.cmake> FAULT <text>
#                     FIND <code> REPLACE <code> [FIND2 <code> REPLACE2 <code> [FIND3 ...]])
# Builds a trial with a copy of a kernel header in which one fault is planted, and registers a test that passes only if the
# executor notices it. A fault whose place is no longer there, or no longer unique, stops the configuration.
function(rankfold_plant variable find replace name)
  string(FIND "${${variable}}" "${find}" first)
  string(FIND "${${variable}}" "${find}" last REVERSE)
  if(first EQUAL -1 OR NOT first EQUAL last)
    message(FATAL_ERROR "mutant ${name}: its place is gone or not unique: ${find}")
  endif()
  string(REPLACE "${find}" "${replace}" planted "${${variable}}")
  set(${variable} "${planted}" PARENT_SCOPE)
endfunction()

function(rankfold_add_mutant name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "IN;TRIAL;FAULT;FIND;REPLACE;FIND2;REPLACE2;FIND3;REPLACE3" "")
  set(header ${PROJECT_SOURCE_DIR}/include/rankfold/device/${arg_IN})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  file(READ ${header} text)
  foreach(n "" 2 3)
    if(arg_FIND${n})
      rankfold_plant(text "${arg_FIND${n}}" "${arg_REPLACE${n}}" ${name})
    endif()
  endforeach()
  set(root ${CMAKE_CURRENT_BINARY_DIR}/mutants/${name})
  file(CONFIGURE OUTPUT ${root}/rankfold/device/${arg_IN} CONTENT "${text}" @ONLY)
  list(GET trial_${arg_TRIAL} 0 trial_header)
  list(GET trial_${arg_TRIAL} 1 trial)
  rankfold_add_simt_test(mutant.${name} SOURCES mutants/mutant.cpp)
  target_include_directories(test_simt_mutant_${name} BEFORE PRIVATE ${root})
  target_compile_definitions(test_simt_mutant_${name} PRIVATE
    RANKFOLD_FAULT="${arg_FAULT}" RANKFOLD_TRIAL_HEADER="${trial_header}" "RANKFOLD_TRIAL=${trial}")
  target_compile_options(test_simt_mutant_${name} PRIVATE -O1)
endfunction()
