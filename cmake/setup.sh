# SPDX-FileCopyrightText: 2026 the Rankfold authors
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034
# Sourced by demo.sh and check.sh: installs what is missing, and finds out how this machine builds and runs.
#   setup_machine build|tests   all that building and running needs; `tests`: it is an error if GoogleTest is missing
#   configure PRESET [options]  cmake with the generator that is there; speaks only if it fails
# Sets: source_dir jobs has_gpu gpu_count nvcc cuda_options mpich_options build_options lacking_tools
source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
geoid=/usr/share/proj/egm96_15.gtx

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
have_any() { local tool; for tool; do have "$tool" && return; done; return 1; }
python_module() { /usr/bin/python3 -c "import $1" >/dev/null 2>&1; }

# True if the compiler finds the header, also where CPATH and CMAKE_PREFIX_PATH point.
header() {
  have c++ || { test -e "/usr/include/$1"; return; }
  local dir flags=()
  for dir in $(tr ':;' '  ' <<<"${CMAKE_PREFIX_PATH:-}"); do flags+=("-I$dir/include"); done
  printf '#include <%s>\n' "$1" | c++ -std=c++20 -x c++ "${flags[@]}" -M - >/dev/null 2>&1
}

# Of the second MPI, which Debian puts beside the first.
have_mpich_header() { have mpicxx.mpich && printf '#include <mpi.h>\n' | mpicxx.mpich -x c++ -M - >/dev/null 2>&1; }

# What for | how to see that it is there | Debian and Ubuntu | RPM | Spack
needed_table() {
  cat <<'END'
build|have c++|g++|gcc-c++|gcc
build|have cmake|cmake|cmake|cmake
build|have_any ninja make|ninja-build|ninja-build|ninja
build|have pkg-config|pkg-config|pkgconf-pkg-config|pkgconf
build|have mpirun|openmpi-bin|openmpi|openmpi
build|have mpicxx|libopenmpi-dev|openmpi-devel|openmpi
build|pkg-config --exists hwloc|libhwloc-dev|hwloc-devel|hwloc
build|header CLI/CLI.hpp|libcli11-dev|cli11-devel|cli11
build|header nlohmann/json.hpp|nlohmann-json3-dev|json-devel|nlohmann-json
build|header fmt/format.h|libfmt-dev|fmt-devel|fmt
data|test -e /usr/share/proj/egm96_15.gtx|proj-data|(egm96_15.gtx of PROJ)|(egm96_15.gtx of PROJ)
tests|header gtest/gtest.h|libgtest-dev|gtest-devel|googletest
tests|header boost/context/fiber.hpp|libboost-context-dev|boost-devel|boost+context
tests|header relacy/relacy.hpp|relacy-dev|(none)|(none)
tests|have spin|spin|(none)|spin
tests|python_module matplotlib|python3-matplotlib|python3-matplotlib|py-matplotlib
tests|pkg-config --exists mpfr|libmpfr-dev|mpfr-devel|mpfr
mpich|have mpicxx.mpich|mpich|(none)|(none)
mpich|have_mpich_header|libmpich-dev|(none)|(none)
END
}

# The rows of the table, of the purposes given, of what is not there.
missing_rows() {
  local purpose probe names
  while IFS='|' read -r purpose probe names; do
    if [[ " $* " == *" $purpose "* ]] && ! $probe >/dev/null 2>&1 </dev/null; then
      printf '%s|%s\n' "$purpose" "$names"
    fi
  done < <(needed_table)
}

as_root() { if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi; }
may_install() { have apt-get && { ((EUID == 0)) || { have sudo && sudo -n true 2>/dev/null; }; }; }

apt_install() {
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=120) package
  say "installing: $*"
  as_root "${apt[@]}" update >/dev/null || say "apt-get update failed; trying with the lists that are there"
  as_root "${apt[@]}" install --no-install-recommends "$@" >/dev/null && return
  for package; do # one that does not exist here must not keep the others away
    as_root "${apt[@]}" install --no-install-recommends "$package" >/dev/null || say "not installed: $package"
  done
}

