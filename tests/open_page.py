"""Opens a page in Chromium and tells what it did: for tests of pages that must need nothing but themselves.

Usage: open_page.py CHROMIUM PAGE FOLDER [TEXT...]

Chromium is driven through the pipe of its DevTools protocol: messages of JSON, each ended by a NUL, in at descriptor 3 and out
at 4. The page is opened at the width of a desk and of a phone, light and dark. Prints a line for each message of the console
that is an error or a warning ("console: ..."), for each address asked for other than the page itself and data inside it
("request: ..."), for each width that the page does not fit ("wide: ..."), for each TEXT that does not stand on it ("missing: ..."),
and the number of canvases that are drawn on. Leaves
FOLDER/NAME.png, a picture of the whole page, for each of the four. Exit code 1 when Chromium cannot be driven.
"""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile

VIEWS = [("desk-light", 1280, 800, False, "light"), ("desk-dark", 1280, 800, False, "dark"),
         ("phone-light", 390, 844, True, "light"), ("phone-dark", 360, 780, True, "dark")]
DRAWN = """[...document.querySelectorAll('canvas')].filter(c => {
  const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
  for (let i = 3; i < d.length; i += 4) if (d[i]) return true;
  return false; }).length"""


class Browser:
    def __init__(self, program, folder):
        to_read, self.to = os.pipe()
        self.out, from_write = os.pipe()
        arguments = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio",
                     "--host-resolver-rules=MAP * ~NOTFOUND", "--user-data-dir=" + folder, "--remote-debugging-pipe", "about:blank"]

        def descriptors():
            # first out of the way, then to the numbers that Chromium wants
            read, write = os.dup(to_read), os.dup(from_write)
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(arguments, preexec_fn=descriptors, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []

    def message(self):
        while b"\0" not in self.buffer:
            more = os.read(self.out, 1 << 20)
            if not more:
                raise RuntimeError("Chromium ended")
            self.buffer += more
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.message())

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)["result"].get("value")


def tell(events, page):
    for event in events:
        method, values = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            print("console:", details.get("exception", {}).get("description", details["text"]).replace("\n", " "))
        elif method == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            print("console:", " ".join(str(a.get("value", a.get("description"))) for a in values["args"]))
        elif method == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            print("console:", values["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            address = values["request"]["url"]
            if address != page and not address.startswith(("data:", "blob:", "about:")):
                print("request:", address[:200])


def main():
    program, path, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
    page = path.as_uri()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            target = browser.call("Target.createTarget", url="about:blank")["targetId"]
            browser.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                browser.call(domain + ".enable")
            for name, width, height, phone, scheme in VIEWS:
                browser.events = []
                browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)
                browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
                browser.call("Page.navigate", url=page)
                browser.wait("Page.loadEventFired")
                browser.value("new Promise(done => setTimeout(done, 400))")
                wide = browser.value("document.documentElement.scrollWidth")
                if wide > width:
                    print(f"wide: {name}: the page is {wide} pixels wide, the window {width}")
                words = browser.value("document.body.innerText")
                for text in sys.argv[4:]:
                    if text not in words:
                        print(f"missing: {name}: {text}")
                print("canvases:", name, browser.value(DRAWN))
                tall = min(browser.value("document.documentElement.scrollHeight"), 12000)
                clip = {"x": 0, "y": 0, "width": width, "height": tall, "scale": 1}
                shot = browser.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
                (folder / (name + ".png")).write_bytes(base64.b64decode(shot["data"]))
                tell(browser.events, page)
            browser.session = None
            browser.call("Browser.close")
        finally:
            browser.process.terminate()
            browser.process.wait()


if __name__ == "__main__":
    try:
        main()
    except (RuntimeError, OSError) as error:
        sys.exit(f"open_page: {error}")
