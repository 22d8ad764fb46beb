// A whole call: the controls of its stream, the ranking, and the curve along one quantity.

import { about, byId, element, options, picture, power, svg, time, whole } from './draw.js';

const few = 6; // rows of the ranking at first
let device, result, curve, all = false;

// logs are the sliders of powers of two.
const logs = ['targets', 'run', 'updates'];
const units = { targets: 'targets', run: 'updates', updates: 'updates', skew: '' };

const titleOf = (axis) => axis.title[0].toLowerCase() + axis.title.slice(1);

const value = (name) => logs.includes(name) ? 2 ** byId(name).value : Number(byId(name).value);

export function start(menus, changed) {
  options(byId('axis'), menus.axes.map((a) => [a.name, titleOf(a)]), 'targets');
  byId('call-ask').addEventListener('submit', (event) => event.preventDefault());
  byId('call-ask').addEventListener('input', (event) => { showValues(); changed(event); });
  byId('more').addEventListener('click', () => { all = !all; showRanking(); });
}

export function setDevice(d) {
  device = d;
  options(byId('call-type'), d.types.map((t) => [t, t]), byId('call-type').value || 'f32');
  options(byId('launch'), [['', 'by the rule'], ['search', 'searched for each implementation'],
    ...(d.launches || []).map((l) => [l.launch, `fixed: ${l.words}`])], byId('launch').value);
  showValues();
}

function showValues() {
  for (const name of Object.keys(units)) {
    const text = name === 'skew' ? value(name).toFixed(2) : whole(value(name));
    byId(`${name}-out`).textContent = text;
    byId(name).ariaValueText = `${text} ${units[name]}`.trim();
  }
}

const question = () => ({
  device: device.name,
  call: { type: byId('call-type').value, value: byId('value').value, returns: false },
  launch: byId('launch').value,
  stream: { updates: value('updates'), targets: value('targets'), skew: value('skew'),
    run: value('run') },
  axis: byId('axis').value,
});

export function answer(ask) {
  const error = byId('call-error');
  try {
    result = ask('call', question());
    error.textContent = '';
  } catch (wrong) {
    error.textContent = wrong.message;
    byId('call-result').textContent = 'No implementation can be ranked.';
    return;
  }
  const best = result.ranking[0], naive = result.ranking[result.naive];
  const gain = naive && naive !== best
    ? `, ${about(naive.us / best.us)} times as fast as plain atomics` : '';
  byId('call-result').textContent = `${best.name} is the fastest: ${time(best.us)} us${gain}.`;
  const of = result.stream;
  byId('call-stream').textContent = `A warp's updates meet ${about(of.distinct_per_warp)} ` +
    `different targets. The most frequent of ${whole(of.unique)} targets that occur has ` +
    `${whole(of.max_frequency)} updates. No call can take less than ${time(result.floor_us)} us.` +
    (best.launch ? ` ${best.name} runs in ${best.launch}.` : '');
  byId('reason').textContent = result.reason;
  byId('warnings').replaceChildren(...result.warnings.map((w) => element('li', {}, w)));
  byId('command').replaceChildren(...(result.command ? [element('p', {}, 'The same in a terminal:'),
    element('pre', { tabIndex: 0 }, result.command)] : []));
  showRanking();
}

// follow goes on with the curve for a while, and reports whether it is complete.
export function follow(ask) {
  if (byId('call-error').textContent) return true;
  const begin = performance.now();
  while (performance.now() - begin < 40) {
    if (ask('ahead', question())) {
      curve = ask('curve', question());
      draw();
      return true;
    }
  }
  return false;
}

function showRanking() {
  const floor = result.floor_us; // updates that the host re-lays would stretch the bars
  const most = Math.max(...result.ranking.filter((r) => r.binding !== 'relayout').map((r) => r.us));
  const rows = result.ranking.filter((_, i) => all || i < few || i === result.naive);
  const intervals = result.ranking[0].low_us !== null;
  byId('interval').hidden = !intervals;
  byId('ranking').tBodies[0].replaceChildren(...rows.map((r, i) => {
    const share = element('span', { className: r.us > most ? 'share beyond' : 'share' });
    const length = Math.log(r.us / floor) / Math.log(most / floor);
    share.style.width = `${Math.min(100, Math.max(0.5, 100 * length))}%`;
    const name = element('th', { scope: 'row' }, r.name, share);
    const row = element('tr', {}, name, element('td', {}, time(r.us)),
      ...(intervals ? [element('td', {}, `${time(r.low_us)} – ${time(r.high_us)}`)] : []),
      element('td', {}, r.binding));
    row.classList.toggle('first', i === 0);
    row.classList.toggle('naive', r.name === 'naive');
    return row;
  }));
  const more = byId('more');
  more.hidden = result.ranking.length <= few + 1;
  more.textContent = all ? 'Show fewer' : `Show all ${result.ranking.length}`;
  more.ariaExpanded = String(all);
}

