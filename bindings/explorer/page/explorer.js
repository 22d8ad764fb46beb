// Starts the models and hands changes of the controls to the two parts of the page.

import { byId, options } from './draw.js';
import * as warp from './warp.js';
import * as call from './call.js';

// ask puts a question to the models. The error of an answer is thrown.
function ask(name, question = {}) {
  const answer = JSON.parse(globalThis.atomtune[name](JSON.stringify(question)));
  if (answer && answer.error) throw new Error(answer.error);
  return answer;
}

// load starts the program. The file is packed, which a server need not know.
async function load() {
  const file = await fetch('explorer.bin');
  if (!file.ok) throw new Error(`explorer.bin: ${file.status} ${file.statusText}`);
  const bytes = file.body.pipeThrough(new DecompressionStream('gzip'));
  const go = new globalThis.Go();
  const program = new Response(bytes, { headers: { 'Content-Type': 'application/wasm' } });
  const { instance } = await WebAssembly.instantiateStreaming(program, go.importObject);
  go.run(instance);
}

const turns = new Map(); // how often each part has answered

// answering runs the parts that a change concerns, and says how long the answer took since the
// event of the change. What takes longer follows, in steps between which the browser is free.
async function answering(parts, since) {
  for (const part of parts) {
    turns.set(part, (turns.get(part) || 0) + 1);
    part.answer(ask);
  }
  const took = measured('answer', since);
  byId('time').textContent = `The last change was answered in ${took.duration.toFixed(0)} ms.`;
  for (const part of parts) {
    if (part.follow) await following(part, since);
  }
}

async function following(part, since) {
  const turn = turns.get(part);
  while (!part.follow(ask)) {
    await idle();
    if (turns.get(part) !== turn) return; // a later answer goes on
  }
  measured('curve', since);
}

// measured notes what has passed since an event, in place of the measure of its name before.
function measured(name, since) {
  performance.clearMeasures(name);
  return performance.measure(name, { start: since, end: performance.now() });
}

const idle = (ms = 0) => new Promise((next) => setTimeout(next, ms));

function stopped(error) {
  byId('load').textContent = `The models have stopped, load the page again: ${error.message}`;
}

const waiting = new Set(); // parts of changes that are not answered yet

// change answers a change once the browser has handed out what else has happened.
function change(part, event) {
  if (waiting.size === 0) {
    setTimeout(() => {
      const parts = [...waiting];
      waiting.clear();
      answering(parts, event.timeStamp).catch(stopped);
    });
  }
  waiting.add(part);
}

async function start() {
  await load();
  const menus = ask('menus');
  const device = byId('device');
  options(device, menus.devices.map((d) => [d.name, d.title]), 'h200');
  const chosen = () => menus.devices.find((d) => d.name === device.value);
  for (const part of [warp, call]) {
    part.start(menus, (event) => change(part, event));
    part.setDevice(chosen());
  }
  device.addEventListener('change', (event) => {
    for (const part of [warp, call]) {
      part.setDevice(chosen());
      change(part, event);
    }
  });
  await answering([warp, call], performance.now());
  byId('load').textContent = '';
  new ResizeObserver(() => { warp.draw(); call.draw(); }).observe(document.querySelector('main'));
  for (const d of menus.devices) { // so that the first answer about a device is as fast as the next
    await idle(30);
    ask('prepare', d.name);
  }
  document.documentElement.dataset.ready = 'yes';
}

start().catch((error) => {
  byId('load').textContent = location.protocol === 'file:'
    ? 'Browsers load no program from a file. Serve this folder, for instance with ' +
      '"python3 -m http.server", and open http://localhost:8000.'
    : `The models could not be started: ${error.message}`;
});
