// Drives Chromium without a display over its debugging pipe, with nothing but Node.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const sleep = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

export class Browser {
    constructor(program, width, height) {
        this.folder = mkdtempSync(join(tmpdir(), "pliant-chromium-"));
        const flags = [
            "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--remote-debugging-pipe",
            "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
            `--window-size=${width},${height}`, `--user-data-dir=${this.folder}`, "about:blank",
        ];
        this.process = spawn(program, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
        this.next = 1;
        this.waiting = new Map();
        this.console = [];
        let text = "";
        this.process.stdio[4].on("data", (chunk) => {
            text += chunk;
            const parts = text.split("\0");
            text = parts.pop();
            parts.forEach((part) => this.hear(JSON.parse(part)));
        });
    }

    hear(message) {
        if (message.method === "Runtime.consoleAPICalled") {
            const words = message.params.args.map((own) => own.value ?? own.description);
            this.console.push(`${message.params.type}: ${words.join(" ")}`);
        }
        if (message.method === "Runtime.exceptionThrown") {
            const details = message.params.exceptionDetails;
            this.console.push(`exception: ${details.exception?.description ?? details.text}`);
        }
        const waits = this.waiting.get(message.id);
        if (waits) {
            this.waiting.delete(message.id);
            message.error ? waits.fail(new Error(message.error.message)) : waits.done(message.result);
        }
    }

    send(method, params = {}) {
        const id = this.next++;
        const message = { id, method, params, sessionId: this.session };
        this.process.stdio[3].write(JSON.stringify(message) + "\0");
        return new Promise((done, fail) => this.waiting.set(id, { done, fail }));
    }

    async open(address, width, height) {
        const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
        const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
        this.session = sessionId;
        await this.send("Runtime.enable");
        await this.send("Page.enable");
        const size = { width, height, deviceScaleFactor: 1, mobile: false };
        await this.send("Emulation.setDeviceMetricsOverride", size);
        await this.send("Page.navigate", { url: address });
    }

    async evaluate(expression) {
        const answer = await this.send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
        if (answer.exceptionDetails) {
            throw new Error(answer.exceptionDetails.exception?.description ?? answer.exceptionDetails.text);
        }
        return answer.result.value;
    }

    // Bits of `modifiers`: 1 Alt, 2 Ctrl, 8 Shift.
    mouse(type, [x, y], modifiers = 0, buttons = 0) {
        const button = type === "mouseMoved" ? "none" : "left";
        return this.send("Input.dispatchMouseEvent", { type, x, y, modifiers, button, buttons, clickCount: 1 });
    }

    async key(key, code, number, modifiers = 0) {
        const event = { key, code, windowsVirtualKeyCode: number, modifiers };
        const text = key.length === 1 ? { text: key } : {};
        await this.send("Input.dispatchKeyEvent", { type: "keyDown", ...event, ...text });
        await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event });
    }

    touch(type, points) {
        const touchPoints = points.map(([x, y], id) => ({ x, y, id }));
        return this.send("Input.dispatchTouchEvent", { type, touchPoints });
    }

    async screenshot(file) {
        const { data } = await this.send("Page.captureScreenshot", { format: "png" });
        const bytes = Buffer.from(data, "base64");
        if (file) {
            writeFileSync(file, bytes);
        }
        return bytes;
    }

    async close() {
        const ended = new Promise((done) => this.process.once("exit", done));
        this.process.kill();
        await Promise.race([ended, sleep(20)]);
        await sleep(0.3);
        rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
    }
}
