#!/usr/bin/env bash
# Fuzzes every parser with libFuzzer under ASan and UBSan: tools/fuzz.sh [SECONDS] [TARGET...]
# Each target runs for SECONDS (60), JOBS of them at once (all cores). An input that crashes, hangs for 5 s, or asks for
# more than 1 GB at once is kept in build/fuzz/findings and fails the script; once mended it goes to tests/fuzz/kept.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
shift || true
jobs=${JOBS:-$(nproc)}

say() { printf 'fuzz: %s\n' "$*" >&2; }

has_fuzzer() {
  printf 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++-14 -fsanitize=fuzzer,address -x c++ - -o /dev/null 2>/dev/null
}

if ! has_fuzzer; then
  as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  say "installing clang-14 and libclang-rt-14-dev"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends clang-14 \
    libclang-rt-14-dev >&2
  has_fuzzer || { say "clang-14 has no fuzzer runtime here"; exit 2; }
fi

mkdir -p build
cmake --preset fuzz > build/configure-fuzz.log 2>&1 || { cat build/configure-fuzz.log; exit 2; }
targets=("$@")
[ ${#targets[@]} -gt 0 ] || for source in tests/fuzz/targets/*.cc; do targets+=("$(basename "$source" .cc)"); done
cmake --build build/fuzz -j "$jobs" --target "${targets[@]/#/fuzz_}" >&2

findings=build/fuzz/findings
mkdir -p "$findings"
fuzz_one() {
  local name=$1 corpus=build/fuzz/corpus/$1 log=build/fuzz/$1.log
  mkdir -p "$corpus" "tests/fuzz/kept/$name"
  local dictionary=()
  [ ! -f "tests/fuzz/dictionaries/$name" ] || dictionary=(-dict="tests/fuzz/dictionaries/$name")
  # By hand, runs differ on purpose, and the corpus in build/ grows from run to run; CI sets a seed.
  if ASAN_OPTIONS=detect_leaks=1 build/fuzz/fuzz/fuzz_"$name" -seed="${FUZZ_SEED:-0}" -max_total_time="$2" -timeout=5 -malloc_limit_mb=1024 \
    -rss_limit_mb=2048 -max_len=4096 -print_final_stats=1 "${dictionary[@]}" -artifact_prefix="$3/$name-" \
    "$corpus" "tests/fuzz/corpus/$name" "tests/fuzz/kept/$name" > "$log" 2>&1; then
    printf 'ok   %-16s %s runs\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: //p' "$log")"
  else
    printf 'FAIL %-16s %s\n' "$name" "$log"
    return 1
  fi
}
export -f fuzz_one
printf '%s\n' "${targets[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz_one {} '"$seconds $findings" || {
  say "a target failed; its log is named above and its input is in $findings"
  exit 1
}
