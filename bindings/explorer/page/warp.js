// One warp on shared memory: the board of lanes, the rounds, and the banks of the chosen round.

import { byId, element, options, picture, plural, svg } from './draw.js';

const none = -1; // the word of a lane that takes no part
let device, lanes = [], result, chosenRound = 0, playing;

const patterns = {
  same: () => 5,
  next: (lane) => lane,
  bank: (lane) => lane * 32,
  lock: (lane) => (lane % 4) * 1024 + Math.floor(lane / 4),
  pairs: (lane) => lane % 4,
  few: (lane) => scatter(lane) % 16,
  random: (lane) => scatter(lane) % 2048,
};

// scatter is a number that looks random, the same each time.
const scatter = (lane) => Math.imul(lane + 1, 0x9e3779b1) >>> 15;

const words = () => byId('addresses').value.split(/[\s,;]+/).filter(Boolean);

export function start(_menus, changed) {
  byId('warp-ask').addEventListener('submit', (event) => event.preventDefault());
  byId('operation').addEventListener('change', (event) => { fillTypes(); changed(event); });
  byId('type').addEventListener('change', changed);
  byId('addresses').addEventListener('input', (event) => {
    byId('pattern').value = '';
    showBoard(words().map(Number));
    changed(event);
  });
  byId('pattern').addEventListener('change', (event) => { fill(); changed(event); });
  byId('top').addEventListener('change', () => showBoard(words().map(Number)));
  startBoard(changed);
  byId('play').addEventListener('click', play);
}

export function setDevice(d) {
  device = d;
  options(byId('operation'), d.operations.map((o) => [o.operation, operationNames[o.operation]]),
    byId('operation').value || 'add');
  fillTypes();
  lanes = Array.from({ length: d.lanes }, (_, lane) =>
    element('input', { type: 'range', min: none, step: 1, tabIndex: lane ? -1 : 0 }));
  byId('board').replaceChildren(...lanes);
  if (byId('pattern').value || words().length > d.lanes) fill();
  showBoard(words().map(Number));
}

const operationNames = {
  add: 'atomic add', min: 'atomic min', exch: 'atomic exchange',
  casloop: 'add by compare-and-swap', casfree: 'the same, lanes apart',
  load: 'load', store: 'store',
};

function fillTypes() {
  const known = device.operations.find((o) => o.operation === byId('operation').value);
  options(byId('type'), known.types.map((t) => [t, t]), byId('type').value || 'f32');
}

// fill writes the pattern that is chosen, or the first one.
function fill() {
  const word = patterns[byId('pattern').value] || patterns.pairs;
  write(lanes.map((_, lane) => word(lane)));
}

function write(list) {
  byId('addresses').value = list.join(', ');
  const most = Math.max(...list);
  const top = byId('top');
  const fits = [...top.options].find((o) => Number(o.value) >= most);
  top.value = (fits || top.options[top.options.length - 1]).value;
  showBoard(list);
}

// The board is a native slider for each lane, of which one at a time is in the order of focus.

function startBoard(changed) {
  const board = byId('board');
  board.addEventListener('input', (event) => move(lanes.indexOf(event.target), changed, event));
  board.addEventListener('keydown', (event) => {
    const lane = lanes.indexOf(event.target) + ({ ArrowLeft: -1, ArrowRight: 1 }[event.key] || 0);
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
    event.preventDefault();
    focusLane(Math.min(Math.max(lane, 0), lanes.length - 1));
  });
  const drawAt = (event) => {
    const box = board.getBoundingClientRect();
    const lane = Math.floor((event.clientX - box.left) / box.width * lanes.length);
    if (lane < 0 || lane >= lanes.length) return;
    const top = Number(byId('top').value);
    const height = 1 - (event.clientY - box.top) / box.height;
    lanes[lane].value = Math.round(none + height * (top - none));
    focusLane(lane);
    move(lane, changed, event);
  };
  board.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    board.setPointerCapture(event.pointerId);
    drawAt(event);
  });
  board.addEventListener('pointermove', (event) => { if (event.buttons) drawAt(event); });
}

function focusLane(lane) {
  for (const [i, input] of lanes.entries()) input.tabIndex = i === lane ? 0 : -1;
  lanes[lane].focus({ preventScroll: true });
}

// move writes the word of a lane that its slider has.
function move(lane, changed, event) {
  const list = lanes.map((_, i) => words()[i] ?? none);
  list[lane] = Number(lanes[lane].value);
  byId('addresses').value = list.join(', ');
  byId('pattern').value = '';
  showBoard(list.map(Number));
  changed(event);
}

function showBoard(list) {
  for (const [lane, input] of lanes.entries()) {
    const word = Number.isInteger(list[lane]) ? list[lane] : none;
    input.max = byId('top').value;
    input.value = word;
    input.classList.toggle('off', word === none);
    input.ariaLabel = `Lane ${lane}`;
    input.ariaValueText = word === none ? 'takes no part' : `word ${word}`;
  }
}

export function answer(ask) {
  const error = byId('addresses-error');
  try {
    result = ask('warp', { device: device.name, type: byId('type').value,
      operation: byId('operation').value, addresses: byId('addresses').value });
    error.textContent = '';
    byId('addresses').removeAttribute('aria-invalid');
  } catch (wrong) {
    error.textContent = wrong.message;
    byId('addresses').setAttribute('aria-invalid', 'true');
    return;
  }
  const loops = result.lost !== '';
  byId('warp-result').textContent = result.rounds.length === 0 ? 'No lane takes part: 0 cycles'
    : `${result.cycles} cycles` + (loops ? ` in ${plural(result.rounds.length, 'round')}` : '');
  byId('warp-sum').textContent = result.rounds.length === 0 ? '' : result.cycles + result.sum;
  byId('mechanism').replaceChildren(...result.mechanism.map((line) => element('li', {}, line)));
  byId('warp-text').textContent = result.text;
  byId('rounds-set').hidden = !loops;
  chosenRound = Math.min(chosenRound, Math.max(0, result.rounds.length - 1));
  draw();
}

