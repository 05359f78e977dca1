# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# Export set, version file and pkg-config.
if(NOT RANKFOLD_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)

install(TARGETS rankfold EXPORT rankfold
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/rankfold ${PROJECT_BINARY_DIR}/include/rankfold
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh" PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# find_package(Rankfold CONFIG)
set(rankfold_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Rankfold)
get_target_property(rankfold_library_type rankfold TYPE)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/RankfoldConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/RankfoldConfig.cmake
                              INSTALL_DESTINATION ${rankfold_package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/RankfoldConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)  # until 1.0
install(EXPORT rankfold NAMESPACE Rankfold:: FILE RankfoldTargets.cmake DESTINATION ${rankfold_package_dir})
install(FILES ${PROJECT_BINARY_DIR}/RankfoldConfig.cmake ${PROJECT_BINARY_DIR}/RankfoldConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindNCCL.cmake
        DESTINATION ${rankfold_package_dir})

# pkg-config. What a static library was built with must be linked with it; a shared one brings it along.
set(rankfold_public_libs ${MPI_CXX_LIBRARIES})
set(rankfold_private_libs ${OpenMP_CXX_LIBRARIES} ${CMAKE_THREAD_LIBS_INIT})
if(RANKFOLD_HAS_CUDA)
  list(APPEND rankfold_private_libs -L${CUDAToolkit_LIBRARY_DIR} -lcudart ${NCCL_LIBRARY})
endif()
list(TRANSFORM MPI_CXX_INCLUDE_DIRS PREPEND -I OUTPUT_VARIABLE rankfold_mpi_includes)
list(JOIN rankfold_public_libs " " rankfold_public_libs)
list(JOIN rankfold_private_libs " " rankfold_private_libs)
list(JOIN rankfold_mpi_includes " " rankfold_mpi_includes)
if(rankfold_library_type STREQUAL "STATIC_LIBRARY")
  set(rankfold_requires "Requires: hwloc >= 2.0")
  string(APPEND rankfold_public_libs " ${rankfold_private_libs}")
  set(rankfold_private_libs "")
else()
  set(rankfold_requires "")
endif()
# The tree can be moved, unless a folder is absolute (Nix, Guix).
set(rankfold_pc_libdir ${CMAKE_INSTALL_LIBDIR})
set(rankfold_pc_includedir ${CMAKE_INSTALL_INCLUDEDIR})
file(RELATIVE_PATH rankfold_pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(PREPEND rankfold_pc_prefix "\${pcfiledir}/")
if(IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  set(rankfold_pc_prefix ${CMAKE_INSTALL_PREFIX})
endif()
foreach(folder libdir includedir)
  if(NOT IS_ABSOLUTE ${rankfold_pc_${folder}})
    string(PREPEND rankfold_pc_${folder} "\${prefix}/")
  endif()
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/rankfold.pc.in ${PROJECT_BINARY_DIR}/rankfold.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/rankfold.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
