// The worker: gives the engine each message and each turn, in order.
let ready = null;
let generation = 0;
const soon = new MessageChannel();
soon.port1.onmessage = (event) => turn(event.data);

function later(own, seconds) {
    if (seconds < 0) {
        return;
    }
    // A timer of 0 waits for 4 ms; a message to oneself does not.
    if (seconds < 0.001) {
        soon.port2.postMessage(own);
    } else {
        setTimeout(turn, 1000 * seconds, own);
    }
}

function turn(own) {
    // A message that came in the meantime has begun another row of turns.
    if (own !== generation) {
        return;
    }
    try {
        later(own, wasm_bindgen.turn());
    } catch (error) {
        end(error);
    }
}

function end(error) {
    generation = -1;
    postMessage(String(error));
}

onmessage = (event) => {
    const data = event.data;
    if (ready === null) {
        ready = wasm_bindgen({ module_or_path: data.module }).then(() => wasm_bindgen.begin(data.task));
    } else {
        ready = ready.then(() => wasm_bindgen.receive(data));
    }
    ready = ready.then(() => later(++generation, 0));
    ready.catch(end);
};
