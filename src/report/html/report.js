// SPDX-License-Identifier: MIT
// Charts, sortable tables and the copy button. The page is complete without them.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const reports = data.reports;
  const several = reports.length > 1;
  const colours = 12, runColours = 6;
  const shapes = ["circle", "triangle", "rect", "rectRot", "star", "crossRot"];
  const dashes = [[], [7, 4], [2, 3], [10, 3, 2, 3], [4, 4], [1, 4]];
  const styles = getComputedStyle(document.documentElement);
  const variable = (name) => styles.getPropertyValue("--" + name).trim();
  const passColour = (name) => variable("c" + (data.passes[name] || 0) % colours);
  const runColour = (run) => variable("r" + run % runColours);
  const list = (value) => Array.isArray(value) ? value : [];
  const number = (value) => typeof value === "number" ? value : 0;
  const runName = (run) => `${run + 1} ${data.names[run]}`;

  // Four digits, without an exponent where that is readable.
  function digits(value) {
    const size = Math.abs(value);
    if (size !== 0 && (size < 1e-3 || size >= 1e9)) {
      return value.toExponential(2);
    }
    return String(Number(value.toPrecision(4)));
  }

  /* --- tables ------------------------------------------------------------------------------- */

  function keyOf(row, column) {
    const cell = row.cells[column];
    const exact = cell.querySelector("data");
    return exact ? Number(exact.value) : cell.textContent.trim();
  }

  // Numbers before texts; a dash is always last.
  function compareKeys(a, b, sign) {
    const none = "\u2013";
    if (a === none || b === none) {
      return (a === none) - (b === none);
    }
    if (typeof a === "number" && typeof b === "number") {
      return sign * (a - b);
    }
    return sign * String(a).localeCompare(String(b));
  }

  function sort(table, head, column) {
    const numeric = head.classList.contains("n");
    const now = head.getAttribute("aria-sort");
    const order = now === "none" ? (numeric ? "descending" : "ascending")
      : now === "ascending" ? "descending" : "ascending";
    const sign = order === "ascending" ? 1 : -1;
    for (const other of table.tHead.rows[0].cells) {
      other.setAttribute("aria-sort", other === head ? order : "none");
    }
    const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row, column), row]);
    rows.sort((a, b) => compareKeys(a[0], b[0], sign));
    table.tBodies[0].append(...rows.map((pair) => pair[1]));
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(table, head, column));
      head.append(button);
      head.setAttribute("aria-sort", "none");
    });
  }

  /* --- the command line --------------------------------------------------------------------- */

  for (const box of document.querySelectorAll(".command")) {
    const button = document.createElement("button");
    const code = box.querySelector("code");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => {
      const range = document.createRange();
      range.selectNodeContents(code);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      // The clipboard API is not for pages of the file: scheme in every browser.
      const done = document.execCommand("copy");
      button.textContent = done ? "Copied" : "Selected: press Ctrl+C";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    box.append(button);
  }

  /* --- charts ------------------------------------------------------------------------------- */

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

  // A row for each pass that the frame ran, a bar for each dispatch.
  function timeline(run) {
    const slices = list(reports[run].timeline).filter((slice) =>
      slice && typeof slice.pass === "string" && number(slice.end_s) >= number(slice.begin_s));
    const names = Object.keys(data.passes).filter((name) =>
      slices.some((slice) => slice.pass === name));
    const last = Math.max(0, ...slices.map((slice) => number(slice.end_s)));
    const [unit, scale] = last >= 10 ? ["s", 1] : last >= 0.01 ? ["ms", 1e3] : ["\u00b5s", 1e6];
    const datasets = names.map((name) => ({
      label: name,
      backgroundColor: passColour(name),
      barPercentage: 0.95, categoryPercentage: 0.8, grouped: false, minBarLength: 1,
      data: slices.filter((slice) => slice.pass === name).map((slice) => ({
        y: name, step: slice.step,
        x: [number(slice.begin_s) * scale, number(slice.end_s) * scale],
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

  // The points of a run: operations per byte against operations per second.
  function points(run) {
    return list(reports[run].passes).filter((pass) => pass && number(pass.samples) > 0 &&
      number(pass.mean_s) > 0 && (number(pass.bytes) > 0 || number(pass.operations) > 0))
      .map((pass) => ({
        run, name: String(pass.name),
        bandwidth: number(pass.bytes_per_s) || number(pass.bytes) / pass.mean_s,
        rate: number(pass.operations_per_s) || number(pass.operations) / pass.mean_s,
        intensity: number(pass.bytes) > 0 ? number(pass.operations) / pass.bytes : Infinity,
      }));
  }

  // Roofs of a run: slanted ones of the device's memory, flat ones of its arithmetic.
  function roofs(run) {
    const report = reports[run];
    const all = list(report.ceilings).filter((ceiling) => ceiling && number(ceiling.median) > 0);
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
      .concat(several ? reports.map((_, run) =>
        item(runName(run), shapes[run % shapes.length], variable("ink"))) : []);
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

  function roofline() {
    const giga = 1e-9;
    const all = reports.flatMap((_, run) => points(run));
    const inner = all.filter((p) => p.intensity > 0 && isFinite(p.intensity))
      .map((p) => p.intensity);
    const tops = reports.map((_, run) => roofs(run));
    const ridges = tops.flatMap((top) => top.flat.flatMap((flat) =>
      top.slanted.map((slanted) => flat.value / slanted.value)));
    const reach = [...inner, ...ridges, 1];
    const left = 10 ** Math.floor(Math.log10(Math.min(...reach) / 3));
    const right = 10 ** Math.ceil(Math.log10(Math.max(...reach) * 3));
    const datasets = [];
    tops.forEach((top, run) => {
      const flatTop = Math.max(0, ...top.flat.map((flat) => flat.value));
      const slantTop = Math.max(0, ...top.slanted.map((slanted) => slanted.value));
      const line = (name, value, unit, from, to) => datasets.push({
        type: "line", data: [from, to], roof: true,
        label: `${several ? run + 1 + " " : ""}${name} ${digits(value * giga)} ${unit}`,
        borderColor: several ? runColour(run) : variable("faint"),
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
        min: 10 ** Math.floor(Math.log10(Math.min(...heights) / 1.5)),
        max: Math.max(...heights) * 2,
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

  function steps() {
    const micro = 1e6;
    const datasets = reports.map((report, run) => ({
      label: several ? runName(run) : "GPU time per step",
      data: list(report.step_times).filter((p) => p && number(p.seconds) > 0)
        .map((p) => ({x: number(p.step), y: p.seconds * micro})),
      borderColor: runColour(run), backgroundColor: runColour(run),
      borderWidth: 1.2, pointRadius: 1.2, pointHitRadius: 6, pointStyle: "line",
    })).filter((dataset) => dataset.data.length > 0);
    if (!several && datasets.length === 1) { // the spread: from 5 % to 95 %
      const data = datasets[0].data;
      const sorted = data.map((p) => p.y).sort((a, b) => a - b);
      const quantile = (share) =>
        sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
      const level = (label, share, dash) => ({
        label, data: [data[0], data[data.length - 1]].map((p) => ({x: p.x, y: quantile(share)})),
        borderColor: variable("faint"), borderWidth: 1, borderDash: dash, pointRadius: 0,
        pointStyle: "line",
      });
      datasets.push(level("median", 0.5, []), level("5 %", 0.05, [4, 4]),
        level("95 %", 0.95, [4, 4]));
    }
    reports.forEach((report, run) => { // the range of batches that make up one point
      const range = (key) => list(report.step_times).filter((p) => p && number(p[key]) > 0)
        .map((p) => ({x: number(p.step), y: p[key] * micro}));
      const low = range("min_s"), high = range("max_s");
      const edge = (label, data, fill) => ({
        label, data, fill, backgroundColor: runColour(run) + "33", borderWidth: 0, pointRadius: 0,
        pointHitRadius: 0, range: true,
      });
      if (low.length > 0 && low.length === high.length) {
        datasets.push(edge("min", low, false), edge("max", high, "-1"));
      }
    });
    const times = datasets.flatMap((dataset) => dataset.data.map((p) => p.y));
    const wide = several && Math.max(...times) > 20 * Math.min(...times);
    const chart = options({
      x: axis("step", {type: "linear"}),
      y: wide ? logAxis("\u00b5s per step") : axis("\u00b5s per step", {beginAtZero: true}),
    }, true, (item) =>
      `${item.dataset.label}: step ${item.raw.x}, ${digits(item.raw.y)} \u00b5s`);
    chart.plugins.legend.labels.filter = (item, shown) => !shown.datasets[item.datasetIndex].range;
    return {type: "line", data: {datasets}, options: chart, height: 320};
  }

  const kinds = {timeline, roofline, steps};
  const drawn = [];

  function draw() {
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    for (const chart of drawn.splice(0)) {
      chart.destroy();
    }
    for (const figure of document.querySelectorAll(".chart")) {
      const config = kinds[figure.dataset.chart](Number(figure.dataset.run || 0));
      if (config.data.datasets.length > 0) {
        figure.hidden = false;
        figure.firstElementChild.style.height = `${config.height}px`;
        drawn.push(new Chart(figure.querySelector("canvas"), config));
      }
    }
  }

  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  matchMedia("print").addEventListener("change", draw); // paper is light
})();
