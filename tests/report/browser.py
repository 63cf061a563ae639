"""A headless Chromium that pages are opened in, driven over its own pipe: real keys, and every request it makes."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
DEADLINE = 60.0
KEYS = {
    "Enter": ("Enter", 13, "\r"),
    "Escape": ("Escape", 27, ""),
    "Tab": ("Tab", 9, ""),
    "ArrowDown": ("ArrowDown", 40, ""),
    "ArrowUp": ("ArrowUp", 38, ""),
}


def found() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One page. `requests`, `faults` (of its script, and what its policy refused) grow as they happen."""

    def __init__(self, program: str, profile: Path, size: tuple[int, int] = (1200, 900)) -> None:
        self.requests: list[str] = []
        self.faults: list[str] = []
        self._number = 0
        self._buffer = b""
        self._answers: dict[int, dict[str, Any]] = {}
        self._events: list[str] = []
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe"]
        options += [f"--user-data-dir={profile}", f"--window-size={size[0]},{size[1]}", "about:blank"]
        # Chromium talks on descriptors 3 and 4.
        script = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, program, *options],
            pass_fds=(to_read, to_write),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_read)
        os.close(to_write)
        self._session = ""
        try:
            page = self._page()
            self._session = str(self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"])
            for part in ("Page", "Network", "Runtime", "Log"):
                self.ask(f"{part}.enable")
        except BaseException:
            self.close()
            raise

    def _page(self) -> str:
        targets = self.ask("Target.getTargets")["targetInfos"]
        pages = [str(target["targetId"]) for target in targets if target["type"] == "page"]
        return pages[0] if pages else str(self.ask("Target.createTarget", url="about:blank")["targetId"])

    def close(self) -> None:
        os.close(self._to)
        os.close(self._from)
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    # --- its language ---

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + DEADLINE
        while self._number not in self._answers:
            self._read(end)
        answer = self._answers.pop(self._number)
        assert "error" not in answer, answer
        return dict(answer["result"])

    def _read(self, end: float) -> None:
        ready, _, _ = select.select([self._from], [], [], max(end - time.monotonic(), 0))
        assert ready, "the browser does not answer"
        data = os.read(self._from, 1 << 20)
        assert data, "the browser has gone"
        *messages, self._buffer = (self._buffer + data).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self._answers[message["id"]] = message
            else:
                self._noted(message["method"], message["params"])

    def _noted(self, event: str, told: dict[str, Any]) -> None:
        self._events.append(event)
        match event:
            case "Network.requestWillBeSent":
                self.requests.append(told["request"]["url"])
            case "Runtime.exceptionThrown":
                self.faults.append(json.dumps(told["exceptionDetails"]))
            case "Log.entryAdded":
                self.faults.append(told["entry"]["text"])

    # --- what a reader does ---

    def open(self, address: str) -> None:
        """And waits until it is loaded."""
        self._events.clear()
        self.ask("Page.navigate", url=address)
        end = time.monotonic() + DEADLINE
        while "Page.loadEventFired" not in self._events:
            self._read(end)

    def run(self, script: str) -> Any:
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        for key in keys:
            # A character's own number is a key's number for letters and digits alone.
            name, code, text = KEYS.get(key) or (key, ord(key.upper()) if key.isalnum() else 0, key)
            common = {"key": name, "windowsVirtualKeyCode": code}
            self.ask("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common)
            self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot")["data"]))
