// The page: unpacks the engine, starts the window, and starts workers that share the engine.

// The scene that `pliant view --web` has beside the page, with the files that it names.
async function openServed() {
    const get = async (address) => {
        const answer = await fetch(address);
        if (!answer.ok) {
            throw new Error(address + ": " + answer.status);
        }
        return answer;
    };
    const scene = await (await get("scene.json")).json();
    const contents = [];
    for (const file of scene.files) {
        contents.push(new Uint8Array(await (await get(file.address)).arrayBuffer()));
    }
    const names = scene.files.map((file) => file.name);
    wasm_bindgen.openScene(scene.name, scene.text, scene.set.flat(), names, contents, isStreamed);
}

// Whether the simulation runs in the program that has served the page.
const isStreamed = location.hash === "#streamed";

// A simulation elsewhere, which looks like a worker: messages of bytes go both ways.
let streamed = null;
class Stream {
    constructor() {
        const address = new URL("stream", location.href.split("#")[0]);
        address.protocol = "ws:";
        this.socket = new WebSocket(address);
        this.socket.binaryType = "arraybuffer";
        this.waiting = [];
        this.isStream = true;
        this.socket.onopen = () => {
            this.waiting.forEach((bytes) => this.socket.send(bytes));
            this.waiting = null;
        };
        this.socket.onmessage = (event) => this.tell(new Uint8Array(event.data));
        this.socket.onclose = () => this.tell("the connection to the server has ended");
    }

    tell(data) {
        if (this.onmessage) {
            this.onmessage({ data });
        }
    }

    postMessage(bytes) {
        if (this.waiting) {
            this.waiting.push(bytes);
        } else if (this.socket.readyState === WebSocket.OPEN) {
            this.socket.send(bytes);
        }
    }

    terminate() {
        streamed = null;
        this.onmessage = null;
        this.socket.close();
    }
}

// A film of the canvas, as the browser records it.
let film = null;
globalThis.pliantFilm = (name) => {
    const stream = document.getElementById("pliant").captureStream(30);
    const recorder = new MediaRecorder(stream);
    const parts = [];
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.onstop = () => {
        const kind = recorder.mimeType || "video/webm";
        const link = document.createElement("a");
        link.href = URL.createObjectURL(new Blob(parts, { type: kind }));
        link.download = name + (kind.includes("mp4") ? ".mp4" : ".webm");
        link.click();
        URL.revokeObjectURL(link.href);
    };
    recorder.start();
    film = recorder;
};
globalThis.pliantFilmEnd = () => {
    film.stop();
    film = null;
};

(async () => {
    const text = (id) => document.getElementById(id).textContent;
    try {
        const packed = Uint8Array.from(atob(text("engine").trim()), (letter) => letter.charCodeAt(0));
        const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
        const module = await WebAssembly.compile(await new Response(stream).arrayBuffer());
        const program = new Blob([text("glue"), text("worker")], { type: "text/javascript" });
        const address = URL.createObjectURL(program);
        globalThis.pliantWorker = (task) => {
            // A second simulation, to compare with, is one of the browser.
            if (isStreamed && task === "simulation" && streamed === null) {
                streamed = new Stream();
                return streamed;
            }
            const worker = new Worker(address);
            worker.postMessage({ module, task });
            return worker;
        };
        await wasm_bindgen({ module_or_path: module });
        if (isStreamed || location.hash === "#served") {
            await openServed();
        }
    } catch (error) {
        document.getElementById("message").textContent =
            "Pliant could not be started: " + error + ". A browser of 2023 or newer is needed.";
    }
})();
