#!/bin/sh
# Builds and runs native/test_*.cpp under the sanitizers: ./run_tests.sh [compiler]
# Threads are watched in the version for any processor, so that both kinds of loops are run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
compiler=${1:-${CXX:-g++}}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for header in $(cd "$here" && grep -L nanobind ./*.hpp); do
  grep -q "#include \"${header#./}\"" "$here/test_headers.cpp" || { echo "test_headers.cpp lacks $header"; exit 1; }
done
for test in "$here"/test_*.cpp; do
  name=$(basename "$test" .cpp)
  for sanitizer in address,undefined thread; do
    version=
    [ "$sanitizer" = thread ] && version=-DCONFMAT_PROCESSOR=any
    echo "== $name: $sanitizer"
    "$compiler" -std=c++17 -O1 -g -Wall -Wextra -Wconversion -Wno-sign-conversion -Werror -pthread \
      -fsanitize="$sanitizer" -fno-sanitize-recover=all -fno-omit-frame-pointer $version "$test" -o "$out/$name"
    TSAN_OPTIONS=halt_on_error=1 "$out/$name"
  done
done
