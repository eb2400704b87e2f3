#!/bin/sh
# Builds and runs native/test_*.cpp and native/fuzz_*.cpp under the sanitizers: ./run_tests.sh [SEEDS]
# With SEEDS, those that draw their data do so again with the seeds 1 to SEEDS. Clang's libFuzzer takes the same targets.
# Threads are watched where there are any, in the version for any processor, so that both kinds of loops are run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
export here CXX="${CXX:-g++}" seeds="${1:-0}"
out=$(mktemp -d)
export out
trap 'rm -rf "$out"' EXIT
for header in $(cd "$here" && grep -L nanobind ./*.hpp); do
  grep -q "#include \"${header#./}\"" "$here/test_headers.cpp" || { echo "test_headers.cpp lacks $header"; exit 1; }
done
for test in "$here"/test_*.cpp "$here"/fuzz_*.cpp; do
  [ "$test" = "$here/test_headers.cpp" ] && { echo "$test none"; continue; }
  echo "$test address,undefined"
  "$CXX" -std=c++17 -MM "$test" | grep -Eq 'parallel|multiversion' && echo "$test thread"
done | xargs -P "$(getconf _NPROCESSORS_ONLN)" -L 1 sh -euc '
  name=$(basename "$1" .cpp)
  warnings="-Wall -Wextra -Wconversion -Wno-sign-conversion -Werror"
  if [ "$2" = none ]; then
    "$CXX" -std=c++17 $warnings -pthread -fsyntax-only "$1"
    echo "== $name: compiles"
    exit
  fi
  version=
  [ "$2" = thread ] && version=-DCONFMAT_PROCESSOR=any
  program="$out/$name-$2"
  "$CXX" -std=c++17 -O1 -g $warnings -pthread -fsanitize="$2" -fno-sanitize-recover=all -fno-omit-frame-pointer \
    $version "$1" -o "$program"
  export TSAN_OPTIONS=halt_on_error=1
  outcome=$("$program")
  echo "== $name: $2: $outcome"
  if grep -Eq "seed_of|fuzz_driver" "$1"; then
    for seed in $(seq "$seeds"); do "$program" "$seed" >/dev/null || { echo "$name fails with seed $seed"; exit 1; }; done
  fi
' test
