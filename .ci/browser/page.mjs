// Opens the page in a browser and does what a user does: choose, run, pull, go back in time, move a slider,
// pause, fix, step, reset, drop a file, touch. Ends with exit code 1 at the first thing that does not happen.
//
//     node page.mjs CHROMIUM ADDRESS SCENE.xml FOLDER-FOR-PICTURES [ADDRESS-OF-A-STREAM]
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Browser, sleep } from "./chromium.mjs";

const [program, address, scene, folder, streamed] = process.argv.slice(2);
const [width, height] = [1280, 800];
const browser = new Browser(program, width, height);

const status = async () => {
    const text = await browser.evaluate("typeof wasm_bindgen === 'undefined' || !wasm_bindgen.status ? '' : wasm_bindgen.status()");
    return text ? JSON.parse(text) : {};
};

async function until(what, isSo, seconds = 60) {
    const end = Date.now() + 1000 * seconds;
    let last;
    while (Date.now() < end) {
        last = await status().catch((error) => ({ error: String(error) }));
        if (isSo(last)) {
            return last;
        }
        await sleep(0.05);
    }
    throw new Error(`${what} did not come; the page says ${JSON.stringify(last)}`);
}

function check(isSo, what, found) {
    if (!isSo) {
        throw new Error(`${what}: ${JSON.stringify(found)}`);
    }
}

// Places in a page of 1280 x 800 pixels.
const places = {
    energy: [1050, 368],
    values: [1050, 413],
    gravity: [1045, 539],
    history: [1096, 766],
};

// The mean red, green and blue of a part of a picture: left, top, width, height.
const looker = join(dirname(fileURLToPath(import.meta.url)), "..", "picture.py");
function colour(name, part) {
    const text = execFileSync("python3", [looker, join(folder, name), ...part.map(String)], { encoding: "utf8" });
    return text.trim().split(" ").map(Number);
}

const picture = (name) => browser.screenshot(join(folder, name));
const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));
const space = () => browser.key(" ", "Space", 32);

async function drag(from, to, modifiers, hold) {
    await browser.mouse("mouseMoved", from, modifiers);
    await browser.mouse("mousePressed", from, modifiers, 1);
    for (let i = 1; i <= 15; i++) {
        const at = from.map((x, axis) => x + (to[axis] - x) * i / 15);
        await browser.mouse("mouseMoved", at, modifiers, 1);
        await sleep(0.03);
    }
    if (hold) {
        await hold();
    }
    await browser.mouse("mouseReleased", to, modifiers);
}

