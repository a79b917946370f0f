// SPDX-License-Identifier: MIT
// The charts of the page of runs, drawn by Chart.js.
const runColours = 6;
const shapes = ["circle", "triangle", "rect", "rectRot", "star", "crossRot"];
const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 4], [1, 4]];
const styles = getComputedStyle(document.documentElement);
const variable = (name) => styles.getPropertyValue("--" + name).trim();
const passColour = (name) => variable("c" + (passNumbers.get(name) || 0) % colours);
const runColour = ({index}) => variable("r" + index % runColours);
const runLabel = (run) => `${run.index + 1} ${run.name}`;

function axis(title, more) {
  return Object.assign({
    title: {display: true, text: title, color: variable("faint")},
    grid: {color: variable("line"), borderColor: variable("faint")},
    ticks: {color: variable("faint"), callback: (value) => digits(value)},
  }, more);
}

function logAxis(title, more) {
  const decade = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
  return axis(title, Object.assign({
    type: "logarithmic",
    ticks: {
      color: variable("faint"), maxRotation: 0, autoSkip: false,
      callback: (value) => decade(value) ? digits(value) : "",
    },
    grid: {
      borderColor: variable("faint"),
      color: (context) => decade(context.tick.value) ? variable("line") : "transparent",
    },
  }, more));
}

function options(scales, legend, label) {
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    scales,
    interaction: {mode: "nearest", intersect: true},
    plugins: {
      legend: {
        display: legend, position: "bottom",
        labels: {color: variable("ink"), usePointStyle: true, boxWidth: 8, boxHeight: 8},
      },
      tooltip: {callbacks: {title: () => "", label}},
    },
  };
}

/* --- the time line ---------------------------------------------------------------------------- */

// A row for each pass that the frame ran, a bar for each dispatch.
function timelineChart(run) {
  const slices = run.slices.filter((slice) => number(slice.end_s) >= number(slice.begin_s));
  const names = [...passNumbers.keys()].filter((name) =>
    slices.some((slice) => slice.pass === name));
  const last = greatest(slices.map((slice) => slice.end_s));
  const [unit, scale] = last >= 10 ? ["s", 1] : last >= 0.01 ? ["ms", 1e3] : ["\u00b5s", 1e6];
  const datasets = names.map((name) => ({
    label: name,
    backgroundColor: passColour(name),
    barPercentage: 0.95, categoryPercentage: 0.8, grouped: false, minBarLength: 1,
    data: slices.filter((slice) => slice.pass === name).map((slice) => ({
      y: name, step: slice.step,
      x: [slice.begin_s * scale, slice.end_s * scale],
    })),
  }));
  const chart = options({
    x: axis(`time, ${unit}`, {min: 0}),
    y: {
      type: "category", labels: names, grid: {display: false},
      ticks: {color: variable("ink"), autoSkip: false},
    },
  }, false, (item) => `${item.raw.y}, step ${item.raw.step}: ` +
    `${digits(item.raw.x[1] - item.raw.x[0])} ${unit} from ${digits(item.raw.x[0])} ${unit}`);
  chart.indexAxis = "y";
  return {type: "bar", data: {datasets}, options: chart, height: 70 + 26 * names.length};
}

/* --- the roofline ----------------------------------------------------------------------------- */

// Roofs of a run: slanted ones of the device's memory, flat ones of its arithmetic.
function roofs({report}) {
  const all = objects(report.ceilings).filter((ceiling) => number(ceiling.median) > 0);
  const memory = /^(copy|shared)/, arithmetic = /^(float|int)/;
  const slanted = all.filter((c) => c.unit === "B/s" && memory.test(c.name))
    .map((c) => ({name: c.name, value: c.median, unit: c.unit}));
  const flat = all.filter((c) => arithmetic.test(c.name) && c.unit !== "B/s")
    .map((c) => ({name: c.name, value: c.median, unit: c.unit}));
  if (slanted.length === 0 && number(report.copy_bytes_per_s) > 0) {
    slanted.push({name: "copy", value: report.copy_bytes_per_s});
  }
  return {slanted, flat};
}