// fates says what becomes of each lane in a round.
function fates(index) {
  const round = result.rounds[index];
  const list = result.words.map((word) => word === none ? 'off' : 'done');
  for (const lane of round.pending) list[lane] = 'retry';
  for (const lane of round.winners) list[lane] = 'won';
  return list;
}

const signs = { won: 'W', retry: 'r', done: '', off: '' };

export function draw() {
  if (!result) return;
  const legend = [['won', result.won]];
  if (result.lost) legend.push(['retry', result.lost], ['done', 'done before']);
  if (result.words.includes(none)) legend.push(['off', 'takes no part']);
  byId('fates').replaceChildren(...legend.map(([fate, text]) => element('li', {},
    picture(16, 16, cell(fate, 1, 1, 14, 14)), text)));
  drawRounds();
  drawRound();
}

// cell is a lane in a picture: full if it won, framed if it goes round again.
function cell(fate, x, y, width, height) {
  const inset = fate === 'retry' ? 1 : 0;
  const box = svg('rect', { class: fate, x: x + inset, y: y + inset, rx: Math.min(2, width / 5),
    width: Math.max(1, width - 2 * inset), height: Math.max(1, height - 2 * inset) });
  if (width < 13 || height < 13 || !signs[fate]) return box;
  return svg('g', {}, box, svg('text', { class: fate, x: x + width / 2, y: y + height / 2 + 4,
    'text-anchor': 'middle' }, signs[fate]));
}

function drawRounds() {
  const room = byId('rounds'), kept = room.contains(document.activeElement);
  if (byId('rounds-set').hidden) {
    room.replaceChildren();
    return;
  }
  const width = Math.max(200, room.clientWidth - 36), step = width / result.words.length;
  room.replaceChildren(...result.rounds.map((round, i) => {
    const radio = element('input', { type: 'radio', name: 'round', value: i,
      checked: i === chosenRound });
    radio.addEventListener('change', () => { chosenRound = i; drawRound(); });
    const strip = picture(width, 16, ...fates(i).map((fate, lane) =>
      cell(fate, lane * step + 0.5, 1, step - 1, 14)));
    return element('label', {}, radio, sentence(round), strip);
  }));
  if (kept) room.querySelector(':checked').focus();
}

function sentence(round) {
  const tries = round.pending.length === 1 ? 'tries' : 'try';
  const writes = round.write_passes
    ? `, writes in ${plural(round.write_passes, 'pass', 'es')}` : '';
  return `${round.title}: ${plural(round.pending.length, 'lane')} ${tries}, ` +
    `${round.winners.length} done, ${round.cycles} cycles; ` +
    `reads in ${plural(round.read_passes, 'pass', 'es')}${writes}`;
}

// drawRound draws the banks of the chosen round: the lanes that try, stacked on their word's bank.
function drawRound() {
  const round = result.rounds[chosenRound], title = byId('round-title');
  byId('notes').replaceChildren();
  byId('banks').replaceChildren();
  title.textContent = byId('banks-text').textContent = '';
  if (!round) return;
  title.textContent = `${round.title}: the banks`;
  const stacks = Array.from({ length: result.bank_count }, () => []), fate = fates(chosenRound);
  for (const lane of round.pending) stacks[result.banks[lane]].push(lane);
  const most = Math.max(...stacks.map((s) => s.length));
  const width = Math.max(200, byId('banks').clientWidth), step = width / stacks.length;
  const tall = Math.max(6, Math.min(16, 220 / most)), height = Math.max(3, most) * tall;
  const cells = stacks.flatMap((stack, bank) => stack.map((lane, i) =>
    cell(fate[lane], bank * step + 1, height - (i + 1) * tall + 0.5, step - 2, tall - 1)));
  const every = step < 22 ? 8 : 1;
  const ticks = stacks.map((_, bank) => bank % every ? '' : svg('text', { class: 'soft',
    x: (bank + 0.5) * step, y: height + 15, 'text-anchor': 'middle' }, String(bank)));
  byId('banks').replaceChildren(picture(width, height + 20,
    svg('line', { class: 'frame', x1: 0, x2: width, y1: height, y2: height }), ...cells,
    ...ticks.filter(Boolean)));
  const used = stacks.filter((s) => s.length).length;
  byId('banks-text').textContent = `Each lane that tries stands on the bank of its word: ` +
    `${plural(round.pending.length, 'lane')} on ${used} of ${stacks.length} banks, ` +
    `${most} on the fullest.`;
  byId('notes').replaceChildren(...round.notes.map((note) => element('li', {}, note)));
  for (const radio of byId('rounds').querySelectorAll('input')) {
    radio.checked = Number(radio.value) === chosenRound;
  }
}

// play goes through the rounds, one each second.
function play() {
  if (playing) return stop();
  byId('play').textContent = 'Stop';
  chosenRound = 0;
  drawRound();
  playing = setInterval(() => {
    if (chosenRound + 1 >= result.rounds.length) return stop();
    chosenRound++;
    drawRound();
  }, 1000);
}

function stop() {
  clearInterval(playing);
  playing = undefined;
  byId('play').textContent = 'Play the rounds';
}
