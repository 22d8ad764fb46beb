// Small helpers: elements, SVG and numbers as text.

export const byId = (id) => document.getElementById(id);

export function element(name, properties = {}, ...children) {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
}

// svg makes an SVG element; text becomes its content.
export function svg(name, attributes = {}, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

// picture is hidden from screen readers: words beside it say the same.
export const picture = (width, height, ...children) =>
  svg('svg', { width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
    ...children);

export function options(select, list, chosen) {
  select.replaceChildren(...list.map(([value, text]) => new Option(text, value)));
  if (list.some(([value]) => value === chosen)) select.value = chosen;
}

export const whole = (n) => Math.round(n).toLocaleString('en');

// about rounds to two digits.
export const about = (x) =>
  Number(x.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 2 });

// time prints microseconds to three digits.
export function time(us) {
  if (us >= 1000) return whole(us);
  return us.toPrecision(3);
}

const raised = '⁰¹²³⁴⁵⁶⁷⁸⁹';

// power prints a power of two as one.
export const power = (x) =>
  '2' + [...String(Math.round(Math.log2(x)))].map((d) => raised[d]).join('');

export const plural = (n, word, ending = 's') => `${whole(n)} ${word}${n === 1 ? '' : ending}`;
