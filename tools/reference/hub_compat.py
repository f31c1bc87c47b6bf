#!/usr/bin/env python3
"""Does huggingface_hub find what plumbline downloaded, and plumbline what huggingface_hub did? Both against one local hub.

    python tools/reference/hub_compat.py build/release/plumbline      (needs huggingface_hub; no network)
"""
import hashlib
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

COMMIT = "c" * 38 + "02"
TOKENIZER = json.dumps({"version": "1.0", "added_tokens": [], "normalizer": None, "pre_tokenizer": None,
                        "post_processor": None, "decoder": {"type": "Fuse"},
                        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}).encode()
SMALL = {"config.json": b"{}", "generation_config.json": b"{ }", "tokenizer_config.json": b"{\"a\": 1}",
         "model.safetensors.index.json": b'{"weight_map": {"x": "model-00001-of-00002.safetensors", '
                                         b'"y": "model-00002-of-00002.safetensors"}}'}
LARGE = {"tokenizer.json": TOKENIZER, "model-00001-of-00002.safetensors": os.urandom(3 << 20),
         "model-00002-of-00002.safetensors": os.urandom(5 << 20)}
FILES = {**SMALL, **LARGE}
requests = []


def blob_hash(path):
    content = FILES[path]
    if path in LARGE:
        return hashlib.sha256(content).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    is_store = False

    def log_message(self, *_):
        pass

    def reply(self, status, body, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        path = self.path.split("?")[0]
        requests.append((self.command, path, self.headers.get("User-Agent", "")))
        if path.startswith("/api/models/org/model/revision/"):
            siblings = [{"rfilename": name, "size": len(content), "blobId": blob_hash(name) if name in SMALL else "0" * 40,
                         **({"lfs": {"sha256": blob_hash(name), "size": len(content), "pointerSize": 130}}
                            if name in LARGE else {})} for name, content in FILES.items()]
            return self.reply(200, json.dumps({"id": "org/model", "modelId": "org/model", "sha": COMMIT, "tags": [],
                                               "siblings": siblings}).encode(), Content_Type="application/json")
        if path.startswith("/api/models/org/model/tree/"):
            tree = [{"type": "file", "path": name, "size": len(content),
                     "oid": blob_hash(name) if name in SMALL else "0" * 40,
                     **({"lfs": {"oid": blob_hash(name), "size": len(content), "pointerSize": 130}} if name in LARGE else {})}
                    for name, content in FILES.items()]
            return self.reply(200, json.dumps(tree).encode(), Content_Type="application/json")
        prefix = f"/org/model/resolve/{COMMIT}/"
        name = path[len(prefix):] if path.startswith(prefix) else None
        if name in SMALL:
            return self.reply(200, SMALL[name], ETag=f'"{blob_hash(name)}"', X_Repo_Commit=COMMIT)
        if name in LARGE:
            return self.reply(302, b"", Location=f"http://127.0.0.1:{STORE.server_port}/store/{name}?Signature=a%2Fb",
                              X_Linked_Etag=f'"{blob_hash(name)}"', X_Linked_Size=str(len(LARGE[name])),
                              X_Repo_Commit=COMMIT)
        if path.startswith("/store/"):
            return self.reply(200, LARGE[path[len("/store/"):]], ETag='"of-the-store"')
        return self.reply(404, b"{}", X_Error_Code="RepoNotFound")


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


HUB, STORE = serve(), serve()
ENDPOINT = f"http://127.0.0.1:{HUB.server_port}"
PLUMBLINE = os.path.abspath(sys.argv[1])


def environment(home, **more):
    keep = {name: value for name, value in os.environ.items() if not name.startswith("HF_") and "proxy" not in name.lower()}
    return {**keep, "HF_HOME": home, "HF_ENDPOINT": ENDPOINT, "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_XET": "1",
            "PLUMBLINE_CACHE": home + "/plumbline", **more}


def ours(home, **more):
    done = subprocess.run([PLUMBLINE, "--fetch-model", "weights", "org/model"], env=environment(home, **more),
                          capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["path"]


def theirs(home, wait=True, **arguments):
    code = ("import huggingface_hub, json; print(json.dumps([huggingface_hub.__version__, huggingface_hub.snapshot_download("
            f"'org/model', **{arguments!r})]))")
    process = subprocess.Popen([sys.executable, "-c", code], env=environment(home), stdout=subprocess.PIPE, text=True,
                               stderr=subprocess.DEVNULL)
    return answer_of(process) if wait else process


def answer_of(process):
    out = process.communicate()[0]
    assert process.returncode == 0, out
    return json.loads(out.splitlines()[-1])


def expect_whole(folder):
    for name, content in FILES.items():
        assert pathlib.Path(folder, name).read_bytes() == content, name


def tree_of(home):
    """Links with their targets and blobs, without what only huggingface_hub keeps beside them."""
    root = pathlib.Path(home, "hub", "models--org--model")
    return sorted((str(path.relative_to(root)), os.readlink(path) if path.is_symlink() else "file")
                  for path in root.rglob("*") if (path.is_symlink() or path.is_file()) and "trees" not in path.parts)


def num_downloads():
    return sum(1 for command, path, _ in requests if command == "GET" and ("/store/" in path or "/resolve/" in path))


with tempfile.TemporaryDirectory() as base:
    a, b, c = (os.path.join(base, name) for name in "abc")
    folder = ours(a)
    expect_whole(folder)
    before = len(requests)
    version, found = theirs(a, local_files_only=True)
    assert os.path.realpath(found) == os.path.realpath(folder) and len(requests) == before
    downloads = num_downloads()
    assert os.path.realpath(theirs(a)[1]) == os.path.realpath(folder) and num_downloads() == downloads
    print(f"huggingface_hub {version} finds plumbline's download offline, and online fetches none of {len(FILES)} files again")

    found = theirs(b)[1]
    before = len(requests)
    tokens = subprocess.run([PLUMBLINE, "inspect", "org/model", "tokens"], input='"abba"\n', text=True, check=True,
                            env=environment(b, HF_HUB_OFFLINE="1"), capture_output=True).stdout
    assert tokens == "[2,1,0]\n" and len(requests) == before, (tokens, requests[before:])
    print(f"plumbline finds huggingface_hub's download offline ({found.split('/')[-1][:8]}), without a request")
    assert tree_of(a) == tree_of(b), (tree_of(a), tree_of(b))
    print(f"both wrote the same {len(tree_of(a))} names and link targets")

    requests.clear()
    process = theirs(c, wait=False)
    folder = ours(c)
    expect_whole(folder)
    expect_whole(answer_of(process)[1])
    assert tree_of(c) == tree_of(a), tree_of(c)
    print(f"both at once into one cache: whole for both, {num_downloads()} downloads of {len(FILES)} files")