// Colours are passes, shapes are runs.
function rooflineKey(all) {
  const names = [...new Set(all.map((point) => point.name))];
  const item = (text, pointStyle, colour) =>
    ({text, pointStyle, fillStyle: colour, strokeStyle: colour, lineWidth: 2,
      fontColor: variable("ink")});
  return names.map((name) => item(name, several ? "rect" : "circle", passColour(name)))
    .concat(several ? runs.map((run) =>
      item(runLabel(run), shapes[run.index % shapes.length], variable("ink"))) : []);
}

// Writes the name of each roof on it: on slanted ones at the left, on flat ones at the right.
const roofNames = {
  id: "roofNames",
  afterDatasetsDraw(chart) {
    const context = chart.ctx, used = [];
    context.save();
    context.font = `12px ${Chart.defaults.font.family}`;
    chart.data.datasets.forEach((dataset, index) => {
      if (!dataset.roof) {
        return;
      }
      const [from, to] = chart.getDatasetMeta(index).data;
      const flat = Math.abs(from.y - to.y) < 1;
      const angle = Math.atan2(to.y - from.y, to.x - from.x);
      const line = from.y, width = context.measureText(dataset.label).width + 12;
      let along = 10; // pixels from the end of the roof, farther where another name is
      while (used.some((other) => other.flat === flat && Math.abs(other.line - line) < 14 &&
        along < other.end && along + width > other.begin)) {
        along += 10;
      }
      used.push({flat, line, begin: along, end: along + width});
      const at = flat ? {x: to.x - along, y: to.y}
        : {x: from.x + along * Math.cos(angle), y: from.y + along * Math.sin(angle)};
      context.save();
      context.translate(at.x, at.y);
      context.rotate(flat ? 0 : angle);
      context.textAlign = flat ? "right" : "left";
      context.fillStyle = dataset.borderColor;
      context.fillText(dataset.label, 0, -6);
      context.restore();
    });
    context.restore();
  },
};

function rooflineChart() {
  const giga = 1e-9;
  const all = runs.flatMap((run) => roofPoints(run).map((point) => ({...point, run: run.index})));
  const inner = all.filter((p) => p.intensity > 0 && isFinite(p.intensity))
    .map((p) => p.intensity);
  const tops = runs.map(roofs);
  const ridges = tops.flatMap((top) => top.flat.flatMap((flat) =>
    top.slanted.map((slanted) => flat.value / slanted.value)));
  const reach = [...inner, ...ridges, 1];
  const left = 10 ** Math.floor(Math.log10(least(reach) / 3));
  const right = 10 ** Math.ceil(Math.log10(greatest(reach) * 3));
  const datasets = [];
  tops.forEach((top, run) => {
    const flatTop = greatest(top.flat.map((flat) => flat.value));
    const slantTop = greatest(top.slanted.map((slanted) => slanted.value));
    const line = (name, value, unit, from, to) => datasets.push({
      type: "line", data: [from, to], roof: true,
      label: `${several ? run + 1 + " " : ""}${name} ${digits(value * giga)} ${unit}`,
      borderColor: several ? runColour(runs[run]) : variable("faint"),
      borderWidth: 1.5, borderDash: dashes[run % dashes.length], pointRadius: 0,
      pointHitRadius: 6, pointStyle: "line",
    });
    for (const roof of top.slanted) {
      const end = flatTop > 0 ? Math.min(right, flatTop / roof.value) : right;
      line(roof.name, roof.value, "GB/s", {x: left, y: left * roof.value * giga},
        {x: end, y: end * roof.value * giga});
    }
    for (const roof of top.flat) {
      const begin = slantTop > 0 ? Math.max(left, roof.value / slantTop) : left;
      line(roof.name, roof.value, `G${roof.unit}`, {x: begin, y: roof.value * giga},
        {x: right, y: roof.value * giga});
    }
  });
  for (const point of all) {
    const x = point.intensity > 0 ? Math.min(point.intensity, right) : left;
    const y = point.rate > 0 ? point.rate : point.bandwidth * left;
    datasets.push({
      type: "scatter", label: several ? `${point.run + 1} ${point.name}` : point.name,
      data: [{x, y: y * giga}], about: point,
      backgroundColor: passColour(point.name), borderColor: passColour(point.name),
      pointStyle: shapes[point.run % shapes.length], pointRadius: 6, pointHoverRadius: 8,
      borderWidth: 2, order: -1, clip: 12,
    });
  }
  const heights = datasets.flatMap((dataset) => dataset.data.map((p) => p.y));
  const chart = options({
    x: logAxis("operations per byte", {min: left, max: right}),
    y: logAxis("operations per second, G/s", {
      min: 10 ** Math.floor(Math.log10(least(heights) / 1.5)),
      max: greatest(heights) * 2,
    }),
  }, true, (item) => {
    const point = item.dataset.about;
    return point ? [item.dataset.label, `${digits(point.rate * giga)} G operations/s, ` +
      `${digits(point.bandwidth * giga)} GB/s, ` +
      `${isFinite(point.intensity) ? digits(point.intensity) + " operations per byte"
        : "no bytes"}`]
      : item.dataset.label;
  });
  chart.plugins.legend.onClick = () => {};
  chart.plugins.legend.labels.generateLabels = () => rooflineKey(all);
  return {type: "scatter", data: {datasets}, options: chart, plugins: [roofNames], height: 480};
}

