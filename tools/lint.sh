#!/usr/bin/env bash
# clang-tidy with the checks of .clang-tidy, and the format check.
#   tools/lint.sh BUILD             every source of the build folder
#   tools/lint.sh BUILD --changed   sources that differ from main
#   tools/lint.sh BUILD FILE...     these sources
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: tools/lint.sh BUILD [--changed | FILE...]}
shift
command -v clang-tidy >/dev/null || { echo "lint: clang-tidy is not installed (apt-get install clang-tidy-14)" >&2; exit 2; }
[ -f "$build/compile_commands.json" ] || { echo "lint: $build is not configured; run make build" >&2; exit 2; }

case "${1:-}" in
  "") wanted=$(git ls-files 'src/*.cc' 'tests/*.cc' 'bench/*.cc') ;;
  --changed) wanted=$(git diff --name-only --diff-filter=d "$(git merge-base HEAD main)" -- 'src/*.cc' 'tests/*.cc' 'bench/*.cc') ;;
  *) wanted=$(printf '%s\n' "$@") ;;
esac

# clang cannot read GCC's precompiled header: its text is included instead. Files outside this build are left out.
mkdir -p "$build/lint"
files=$(WANTED="$wanted" /usr/bin/python3 - "$build" <<'PYTHON'
import json, os, re, sys
build = sys.argv[1]
entries = json.load(open(f"{build}/compile_commands.json"))
for entry in entries:
    command = re.sub(r" -(Winvalid-pch|fpch-preprocess)\b", "", entry["command"])
    entry["command"] = re.sub(r"-include \S*cmake_pch\.hxx", f"-include {os.getcwd()}/src/plumbline/torch_pch.h", command)
json.dump(entries, open(f"{build}/lint/compile_commands.json", "w"))
known = {os.path.relpath(entry["file"]) for entry in entries}
print("\n".join(name for name in os.environ["WANTED"].split() if os.path.relpath(name) in known))
PYTHON
)
status=0
if [ -n "$files" ]; then
  echo "lint: clang-tidy over $(wc -l <<<"$files") files" >&2
  xargs -P "${JOBS:-$(nproc)}" -n 1 clang-tidy -quiet -p "$build/lint" <<<"$files" 2> "$build/lint/stderr.log" || status=1
fi
if command -v clang-format >/dev/null; then tools/check_format.sh || status=1; fi
exit $status
