// SPDX-License-Identifier: MIT
// What all pages share: the document, elements, figures, tables, command lines. Reports may come
// from anywhere, so a value of another type than expected counts as missing, and text is only ever
// added as text, never parsed as markup.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const none = "\u2013";

const number = (value) => typeof value === "number" ? value : NaN;
const positive = (value) => value > 0 ? number(value) : NaN;
const text = (value) => typeof value === "string" ? value : "";
const objects = (value) => Array.isArray(value) ? value.filter((one) => one instanceof Object) : [];
const strings = (value) =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
const object = (value) => value instanceof Object ? value : {};
// Of lists that are too long for Math.min(...values); the greatest of none is 0.
const sum = (values) => values.reduce((all, value) => all + (value || 0), 0);
const least = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
const greatest = (values) => values.reduce((a, b) => Math.max(a, b), 0);

/* --- elements --------------------------------------------------------------------------------- */

// Without control characters, and without those that change the direction of the text after them
// and so could make a command look like another.
const clean = (string) =>
  string.replace(/[\0-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");

// make("td.n.none", {}, "text", node, [more]): an element of some classes, with its attributes.
function make(tag, attributes = {}, ...children) {
  const [name, ...classes] = tag.split(".");
  const space = name === "svg" || name === "rect" ? "http://www.w3.org/2000/svg"
    : "http://www.w3.org/1999/xhtml";
  const node = document.createElementNS(space, name);
  for (const [key, value] of Object.entries({class: classes.join(" "), ...attributes})) {
    if (value !== "") {
      node.setAttribute(key, clean(String(value)));
    }
  }
  node.append(...children.flat(Infinity).map((one) =>
    one instanceof Node ? one : clean(String(one))));
  return node;
}

// Fills a section of the page and shows it, unless there is nothing to show.
function fill(id, ...nodes) {
  const section = document.getElementById(id);
  const children = nodes.flat(Infinity);
  section.append(...children);
  section.hidden = children.length === 0;
}

const note = (...children) => make("p.note", {}, ...children);

function describe(title, subtitle) {
  document.title = `${clean(title)} \u2013 ${document.title}`;
  document.querySelector("h1").textContent = clean(title);
  document.querySelector(".subtitle").textContent = clean(subtitle);
}

function deviceName(device) {
  const {name, driver} = object(device);
  return `on ${text(name) || "an unknown device"}${text(driver) && ` (${driver})`}`;
}

/* --- figures ---------------------------------------------------------------------------------- */

// Digits in groups of three, separated by narrow spaces that do not break.
function grouped(value, digits) {
  if (!(Math.abs(value) < 1e15)) {
    return String(value);
  }
  const [whole, fraction] = Math.abs(value).toFixed(digits).split(".");
  return (value < 0 ? "\u2212" : "") + whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") +
    (fraction ? "." + fraction : "");
}

// Four digits, without an exponent where that is readable.
function digits(value) {
  const rounded = Number(value.toPrecision(4)), size = Math.abs(rounded);
  return size !== 0 && (size < 1e-3 || size >= 1e9) ? rounded.toExponential() : String(rounded);
}

// Three significant digits in units that fit, as [text, unit]: ["72.5", "ms"]. Shares are in "%";
// other figures may have no unit.
const prefixes = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"],
  [1e-6, "\u00b5"], [1e-9, "n"], [1e-12, "p"]];
function significant(value, unit = "") {
  const exact = Number((unit === "%" ? 100 * value : value).toPrecision(3)), size = Math.abs(exact);
  const fits = ([scale]) => size >= scale * 0.9999 && (scale <= 1 || unit !== "s");
  const [scale, prefix] = unit === "%" || unit === "" || size === 0 ? [1, ""]
    : prefixes.find(fits) ?? prefixes.at(-1);
  const shown = size / scale;
  const decimals = shown === 0 ? 0
    : Math.min(3, Math.max(0, 2 - Math.floor(Math.log10(shown * 1.0001))));
  return [grouped(exact / scale, decimals), prefix + unit];
}
const plain = (value, unit) => significant(value, unit).join(" ").trim();

// The same as an element that has the exact value; "" where it is unknown.
function quantity(value, unit) {
  if (isNaN(value)) {
    return "";
  }
  const [shown, symbol] = significant(value, unit);
  return [make("data", {value}, shown), symbol ? ["\u00a0", make("small", {}, symbol)] : []];
}

// The value in multiples of `unit`; the element has the exact one.
const figure = (value, unit = 1, digits = 0) =>
  make("data", {value}, grouped(value / unit, digits));

function bytesText(value) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let left = Math.max(0, value), unit = 0;
  for (; left >= 1024 && unit < units.length - 1; unit++) {
    left /= 1024;
  }
  return `${left.toFixed(unit === 0 || left >= 100 ? 0 : 1)} ${units[unit]}`;
}

// "512 x 512", with the depth of a volume.
const sizeText = ({width, height, depth}) =>
  [width, height, ...depth > 1 ? [depth] : []].map((side) => number(side) || 0).join(" \u00d7 ");

