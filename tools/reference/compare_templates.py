"""Renders published chat templates here and with jinja2 as transformers configures it, over chats with every feature.

    python tools/reference/compare_templates.py --plumbline build/release/plumbline TEMPLATE.jinja...
    python tools/reference/compare_templates.py --write tests/parity/text/package_templates.jsonl.gz TEMPLATE.jinja...

The templates come out of PyPI packages (the sdist of llama-cpp-python 0.3.36 has many under vendor/llama.cpp/models/templates).
Only templates whose licence allows it are stored; --write asks for --source, the package and licence line. Needs: pip
install jinja2.
"""
import argparse
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import jinja2

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from fuzz_templates import TOOLS, environment, is_stable, says  # noqa: E402

CALL = {"type": "function", "id": "call12345", "function": {"name": "get_weather", "arguments": {"city": "Bern", "n": 2, "deep": {"a": [1, None, True], "q": "it's \"x\" <b>&"}}}}
CHATS = {
    "user": [{"role": "user", "content": "What is 2 + 2?"}],
    "system": [{"role": "system", "content": "You are  brief.\n"}, {"role": "user", "content": " Hi\n"}],
    "turns": [{"role": "user", "content": "a"}, {"role": "assistant", "content": " b "}, {"role": "user", "content": "c"}, {"role": "assistant", "content": "d"}, {"role": "user", "content": "e"}],
    "ends with assistant": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "<think>\nhm\n</think>\n\nb"}],
    "thinking": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b", "reasoning_content": "because"}, {"role": "user", "content": "c"}],
    "tool call": [{"role": "user", "content": "w?"}, {"role": "assistant", "content": "", "tool_calls": [CALL]}, {"role": "tool", "name": "get_weather", "tool_call_id": "call12345", "content": "{\"t\": 3}"}],
    "two calls": [{"role": "system", "content": "s"}, {"role": "user", "content": "w?"}, {"role": "assistant", "content": "ok", "tool_calls": [CALL, CALL]},
                  {"role": "tool", "name": "get_weather", "tool_call_id": "call12345", "content": "1"}, {"role": "tool", "name": "get_weather", "tool_call_id": "call12345", "content": "2"}, {"role": "assistant", "content": "done"}, {"role": "user", "content": "thanks"}],
    "parts": [{"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "text", "text": "é🙂"}]}],
    "image": [{"role": "user", "content": [{"type": "image"}, {"type": "text", "text": "x"}]}],
    "wrong order": [{"role": "assistant", "content": "a"}, {"role": "user", "content": "b"}],
    "unknown role": [{"role": "critic", "content": "a"}],
    "empty": [],
    "two users": [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}],
    "developer": [{"role": "developer", "content": "d"}, {"role": "user", "content": "x"}],
    "unicode": [{"role": "user", "content": "naïve 中文 👩‍👩‍👧 \u2028 <|im_end|> {{ x }} {% y %}\t"}],
}
DOCUMENTS = [{"title": "T", "text": "ß text", "contents": "c", "doc_id": 1}]
VARIANTS = [{}, {"add_generation_prompt": False}, {"tools": TOOLS}, {"tools": TOOLS, "add_generation_prompt": False}, {"documents": DOCUMENTS}, {"enable_thinking": False}, {"thinking": True, "enable_thinking": True}]
TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}


def contexts():
    for chat, messages in CHATS.items():
        for variant in VARIANTS:
            yield chat, {"messages": messages, "add_generation_prompt": True, "tools": None, "documents": None, **TOKENS, **variant}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("templates", nargs="+")
    parser.add_argument("--plumbline", default="build/release/plumbline")
    parser.add_argument("--write")
    parser.add_argument("--source")
    arguments = parser.parse_args()
    env, stored, failed, total = environment(), [], 0, 0
    for name in arguments.templates:
        source = pathlib.Path(name).read_text("utf-8")
        rows = [(chat, context, says(env, source, context)) for chat, context in contexts()]
        rows = [row for row in rows if is_stable(row[2].get("text", ""))]
        if arguments.write:
            stored.append({"name": pathlib.Path(name).name, "template": source, "rows": [[context, want] for _, context, want in rows]})
            continue
        lines = "".join(json.dumps({"messages": c["messages"], "add_generation_prompt": c["add_generation_prompt"],
                                    "extra": {k: v for k, v in c.items() if k not in ("messages", "add_generation_prompt")}}) + "\n" for _, c, _ in rows)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([arguments.plumbline, "inspect", folder, "render", "--template", name, "--now", "2026-01-31T12:05:09"],
                                  input=lines, capture_output=True, text=True, encoding="utf-8")
        if done.returncode:
            print(f"{pathlib.Path(name).name}: {done.stderr.strip()[:200]}")
            failed += 1
            continue
        wrong = 0
        for (chat, context, want), line in zip(rows, done.stdout.split("\n")[:-1], strict=True):
            value = json.loads(line)
            have = value if isinstance(value, dict) else {"text": value}
            same = want == have if want.get("error", "").startswith("TemplateError") else ("error" in want) == ("error" in have) and want.get("text") == have.get("text")
            if not same:
                wrong += 1
                if wrong == 1:
                    print(f"{pathlib.Path(name).name}, {chat}, {({k: v for k, v in context.items() if k not in ('messages', *TOKENS)})}:\n  want {str(want)[:300]}\n  got  {str(have)[:300]}")
        errors = sum("error" in row[2] for row in rows)
        total += len(rows) - wrong
        failed += wrong > 0
        print(f"{pathlib.Path(name).name}: {len(rows) - wrong} of {len(rows)} rows equal, {errors} of them errors")
    if arguments.write:
        head = {"made_with": f"jinja2 {jinja2.__version__}", "command": "tools/reference/compare_templates.py " + " ".join(sys.argv[1:]), "source": arguments.source}
        lines = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in [head, *stored])
        pathlib.Path(arguments.write).write_bytes(gzip.compress(lines.encode("ascii"), 9, mtime=0))
        print(f"{len(stored)} templates written")
        return 0
    print(f"jinja2 {jinja2.__version__}: {total} rows equal; {failed} of {len(arguments.templates)} templates with a difference")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
