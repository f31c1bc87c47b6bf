#!/usr/bin/env python3
"""Random quantised blocks and what gguf-py makes of them, for tests/golden/gguf/blocks.safetensors.

  gguf_blocks.py OUT.safetensors

Per type a tensor <type>.bytes (U8) of a few blocks and <type>.values (F32). Scales are those of ordinary weights in the
first blocks and extreme ones in the rest: zero, the smallest subnormal, the largest finite half, negative.

Needs gguf, numpy and safetensors (gguf 0.19 was used); none of them is part of plumbline's build or tests.
"""
import sys

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType
from gguf.quants import dequantize
from safetensors.numpy import save_file

# Where the half-precision scales of a block lie, in bytes from its start.
SCALES = {"Q4_0": (0,), "Q4_1": (0, 2), "Q5_0": (0,), "Q5_1": (0, 2), "Q8_0": (0,), "IQ4_NL": (0,), "Q2_K": (80, 82),
          "Q3_K": (108,), "Q4_K": (0, 2), "Q5_K": (0, 2), "Q6_K": (208,)}
EXTREME = np.array([0x0000, 0x8000, 0x0001, 0x7bff, 0xfbff, 0x03ff, 0x3c00, 0xbc01], dtype=np.uint16)
NUM_ORDINARY = 6


def main(out):
    rng = np.random.default_rng(20262)
    tensors = {}
    for name, places in SCALES.items():
        kind = GGMLQuantizationType[name]
        elements, size = GGML_QUANT_SIZES[kind]
        count = NUM_ORDINARY + len(EXTREME) // (4 if elements == 256 else 1)
        blocks = rng.integers(0, 256, size=(count, size), dtype=np.uint8)
        for place in places:
            scales = (rng.normal(size=count) * 0.02).astype(np.float16).view(np.uint16)
            extreme = rng.permutation(EXTREME)[: count - NUM_ORDINARY]
            scales[NUM_ORDINARY:] = extreme
            blocks[:, place : place + 2] = scales.view(np.uint8).reshape(count, 2)
        tensors[f"{name}.bytes"] = blocks
        tensors[f"{name}.values"] = dequantize(blocks, kind).reshape(count, elements).astype(np.float32)
    save_file(tensors, out)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