// Names with texts, numbers or quantities. Unknown ones are left out.
function facts(...rows) {
  const known = rows.filter(([, value]) => typeof value === "number" ? !isNaN(value) : value);
  return known.length === 0 ? [] : make("dl.facts", {}, known.map(([name, value]) =>
    make("div", {}, make("dt", {}, name),
      make("dd", {}, typeof value === "number" ? figure(value) : value))));
}

/* --- tables ----------------------------------------------------------------------------------- */

const missing = () => make("td.n.none", {}, none);
const cell = (value, unit, digits) =>
  isNaN(value) ? missing() : make("td.n", {}, figure(value, unit, digits));
const quantityCell = (value, unit, mark = "") =>
  isNaN(value) ? missing() : make("td.n", {}, quantity(value, unit), mark);
const textCell = (value) => make("td", {}, value);
const headCell = (...children) => make("th", {scope: "row"}, ...children);
const bytesCell = (value) =>
  isNaN(value) ? missing() : make("td.n", {}, make("data", {value}, bytesText(value)));

// A percentage with a bar.
function shareCell(share) {
  const width = 100 * Math.min(1, Math.max(0, share));
  return isNaN(share) ? missing() : make("td.n.share", {},
    make("svg.bar", {viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": true},
      make("rect", {width, height: 1})), quantity(share, "%"));
}

// Columns are [heading, unit, (row) => cell]; a heading is aligned as its cells. Where a function
// returns nothing, there is no cell: the one before it has a colspan. Rows are in groups, which are
// separated.
function table(label, columns, groups, {sortable = false} = {}) {
  const bodies = groups.map((rows) => make("tbody", {}, rows.map((row) =>
    make(["tr", row.isSum ? "sum" : "", row.noisy ? "noisy" : ""].filter(Boolean).join("."), {},
      columns.map(([, , of]) => of(row) || [])))));
  const heads = columns.map(([head, unit], i) => {
    const numeric = bodies.some((body) =>
      [...body.rows].some((row) => row.cells[i]?.classList.contains("n")));
    return make(numeric ? "th.n" : "th", {scope: "col"}, head,
      unit ? [" ", make("small", {}, unit)] : []);
  });
  const made = make("table", {}, make("caption", {}, label),
    make("thead", {}, make("tr", {}, heads)), bodies);
  heads.filter(() => sortable).forEach((head, column) => {
    const button = make("button", {type: "button"}, ...head.childNodes);
    button.addEventListener("click", () => sort(made, head, column));
    head.append(button);
    head.setAttribute("aria-sort", "none");
  });
  // It scrolls sideways on its own.
  return make("div.scroll", {role: "region", tabindex: 0, "aria-label": label}, made);
}

function keyOf(row, column) {
  const exact = row.cells[column].querySelector("data");
  return exact ? Number(exact.value) : row.cells[column].textContent.trim();
}

// Numbers before texts; a dash is always last.
function compareKeys(a, b, sign) {
  if (a === none || b === none) {
    return (a === none) - (b === none);
  }
  if (typeof a === "number" && typeof b === "number") {
    return sign * (a - b);
  }
  return sign * String(a).localeCompare(String(b));
}

function sort(sorted, head, column) {
  const now = head.getAttribute("aria-sort");
  const order = now === "none" ? (head.classList.contains("n") ? "descending" : "ascending")
    : now === "ascending" ? "descending" : "ascending";
  const sign = order === "ascending" ? 1 : -1;
  for (const other of sorted.tHead.rows[0].cells) {
    other.setAttribute("aria-sort", other === head ? order : "none");
  }
  const rows = [...sorted.tBodies[0].rows].map((row) => [keyOf(row, column), row]);
  rows.sort((a, b) => compareKeys(a[0], b[0], sign));
  sorted.tBodies[0].append(...rows.map((pair) => pair[1]));
}

const details = (summary, ...children) =>
  make("details", {}, make("summary", {}, summary), ...children);

const ceilingColumns = () => [
  ["Ceiling", "", (one) => headCell(text(one.name))],
  ["Median", "", (one) => quantityCell(number(one.median), text(one.unit))],
];

/* --- the command line ------------------------------------------------------------------------- */

// A word as a shell takes it.
const quote = (word) =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

// A command line with a button that copies it.
function command(words) {
  const code = make("code", {}, strings(words).map(quote).join(" "));
  const button = make("button", {type: "button"}, "Copy");
  button.addEventListener("click", () => {
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    // Not every browser offers the clipboard API to pages of the file: scheme.
    const done = document.execCommand("copy");
    button.textContent = done ? "Copied" : "Selected: press Ctrl+C";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return make("div.command", {},
    make("pre", {tabindex: 0, "aria-label": "command line"}, code), button);
}

// An SVG file as an image.
const drawing = (svg, alt) => make("figure.plot", {},
  make("img", {alt, src: `data:image/svg+xml,${encodeURIComponent(text(svg))}`}));
