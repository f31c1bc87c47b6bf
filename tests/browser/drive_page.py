#!/usr/bin/env python3
"""Opens a page in headless Chromium at desktop and phone width, light and dark, and prints as JSON what happened.

    drive_page.py CHROMIUM PAGE.html FOLDER

Screenshots go to FOLDER as desktop-light.png and so on. Speaks the remote debugging protocol over a pipe.
"""
import base64
import fcntl
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

VIEWS = {"desktop": (1280, 900, False), "phone": (360, 740, True)}
DEADLINE_S = 400  # a busy machine; a browser that hangs

# What a reader would stumble over, asked of the page itself.
QUESTIONS = """({
  scripts: document.querySelectorAll('script').length,
  embeds: document.querySelectorAll('img, iframe, object, embed, link, form, a[href]').length,
  handlers: [...document.querySelectorAll('*')].filter(e => e.getAttributeNames().some(n => n.startsWith('on'))).length,
  pwned: typeof window.pwned,
  overflow: document.documentElement.scrollWidth - window.innerWidth,
  first_heading: document.querySelector('h2').innerText,
  completions: [...document.querySelectorAll('pre')].map(e => e.textContent),
  marks: [...document.querySelectorAll('mark')].map(e => e.textContent),
  charts: document.querySelectorAll('svg').length,
  charts_named: [...document.querySelectorAll('svg')].filter(e => e.getAttribute('role') === 'img' && e.tabIndex === 0 &&
      e.getAttribute('aria-labelledby').split(' ').every(id => document.getElementById(id).textContent.length > 0)).length,
  charts_with_table: [...document.querySelectorAll('figure')].filter(e => e.querySelector('details table')).length,
  ids: document.querySelectorAll('[id]').length,
  distinct_ids: new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size,
  paper: getComputedStyle(document.body).backgroundColor,
  refresh: document.querySelectorAll('meta[http-equiv="refresh"]').length,
  text: document.body.innerText
})"""


class Browser:
    def __init__(self, program, profile):
        ours_read, theirs_write = os.pipe()
        theirs_read, ours_write = os.pipe()
        # The browser wants descriptors 3 and 4; ours must not be in their way.
        high_read, high_write = (fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (theirs_read, theirs_write))

        def place():
            os.dup2(high_read, 3)
            os.dup2(high_write, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--disable-background-networking", "--disable-component-update", "--no-first-run",
             "--force-color-profile=srgb", "--user-data-dir=" + profile, "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=place,
            pass_fds=(3, 4))
        for fd in (theirs_read, theirs_write, high_read, high_write):
            os.close(fd)
        self.reader, self.writer = os.fdopen(ours_read, "rb", buffering=0), os.fdopen(ours_write, "wb", buffering=0)
        self.buffer, self.last_id, self.events = b"", 0, []

    def read(self):
        while b"\0" not in self.buffer:
            piece = self.reader.read(1 << 16)
            if not piece:
                raise RuntimeError("the browser went away")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self.writer.write(json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.read())

    def close(self):
        try:
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def complaints(events):
    """Console messages, exceptions and log entries (policy violations are among them)."""
    found = []
    for event in events:
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.consoleAPICalled":
            found.append("console: " + json.dumps(parameters["args"]))
        elif event.get("method") == "Runtime.exceptionThrown":
            found.append("exception: " + parameters["exceptionDetails"]["text"])
        elif event.get("method") == "Log.entryAdded":
            found.append("log: " + parameters["entry"]["text"])
    return found


def look(browser, page, view, scheme, folder):
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    browser.events.clear()
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(domain + ".enable", session)
    width, height, mobile = VIEWS[view]
    browser.call("Emulation.setDeviceMetricsOverride", session, width=width, height=height, mobile=mobile,
                 deviceScaleFactor=2 if mobile else 1)
    browser.call("Emulation.setEmulatedMedia", session,
                 features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.call("Page.navigate", session, url=page)
    browser.wait_for("Page.loadEventFired")
    answers = browser.call("Runtime.evaluate", session, expression=QUESTIONS, returnByValue=True)["result"]["value"]
    size = browser.call("Page.getLayoutMetrics", session)["cssContentSize"]
    shot = browser.call("Page.captureScreenshot", session, captureBeyondViewport=True, format="png",
                        clip={"x": 0, "y": 0, "width": width, "height": min(size["height"], 16000 / (2 if mobile else 1)),
                              "scale": 1})
    (folder / f"{view}-{scheme}.png").write_bytes(base64.b64decode(shot["data"]))
    requests = [event["params"]["request"]["url"] for event in browser.events
                if event.get("method") == "Network.requestWillBeSent"]
    result = {"view": view, "scheme": scheme, "complaints": complaints(browser.events),
              "other_requests": [url for url in requests if url != page], "num_requests": len(requests),
              "height": size["height"], **answers}
    browser.call("Target.closeTarget", targetId=target)
    return result


def main():
    program, page, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve().as_uri(), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        started = time.monotonic()
        try:
            results = []
            for view in VIEWS:
                for scheme in ("light", "dark"):
                    results.append(look(browser, page, view, scheme, folder))
                    if time.monotonic() - started > DEADLINE_S:
                        raise RuntimeError("the browser took too long")
        finally:
            browser.close()
    json.dump(results, sys.stdout)


if __name__ == "__main__":
    main()