/* --- the time of a step ----------------------------------------------------------------------- */

function stepChart() {
  const micro = 1e6;
  const line = ({batches}, key) => batches.filter((batch) => number(batch[key]) > 0)
    .map((batch) => ({x: number(batch.step), y: batch[key] * micro}));
  const datasets = runs.map((run) => ({
    label: several ? runLabel(run) : "GPU time per step", data: line(run, "seconds"),
    borderColor: runColour(run), backgroundColor: runColour(run),
    borderWidth: 1.2, pointRadius: 1.2, pointHitRadius: 6, pointStyle: "line",
  })).filter((dataset) => dataset.data.length > 0);
  if (!several && datasets.length === 1) { // the spread: from 5 % to 95 %
    const all = datasets[0].data, sorted = all.map((p) => p.y).sort((a, b) => a - b);
    const level = (label, share, dash) => ({
      label, data: [all[0], all.at(-1)].map((p) => ({x: p.x, y: quantile(sorted, share)})),
      borderColor: variable("faint"), borderWidth: 1, borderDash: dash, pointRadius: 0,
      pointStyle: "line",
    });
    datasets.push(level("median", 0.5, []), level("5 %", 0.05, [4, 4]),
      level("95 %", 0.95, [4, 4]));
  }
  runs.forEach((run) => { // the range of batches that make up one point
    const low = line(run, "min_s"), high = line(run, "max_s");
    const edge = (label, points, area) => ({
      label, data: points, fill: area, backgroundColor: runColour(run) + "33", borderWidth: 0,
      pointRadius: 0, pointHitRadius: 0, range: true,
    });
    if (low.length > 0 && low.length === high.length) {
      datasets.push(edge("min", low, false), edge("max", high, "-1"));
    }
  });
  const times = datasets.flatMap((dataset) => dataset.data.map((p) => p.y));
  const wide = several && greatest(times) > 20 * least(times);
  const chart = options({
    x: axis("step", {type: "linear"}),
    y: wide ? logAxis("\u00b5s per step") : axis("\u00b5s per step", {beginAtZero: true}),
  }, true, (item) =>
    `${item.dataset.label}: step ${item.raw.x}, ${digits(item.raw.y)} \u00b5s`);
  chart.plugins.legend.labels.filter = (item, shown) => !shown.datasets[item.datasetIndex].range;
  return {type: "line", data: {datasets}, options: chart, height: 320};
}

/* --- drawing ---------------------------------------------------------------------------------- */

const charts = []; // {figure, configure: a function that returns what to draw}, and their drawings
let drawn = [];

function chart(label, configure) {
  const figure = make("figure.chart", {},
    make("div", {}, make("canvas", {role: "img", "aria-label": label})));
  charts.push({figure, configure});
  return figure;
}

function drawCharts() {
  Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
  drawn.forEach((one) => one.destroy());
  drawn = charts.map(({figure, configure}) => {
    const config = configure();
    figure.hidden = config.data.datasets.length === 0;
    figure.firstElementChild.style.height = `${config.height}px`;
    return new Chart(figure.querySelector("canvas"), config);
  });
}