// colour and style are classes of a line: plain atomics stand apart, the others follow each other.
function colour(lines, i) {
  const before = lines.slice(0, i).filter((line) => line.name !== 'naive').length;
  return lines[i].name === 'naive' ? 'c0' : `c${before % 6 + 1} d${(before + 2 * (before > 5)) % 6 + 1}`;
}
const style = (lines, i) => `line ${colour(lines, i)}`;

export function draw() {
  if (!curve) return;
  const { axis, lines, wins } = curve;
  byId('curve-title').textContent = `Times along ${titleOf(axis)}, in microseconds`;
  byId('curve-legend').replaceChildren(...lines.map((line, i) => element('li', {},
    picture(28, 12, svg('line', { class: style(lines, i), x1: 0, x2: 28, y1: 6, y2: 6 })), line.name)));
  byId('wins').replaceChildren(...wins.map((win, i) => {
    const unit = axis.unit ? ` ${axis.unit}` : '', next = wins[i + 1];
    const from = ` from ${i ? 'about ' : ''}${about(win.from)}`;
    const to = next ? ` to about ${about(next.from)}${unit}` : `${unit} on`;
    return element('li', {}, element('strong', {}, win.name), ` (${win.kind}, ${win.class})${from}${to}`);
  }));
  plot(byId('curve'), axis, lines, wins);
}

function plot(room, axis, lines, wins) {
  const width = room.clientWidth, height = 300;
  if (width === 0) return; // not laid out yet
  const box = { left: 48, right: width - 10, top: 36, bottom: height - 40 };
  const times = lines.flatMap((l) => l.us).filter((us) => us !== null);
  const low = 10 ** Math.floor(Math.log10(Math.min(...times)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...times)));
  const along = (at) => axis.log ? Math.log(at / axis.least) / Math.log(axis.most / axis.least)
    : (at - axis.least) / (axis.most - axis.least);
  const x = (at) => box.left + along(at) * (box.right - box.left);
  const y = (us) => box.bottom - Math.log(us / low) / Math.log(high / low) * (box.bottom - box.top);
  const parts = [];
  for (let us = low; us <= high * 1.001; us *= 10) {
    parts.push(svg('line', { class: 'faint', x1: box.left, x2: box.right, y1: y(us), y2: y(us) }),
      svg('text', { class: 'soft', x: box.left - 6, y: y(us) + 4, 'text-anchor': 'end' },
        us < 1e4 ? whole(us) : `10${'⁰¹²³⁴⁵⁶⁷⁸⁹'[Math.round(Math.log10(us))]}`));
  }
  const steps = axis.log ? Math.log(axis.most / axis.least) / Math.log(axis.step)
    : (axis.most - axis.least) / axis.step;
  const every = Math.ceil(steps / Math.max(2, Math.floor(width / 55)));
  for (let i = 0; i <= steps + 1e-9; i += every) {
    const at = axis.log ? axis.least * axis.step ** i : axis.least + i * axis.step;
    parts.push(svg('text', { class: 'soft', x: x(at), y: box.bottom + 18, 'text-anchor': 'middle' },
      axis.log ? power(at) : String(at)));
  }
  parts.push(svg('text', { class: 'soft', x: (box.left + box.right) / 2, y: height - 4,
    'text-anchor': 'middle' }, axis.title));
  let named = 0; // where the last name ends
  for (const [i, win] of wins.entries()) { // a bar along the top, in the colour of the fastest, with its kind
    const line = lines.findIndex((l) => l.name === win.name);
    const end = wins[i + 1] ? wins[i + 1].from : axis.most;
    const last = wins.slice(i).findIndex((w) => w.kind !== win.kind);
    const to = last < 0 ? box.right : x(wins[i + last].from), begin = Math.max(x(win.from), named + 10);
    const name = [win.kind, win.name.replace(/:[^+]*/g, '')].find((n, j) => j || begin + 7 * n.length < to);
    const start = Math.min(begin, width - 7 * name.length);
    if (start >= named + 10 && start < to && (!i || wins[i - 1].kind !== win.kind)) {
      parts.push(svg('text', { class: 'soft', x: start, y: box.top - 17 }, name));
      named = start + 7 * name.length;
    }
    parts.push(svg('line', { class: colour(lines, line).split(' ')[0], 'stroke-width': 6, x1: x(win.from) + 1,
      x2: Math.max(x(win.from) + 2, x(end) - 1), y1: box.top - 10, y2: box.top - 10 }));
    if (i) parts.push(svg('line', { class: 'faint', x1: x(win.from), x2: x(win.from),
      y1: box.top - 10, y2: box.bottom }));
  }
  for (const [i, line] of lines.entries()) {
    const points = line.us.map((us, j) => us === null ? '' : `${x(curve.at[j])},${y(us)}`);
    parts.push(svg('polyline', { class: style(lines, i), points: points.filter(Boolean).join(' ') }));
  }
  const now = x(Math.min(Math.max(value(axis.name), axis.least), axis.most));
  parts.push(svg('line', { class: 'now', x1: now, x2: now, y1: box.top - 14, y2: box.bottom }));
  room.replaceChildren(picture(width, height, ...parts));
}