print_rows() {
  printf '  %-22s %-24s %s\n' 'Debian, Ubuntu' RPM Spack >&2
  while IFS='|' read -r _ deb rpm spack; do printf '  %-22s %-24s %s\n' "$deb" "$rpm" "$spack" >&2; done <<<"$1"
}

require_cmake() {
  local version
  version=$(cmake --version | sed -n '1s/cmake version //p')
  [[ $(printf '3.25\n%s\n' "$version" | sort -V | head -1) == 3.25 ]] ||
    die "CMake 3.25 or later is needed, here is $version: take one from cmake.org, pip or Spack (cmake)"
}

install_missing() {
  local rows
  rows=$(missing_rows build data tests "${RANKFOLD_MPI:-}")
  if [[ -n $rows ]] && may_install; then
    mapfile -t packages < <(cut -d'|' -f2 <<<"$rows")
    apt_install "${packages[@]}"
  fi
  rows=$(missing_rows build)
  [[ -z $rows ]] || { print_rows "$rows"; die "install these, and run again (apt-get needs root or passwordless sudo)"; }
  rows=$(missing_rows tests)
  lacking_tools=$(cut -d'|' -f2 <<<"$rows" | tr '\n' ' ' | sed 's/ *$//')
  if [[ $lacking_tools == *libgtest-dev* ]]; then
    [[ $1 == build ]] || { print_rows "$rows"; die "the tests need GoogleTest; install it, and run again"; }
    build_options+=(-DRANKFOLD_BUILD_TESTS=OFF)
  else
    build_options+=(-DRANKFOLD_BUILD_TESTS=ON)
  fi
  require_cmake
}

# Compilers take about a gigabyte each.
choose_jobs() {
  local gigabytes
  gigabytes=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
  jobs=$(nproc)
  ((jobs <= gigabytes)) || jobs=$((gigabytes > 1 ? gigabytes : 1))
}

# One architecture (that of the GPU, else 90) and the core set of pairs, unless RANKFOLD_FULL=1 or CUDAARCHS say more.
choose_cuda() {
  local capability=""
  nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null || true)
  [[ -z $nvcc ]] || export CUDACXX=${CUDACXX:-$nvcc}
  if have nvidia-smi && nvidia-smi -L 2>/dev/null | grep -q '^GPU '; then
    has_gpu=yes
    gpu_count=$(nvidia-smi -L | grep -c '^GPU ')
    if [[ -n ${CUDA_VISIBLE_DEVICES:-} ]]; then # fewer are to be used
      gpu_count=$(tr ',' '\n' <<<"$CUDA_VISIBLE_DEVICES" | grep -c .)
    fi
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | sort -u | tr -d . | tr '\n' ';' | sed 's/;$//')
  fi
  cuda_options=(-DRANKFOLD_ENABLE_CUDA=AUTO)
  if [[ ${RANKFOLD_FULL:-0} == 1 ]]; then
    cuda_options+=(-DRANKFOLD_FULL=ON)
  else
    cuda_options+=(-DRANKFOLD_FULL=OFF "-DCMAKE_CUDA_ARCHITECTURES=${CUDAARCHS:-${capability:-90}}")
  fi
}

setup_machine() {
  build_options=() mpich_options=() lacking_tools="" has_gpu=no gpu_count=0
  install_missing "$1"
  choose_jobs
  choose_cuda
  if have_mpich_header && have mpiexec.mpich; then
    mpich_options=("-DMPI_CXX_COMPILER=$(command -v mpicxx.mpich)" "-DMPIEXEC_EXECUTABLE=$(command -v mpiexec.mpich)")
  fi
  if ((EUID == 0)); then # Open MPI refuses root without these
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  fi
}

configure() {
  local preset=$1 log=$source_dir/build/configure-$1.log generator=()
  shift
  mkdir -p "$source_dir/build"
  [[ -e $source_dir/build/$preset/CMakeCache.txt ]] || ! have ninja || generator=(-G Ninja)
  if ! (cd "$source_dir" && cmake --preset "$preset" "${generator[@]}" "${build_options[@]}" "$@") >"$log" 2>&1; then
    cat "$log" >&2
    return 1
  fi
}
