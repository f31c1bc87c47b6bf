#!/usr/bin/env bash
# Fails, naming the places, when a source is not as clang-format 14 writes it. `make format` repairs.
set -euo pipefail
cd "$(dirname "$0")/.."
clang_format=${CLANG_FORMAT:-clang-format}
find src tests $([ -d bench ] && echo bench) -name '*.cc' -o -name '*.h' -o -name '*.cu' | sort | xargs "$clang_format" --dry-run -Werror
