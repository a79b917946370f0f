# SPDX-License-Identifier: MIT
"""A headless Chromium, driven by the DevTools protocol over its pipe."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

TIMEOUT = 60  # seconds for an answer


class Browser:
    """One page. Requests, console messages and exceptions are collected for the tests."""

    def __init__(self, scripts=True):
        self.folder = tempfile.mkdtemp()
        to_child, self.write_end = os.pipe()
        self.read_end, from_child = os.pipe()
        program = shutil.which("chromium") or shutil.which("chromium-browser")

        def connect():  # what --remote-debugging-pipe reads and writes
            os.dup2(to_child, 13)
            os.dup2(from_child, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--disable-background-networking", "--no-first-run", "--hide-scrollbars",
             f"--user-data-dir={self.folder}", "about:blank"],
            close_fds=False, preexec_fn=connect, stderr=subprocess.DEVNULL)
        os.close(to_child)
        os.close(from_child)
        self.buffer, self.count, self.session = b"", 0, None
        self.messages, self.requests, self.events = [], [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)

    def receive(self):
        """The next message of the browser."""
        end = time.monotonic() + TIMEOUT
        while b"\0" not in self.buffer:
            if not select.select([self.read_end], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.read_end, 1 << 20)
            if not data:
                raise EOFError("the browser has ended")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, event):
        method, params = event.get("method"), event.get("params", {})
        if method == "Runtime.consoleAPICalled":
            self.messages.append(str(params["args"]))
        elif method == "Runtime.exceptionThrown":
            self.messages.append(str(params["exceptionDetails"]))
        elif method == "Log.entryAdded":
            self.messages.append(params["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            self.messages.append("a dialog: " + params["message"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"][:100])
        self.events.append(method)

    def call(self, method, **params):
        self.count += 1
        message = {"id": self.count, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def open(self, path, width=1280, height=900, scheme="light", media=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        self.show(scheme, media)
        self.messages, self.requests, self.events = [], [], []
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while "Page.loadEventFired" not in self.events:
            self.note(self.receive())

    def show(self, scheme="light", media=""):
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])

    def evaluate(self, expression):
        """The value of an expression, also where the page's own scripts do not run."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def press(self, key):
        code = {"Enter": 13, "Tab": 9}[key]
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key,
                      windowsVirtualKeyCode=code, **({"text": "\r"} if key == "Enter" and
                                                     kind == "keyDown" else {}))

    def screenshot(self, path, whole=True):
        answer = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def pdf(self, path):
        answer = self.call("Page.printToPDF", printBackground=False, preferCSSPageSize=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(answer["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        shutil.rmtree(self.folder, ignore_errors=True)
