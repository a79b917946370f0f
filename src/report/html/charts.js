// SPDX-License-Identifier: MIT
// The charts of the page of runs, drawn by Chart.js.
const runColours = 6;
const shapes = ["circle", "triangle", "rect", "rectRot", "star", "crossRot"];
const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 4], [1, 4]];
const styles = getComputedStyle(document.documentElement);
const variable = (name) => styles.getPropertyValue("--" + name).trim();
const runColour = ({index}) => variable("r" + index % runColours);
const runLabel = (run) => `${run.index + 1} ${run.name}`;

function axis(title, more) {
  return Object.assign({
    title: {display: true, text: title, color: variable("faint")},
    grid: {color: variable("line"), borderColor: variable("faint")},
    ticks: {color: variable("faint"), callback: (value) => digits(value)},
  }, more);
}

// A figure of an axis, without the zeros of its three digits: "10 Gop/s".
const tick = (value, unit) =>
  plain(value, unit).replace(/(\.\d*?)0+(?= )/, "$1").replace(". ", " ");
const isDecade = (value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;

function logAxis(title, more) {
  return axis(title, Object.assign({
    type: "logarithmic",
    ticks: {
      color: variable("faint"), maxRotation: 0, autoSkip: false,
      callback: (value) => isDecade(value) ? digits(value) : "",
    },
    grid: {
      borderColor: variable("faint"),
      color: (context) => isDecade(context.tick.value) ? variable("line") : "transparent",
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
    backgroundColor: variable(passColour(name)),
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
    `${plain((item.raw.x[1] - item.raw.x[0]) / scale, "s")} from ` +
    `${plain(item.raw.x[0] / scale, "s")}`);
  chart.indexAxis = "y";
  return {type: "bar", data: {datasets}, options: chart, height: 70 + 26 * names.length};
}

/* --- the roofline ----------------------------------------------------------------------------- */

// Roofs of a run: slanted ones of the device's memory, of which copies and reads have one, the
// higher; flat ones of its arithmetic.
function roofs({report}) {
  const all = objects(report.ceilings).filter((ceiling) => number(ceiling.median) > 0);
  const arithmetic = /^(float|int)/;
  const slanted = all.filter((c) => c.name === "copy" || c.name === "read")
    .sort((a, b) => b.median - a.median).slice(0, 1)
    .map((c) => ({name: c.name, value: c.median, unit: c.unit}));
  const flat = all.filter((c) => arithmetic.test(c.name) && c.unit !== "B/s")
    .map((c) => ({name: c.name, value: c.median, unit: c.unit}));
  if (slanted.length === 0 && number(report.copy_bytes_per_s) > 0) {
    slanted.push({name: "copy", value: report.copy_bytes_per_s});
  }
  return {slanted, flat};
}

// Points have names, so the key only has what their shapes and lines mean.
function rooflineKey(all) {
  const ink = variable("ink");
  const item = (text, pointStyle, fillStyle) =>
    ({text, pointStyle, fillStyle, strokeStyle: ink, lineWidth: 2, fontColor: ink});
  const kinds = all.some((point) => point.cached)
    ? [item("served by memory", "circle", ink), item("served by a cache", "circle",
      variable("paper"))] : [];
  return kinds.concat(several ? runs.map((run) =>
    item(runLabel(run), shapes[run.index % shapes.length], ink)) : []);
}

const overlaps = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom &&
  b.top < a.bottom;

// Places for a text of some width beside a point: near ones first, to the right before others.
function* placesBeside({x, y}, radius, width) {
  const half = 7, toward = [[1, 0], [-1, 0], [0, -1], [-0.7, -0.7], [0, 1], [0.7, -0.7], [0.7, 0.7],
    [-0.7, 0.7]];
  for (const distance of [5, 16, 30, 46, 64, 84]) {
    for (const [dx, dy] of toward) {
      const reach = radius + distance;
      const left = x + dx * reach - (dx > 0.1 ? 0 : dx < -0.1 ? width : width / 2);
      const middle = y + dy * (reach + half);
      yield {left, right: left + width, top: middle - half, bottom: middle + half,
        far: distance > 5};
    }
  }
}

// Writes the name of each pass beside its point, where nothing else is; a line leads to one that is
// farther away. The longest pass is placed first; of several runs the first has the names.
// chart.names has the places.
const pointNames = {
  id: "pointNames",
  afterDatasetsDraw(chart) {
    const context = chart.ctx, {chartArea: area} = chart;
    const points = chart.data.datasets.map((dataset, index) => ({...dataset.about,
      radius: dataset.pointRadius,
      at: chart.getDatasetMeta(index).data[0]})).filter(({name}) => name !== undefined);
    const taken = points.map(({at: {x, y}, radius}) =>
      ({left: x - radius, right: x + radius, top: y - radius, bottom: y + radius}));
    taken.push(...chart.roofNames);
    chart.data.datasets.filter(({roof}) => roof).forEach((dataset) => { // their lines
      const [from, to] = chart.getDatasetMeta(chart.data.datasets.indexOf(dataset)).data;
      const count = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / 4);
      for (let i = 0; i <= count; i++) {
        const x = from.x + i / count * (to.x - from.x), y = from.y + i / count * (to.y - from.y);
        taken.push({left: x - 1, right: x + 1, top: y - 1, bottom: y + 1});
      }
    });
    chart.names = [];
    context.save();
    context.font = `12px ${Chart.defaults.font.family}`;
    context.textBaseline = "middle";
    context.lineJoin = "round";
    const named = points.filter((point) => // colours are passes, shapes are runs
      points.find((other) => other.name === point.name) === point);
    for (const {name: pass, cached, at, radius} of named.sort((a, b) => b.share - a.share)) {
      const name = cached ? `${pass} (cache)` : pass;
      const width = context.measureText(name).width + 4;
      const place = [...placesBeside(at, radius, width)].find((one) =>
        one.left >= area.left && one.right <= area.right && one.top >= area.top &&
        one.bottom <= area.bottom && !taken.some((other) => overlaps(one, other)));
      if (!place) {
        continue; // the table has it
      }
      const middle = (place.top + place.bottom) / 2;
      taken.push(place);
      chart.names.push({name, ...place});
      if (place.far) {
        context.strokeStyle = variable("faint");
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(at.x, at.y);
        context.lineTo(Math.min(Math.max(at.x, place.left), place.right),
          Math.min(Math.max(at.y, place.top), place.bottom));
        context.stroke();
      }
      context.strokeStyle = variable("paper");
      context.lineWidth = 3;
      context.strokeText(name, place.left + 2, middle);
      context.fillStyle = variable("ink");
      context.fillText(name, place.left + 2, middle);
    }
    context.restore();
  },
};

// Writes the name of each roof on it: on slanted ones at the left, on flat ones at the right.
const roofNames = {
  id: "roofNames",
  afterDatasetsDraw(chart) {
    const context = chart.ctx, used = [];
    chart.roofNames = [];
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
      const rise = flat ? 0 : width * Math.sin(angle);
      const run = flat ? -width : width * Math.cos(angle);
      chart.roofNames.push({left: Math.min(at.x, at.x + run), right: Math.max(at.x, at.x + run),
        top: Math.min(at.y, at.y + rise) - 18, bottom: Math.max(at.y, at.y + rise)});
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
  const isNew = (top, run) => tops.findIndex((other) => isEqual(other, top)) === run;
  const different = tops.filter(isNew).length > 1;
  tops.forEach((top, run) => {
    if (!isNew(top, run)) {
      return; // of a device that an earlier run had
    }
    const flatTop = greatest(top.flat.map((flat) => flat.value));
    const slantTop = greatest(top.slanted.map((slanted) => slanted.value));
    const line = (name, value, unit, from, to) => datasets.push({
      type: "line", data: [from, to], roof: true,
      label: `${different ? run + 1 + " " : ""}${name} ${plain(value, unit)}`,
      borderColor: variable("faint"),
      borderWidth: 1.5, borderDash: dashes[run % dashes.length], pointRadius: 0,
      pointHitRadius: 6, pointStyle: "line",
    });
    for (const roof of top.slanted) {
      const end = flatTop > 0 ? Math.min(right, flatTop / roof.value) : right;
      line(roof.name, roof.value, "B/s", {x: left, y: left * roof.value},
        {x: end, y: end * roof.value});
    }
    for (const roof of top.flat) {
      const begin = slantTop > 0 ? Math.max(left, roof.value / slantTop) : left;
      line(roof.name, roof.value, roof.unit, {x: begin, y: roof.value},
        {x: right, y: roof.value});
    }
  });
  for (const point of all) {
    const x = point.intensity > 0 ? Math.min(point.intensity, right) : left;
    const y = point.rate > 0 ? point.rate : point.bandwidth * left;
    datasets.push({
      type: "scatter", label: several ? `${point.run + 1} ${point.name}` : point.name,
      data: [{x, y: y}], about: point,
      backgroundColor: point.cached ? variable("paper") : variable(passColour(point.name)),
      borderColor: variable(passColour(point.name)),
      pointStyle: shapes[point.run % shapes.length], pointRadius: 4 + 6 * Math.sqrt(point.share),
      borderWidth: 2, order: -1, clip: 12,
    });
  }
  const heights = datasets.flatMap((dataset) => dataset.data.map((p) => p.y));
  const chart = options({
    x: logAxis("operations per byte", {min: left, max: right}),
    y: logAxis("operations per second", {
      ticks: {
        color: variable("faint"), autoSkip: false,
        callback: (value) => isDecade(value) ? tick(value, "op/s") : "",
      },
      min: 10 ** Math.floor(Math.log10(least(heights) / 1.5)),
      max: greatest(heights) * 2,
    }),
  }, true, (item) => {
    const point = item.dataset.about;
    return point ? [item.dataset.label, `${plain(point.rate, "op/s")}, ` +
      `${plain(point.bandwidth, "B/s")}${point.cached ? " from a cache" : ""}, ` +
      `${isFinite(point.intensity) ? plain(point.intensity) + " operations per byte"
        : "no bytes"}`]
      : item.dataset.label;
  });
  chart.plugins.legend.onClick = () => {};
  chart.plugins.legend.labels.generateLabels = () => rooflineKey(all);
  return {type: "scatter", data: {datasets}, options: chart, plugins: [roofNames, pointNames],
    height: 480};
}

/* --- the time of a step ----------------------------------------------------------------------- */

function stepChart() {
  const line = ({batches}, key) => batches.filter((batch) => number(batch[key]) > 0)
    .map((batch) => ({x: number(batch.step), y: batch[key]}));
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
  const ticks = (has) => ({color: variable("faint"), callback: (value) =>
    has(value) ? tick(value, "s") : ""});
  const times = datasets.flatMap((dataset) => dataset.data.map((p) => p.y));
  const wide = several && greatest(times) > 20 * least(times);
  const chart = options({
    x: axis("step", {type: "linear"}),
    y: wide ? logAxis("time per step", {ticks: ticks((value) => isDecade(value))})
      : axis("time per step", {beginAtZero: true, ticks: ticks(() => true)}),
  }, true, (item) =>
    `${item.dataset.label}: step ${item.raw.x}, ${plain(item.raw.y, "s")}`);
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