// A file as if it were dragged from a folder onto the page.
async function drop(name, text) {
    await browser.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
        const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
        document.getElementById("pliant").dispatchEvent(event);
    })()`);
}

async function gallery() {
    console.log("the gallery shows its pictures");
    await browser.open(address, width, height);
    await until("three pictures of the gallery", (now) => now.gallery >= 3, 120);
    await picture("gallery.png");
}

async function run() {
    console.log("the flag runs");
    await browser.open(address + "#flag", width, height);
    const first = await until("a frame", (now) => now.step > 5);
    await sleep(3);
    const later = await status();
    check(later.is_running && later.time > first.time + 0.5, "it does not run", later);
    const moved = distance(first.middle.world, later.middle.world);
    check(moved > 1e-3, "the flag does not move", moved);
    await picture("flag.png");
    const [stripe, below, sky] = [[312, 215, 20, 30], [312, 395, 20, 30], [700, 60, 40, 20]].map((part) => colour("flag.png", part));
    check(stripe[2] > stripe[0] + 40, "the upper stripe is not blue", stripe);
    check(below[0] > below[2] + 60, "the lower stripe is not red", below);
    check(Math.min(...sky.slice(0, 3)) > 200, "the background is not light", sky);
    console.log(`  real-time factor ${later.real_time_factor.toFixed(2)}, ${(later.pictures / later.time).toFixed(0)} pictures per simulated second, ${later.adapter}`);
}

async function pull() {
    console.log("a pull follows the pointer");
    const before = await status();
    const from = before.middle.screen;
    const to = [from[0] - 120, from[1] + 130];
    await drag(from, to, 2, async () => {
        const held = await until("a pull", (now) => now.pulls === 1);
        await sleep(2);
        const now = await status();
        const gap = distance(now.middle.screen, to);
        check(gap < 0.7 * distance(from, to), "the point does not follow", { gap, held: held.middle, now: now.middle });
        await picture("pull.png");
    });
    await until("the end of the pull", (now) => now.pulls === 0);
}

async function time() {
    console.log("pause, fix, step, back, reset");
    await space();
    const paused = await until("a pause", (now) => !now.is_running);
    await sleep(0.5);
    check((await status()).step === paused.step, "it goes on while paused", paused);
    const spot = paused.middle.screen;
    await browser.mouse("mouseMoved", spot, 2);
    await browser.mouse("mousePressed", spot, 2, 1);
    await browser.mouse("mouseReleased", spot, 2);
    await until("a fixed particle", (now) => now.fixed === paused.fixed + 1);
    await browser.key("ArrowRight", "ArrowRight", 39);
    await until("a step", (now) => now.step === paused.step + 1);
    await browser.key("ArrowLeft", "ArrowLeft", 37);
    await until("a step back", (now) => now.step === paused.step);
    await browser.key("w", "KeyW", 87);
    await sleep(1);
    await picture("wireframe.png");
    await browser.key("w", "KeyW", 87);
    await browser.key("r", "KeyR", 82);
    await until("the beginning", (now) => now.step === 0);
    await space();
    await until("a start", (now) => now.is_running && now.step > 5);
}

async function history() {
    console.log("back in the history, and on from there");
    const before = await until("some time", (now) => now.step > 60);
    const [x, y] = places.history;
    await drag([x, y], [x - 700, y], 0);
    const back = await until("an earlier moment", (now) => !now.is_running && now.step < before.step - 20);
    check(back.history >= before.history, "the future is forgotten before it is left", back);
    await space();
    const branch = await until("another way", (now) => now.is_running && now.step > back.step + 2);
    check(branch.history < back.history, "the old future is still there", [back, branch]);
}

async function slider() {
    console.log("a slider changes gravity while it runs");
    const gravity = (now) => JSON.parse(now.forces["Force Gravity.g"])[2];
    const before = await status();
    check(gravity(before) === -9.82, "gravity is another one", before.forces);
    for (const place of [places.energy, places.values]) {
        await browser.mouse("mouseMoved", place);
        await browser.mouse("mousePressed", place, 0, 1);
        await browser.mouse("mouseReleased", place);
        await sleep(1);
    }
    const [x, y] = places.gravity;
    let held;
    await drag([x, y], [x + 60, y], 0, async () => {
        held = await until("another gravity", (now) => gravity(now) > 5);
        await picture("slider.png");
    });
    const after = await until("more steps", (now) => now.step > held.step + 3);
    check(after.is_running && gravity(after) > 5, "it does not go on", after);
}

async function screenshot() {
    console.log("a picture is handed to the browser");
    const before = await status();
    await browser.key("y", "KeyY", 89);
    await until("a screenshot", (now) => now.screenshots === before.screenshots + 1);
}

async function files() {
    console.log("a scene is dropped, with a mistake, then without");
    const text = readFileSync(scene, "utf8");
    await drop("mine.xml", text.replace('timestep="0.02"', 'timestep="fast"'));
    const wrong = await until("the mistake", (now) => now.mistake);
    check(wrong.mistake.includes("mine.xml:"), "the mistake has no place", wrong.mistake);
    check(wrong.scene === "flag", "the last good scene is gone", wrong);
    await picture("mistake.png");
    await drop("mine.xml", text);
    const mended = await until("the scene", (now) => now.scene === "mine" && !now.mistake);
    check(mended.is_running, "it does not run", mended);
}

async function fingers() {
    console.log("one finger pulls");
    const before = await until("some steps", (now) => now.step > 20);
    const from = before.middle.screen;
    await browser.touch("touchStart", [from]);
    for (let i = 1; i <= 12; i++) {
        await browser.touch("touchMove", [[from[0] - 8 * i, from[1] + 6 * i]]);
        await sleep(0.04);
    }
    await until("a pull by a finger", (now) => now.pulls === 1);
    await browser.touch("touchEnd", []);
    await until("the end of the pull", (now) => now.pulls === 0);
    console.log("one finger beside it turns the view, two zoom and pan");
    const sight = (now) => now.eye.map((x, axis) => x - now.target[axis]);
    const far = (now) => Math.hypot(...sight(now));
    const rest = await status();
    await browser.touch("touchStart", [[120, 680]]);
    for (let i = 1; i <= 8; i++) {
        await browser.touch("touchMove", [[120 + 8 * i, 680]]);
        await sleep(0.04);
    }
    await browser.touch("touchEnd", []);
    const turned = await until("another view", (now) => distance(sight(now), sight(rest)) > 0.05 * far(rest));
    check(Math.abs(far(turned) - far(rest)) < 1e-6 * far(rest), "turning changes the distance", [rest, turned]);
    const fingers = (apart, shift) => [[400 - apart + shift, 400], [400 + apart + shift, 400]];
    await browser.touch("touchStart", fingers(60, 0));
    for (let i = 1; i <= 8; i++) {
        await browser.touch("touchMove", fingers(60 + 8 * i, 0));
        await sleep(0.06);
    }
    const near = await until("a closer view", (now) => far(now) < 0.8 * far(turned));
    for (let i = 1; i <= 8; i++) {
        await browser.touch("touchMove", fingers(124, 10 * i));
        await sleep(0.06);
    }
    await until("a shifted view", (now) => distance(now.target, near.target) > 0.02 * far(near));
    await browser.touch("touchEnd", []);
    await sleep(0.5);
    check((await status()).pulls === 0, "two fingers leave a pull", await status());
}

async function compare() {
    console.log("two variants go in step, and a film is made");
    await browser.open(address + "#flag", width, height);
    await until("a frame", (now) => now.step > 5);
    await browser.evaluate(`wasm_bindgen.compareWith("formulation", "Hybrid")`);
    await until("both", (now) => now.second > 0.3 && now.time > 0.3);
    await browser.key("m", "KeyM", 77);
    await until("a film", (now) => now.is_filming);
    await sleep(2);
    const now = await status();
    check(Math.abs(now.second - now.time) < 0.1, "they are not in step", [now.time, now.second]);
    await browser.key("m", "KeyM", 77);
    await until("the end of the film", (now) => now.is_filming === false);
    await until("some time", (now) => now.time > 1.2);
    await space();
    const paused = await until("a pause", (now) => !now.is_running);
    await sleep(2);
    const rest = await status();
    check(Math.abs(rest.second - rest.time) < 0.1, "they do not pause together", [paused, rest]);
    await picture("compare.png");
}

async function stream() {
    if (!streamed) {
        return;
    }
    console.log("a run on the machine is streamed, pulled and paused");
    await browser.open(streamed, width, height);
    const first = await until("a frame", (now) => now.step > 5);
    await sleep(2);
    const later = await status();
    check(later.is_running && later.time > first.time + 0.3, "it does not run", later);
    const from = later.middle.screen;
    await drag(from, [from[0] - 100, from[1] + 100], 2, async () => {
        await until("a pull", (now) => now.pulls === 1);
        await picture("stream.png");
    });
    await until("the end of the pull", (now) => now.pulls === 0);
    await space();
    await until("a pause", (now) => !now.is_running);
}

let code = 0;
try {
    for (const part of [run, pull, history, slider, time, screenshot, files, fingers, compare, stream, gallery]) {
        await part();
    }
    const errors = browser.console.filter((line) => /^(error|exception|assert)/.test(line));
    check(errors.length === 0, "errors in the console", errors);
    console.log("the page works");
} catch (error) {
    console.error(`FAILED: ${error.message}`);
    console.error(browser.console.slice(-20).join("\n"));
    await picture("failure.png").catch(() => {});
    code = 1;
}
await browser.close();
process.exit(code);
