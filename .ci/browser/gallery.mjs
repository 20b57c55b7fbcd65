// Opens the page of a gallery in a browser and looks at it: posters, films that play while they are in view,
// captions, plots, links, light and dark, nothing from elsewhere. Ends with exit code 1 at the first thing
// that is not so.
//
//     node gallery.mjs CHROMIUM ADDRESS FOLDER-FOR-PICTURES
import { join } from "node:path";
import { Browser, sleep } from "./chromium.mjs";

const [program, address, folder] = process.argv.slice(2);
const [width, height] = [1280, 900];
const browser = new Browser(program, width, height);

function check(isSo, what, found) {
    if (!isSo) {
        throw new Error(`${what}: ${JSON.stringify(found)}`);
    }
    console.log(`ok: ${what}`);
}

const ask = async (script) => JSON.parse(await browser.evaluate(`(async () => JSON.stringify(${script}))()`));

// What each film does, and whether it is in view.
const FILMS = `[...document.querySelectorAll('video')].map(film => {
    const { top, bottom } = film.getBoundingClientRect();
    return { poster: film.poster, controls: film.controls, muted: film.muted, plays: !film.paused,
             time: film.currentTime, seconds: film.duration, width: film.videoWidth,
             inView: top >= 0 && bottom <= innerHeight, away: bottom < 0 || top > innerHeight };
})`;

async function colours(scheme) {
    const features = [{ name: "prefers-color-scheme", value: scheme }];
    await browser.send("Emulation.setEmulatedMedia", { features });
    await sleep(0.3);
    return ask("[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]");
}

async function look() {
    await browser.open(address, width, height);
    // On a busy machine films begin late.
    let films = [];
    const begun = (film) => film.plays && film.time > 0 && film.width > 0;
    for (let tries = 0; tries < 60; tries += 1) {
        await sleep(1);
        films = await ask(FILMS);
        const seen = films.filter((film) => film.inView);
        if (films.length >= 4 && seen.length > 0 && seen.every(begun)) {
            break;
        }
    }
    check(films.length >= 4, "every scene has a film", films.length);
    const seen = films.filter((film) => film.inView);
    const away = films.filter((film) => film.away);
    check(seen.length > 0 && seen.every((film) => film.plays && film.time > 0), "films in view play", seen);
    check(seen.every((film) => film.width === 640), "films are 640 pixels wide", seen);
    check(away.length > 0 && away.every((film) => !film.plays), "films out of view rest", away);
    check(films.every((film) => !film.controls && film.muted), "no controls lie over the picture", films);

    const posters = await ask(`await Promise.all([...document.querySelectorAll('video')].map(film =>
        new Promise(done => { const image = new Image(); image.onload = () => done(image.naturalWidth);
                              image.onerror = () => done(0); image.src = film.poster; })))`);
    check(posters.every((wide) => wide === 640), "posters are there", posters);

    const cards = await ask(`[...document.querySelectorAll('article')].map(card => ({
        title: card.querySelector('h3').textContent, text: card.textContent,
        links: [...card.querySelectorAll('a')].map(link => link.getAttribute('href')) }))`);
    for (const { title, text, links } of cards) {
        check(/^[A-Z][a-z]+( [a-z]+)*$/.test(title), `${title}: a title in words`, title);
        check(/ s of processor time/.test(text) && !/\[[A-Z]/.test(text), `${title}: facts, and no key is left`, text);
        check(links.some((link) => link.endsWith(".glb")) && links.some((link) => link.endsWith(".xml")),
            `${title}: scene and model`, links);
    }
    const cited = await ask("[...document.querySelectorAll('article')].filter(card => /(19|20)\\d\\d$/m.test(card.textContent)).length");
    check(cited >= 4, "captions cite in full", cited);

    const energy = await ask(`await new Promise(done => { const own = document.querySelector('details');
        own.open = true; const image = own.querySelector('img'); image.loading = 'eager';
        const known = () => done(image.naturalWidth); image.complete ? known() : (image.onload = known); })`);
    check(energy > 0, "the plot of energies opens", energy);

    const [light, dark] = [await colours("light"), await colours("dark")];
    await browser.screenshot(join(folder, "gallery-dark.png"));
    check(light[0] !== dark[0] && light[1] !== dark[1], "light and dark", [light, dark]);
    await colours("light");
    await browser.screenshot(join(folder, "gallery-light.png"));

    const stopped = await ask(`await (async () => { const film = document.querySelector('video'); film.click();
        return film.paused; })()`);
    check(stopped, "a click stops a film", stopped);
    await browser.evaluate("scrollTo(0, document.body.scrollHeight), ''");
    await sleep(2);
    const last = (await ask(FILMS)).filter((film) => film.inView);
    check(last.length > 0 && last.every((film) => film.plays), "films that come into view begin", last);
    await browser.screenshot(join(folder, "gallery-end.png"));

    const sources = await ask("performance.getEntriesByType('resource').map(entry => entry.name)");
    const foreign = sources.filter((name) => !name.startsWith("file:"));
    check(foreign.length === 0, "nothing from elsewhere", foreign);
    check(browser.console.length === 0, "no complaints", browser.console);
}

try {
    await look();
} catch (error) {
    console.error(String(error), browser.console);
    process.exitCode = 1;
} finally {
    await browser.close();
}
