// SPDX-License-Identifier: MIT
// The page of runs: one, or several side by side. {"reports": [what --timings=json prints],
// "names": [names of their files], "pictures": [[{"caption", "src", "width", "height"}]]}
const rowLimit = 250; // of tables that list what a chart has

const colours = 12;
let runs = [], several = false;
const passNumbers = new Map(); // in order of first appearance
const passMark = (name) => make(`i.mark.c${(passNumbers.get(name) || 0) % colours}`);
const passCell = (name) => headCell(passMark(text(name)), text(name));
const runName = (run) => [make("span.run", {}, run.index + 1), " ", run.name];

// What `of` returns for each run, under the run's name if there are several. Runs for which it
// returns nothing are left out.
function forEachRun(of) {
  const blocks = runs.map((run) => [run, [of(run)].flat(Infinity)])
    .filter(([, nodes]) => nodes.length > 0);
  return blocks.length === 0 ? [] : make("div.all", {}, blocks.map(([run, nodes]) =>
    several ? make("div.one", {}, make("h3", {}, runName(run)), nodes) : nodes));
}

/* --- what ran, on what ------------------------------------------------------------------------ */

function runFacts({report}) {
  const cells = report.width * report.height * (number(report.depth) || 1);
  return [
    strings(report.command).length > 0 ? command(report.command) : [],
    facts(["Simulation", text(report.simulation)], ["Cells", sizeText(report)],
      ["Steps", number(report.steps)], ["Frames", number(report.frames)],
      ["GPU time per step", positive(report.step_s), 1e-6, 2, "\u00b5s"],
      ["Cell updates", cells / positive(report.step_s), 1e6, 1, "M/s"],
      ["Wall time", positive(report.wall_s), 1, 3, "s"],
      ["Loop", positive(report.seconds), 1, 3, "s"],
      ["Start-up", positive(report.startup_s), 1e-3, 0, "ms"],
      ["First frame after", positive(report.first_frame_s), 1e-3, 0, "ms"],
      ["Pipelines", positive(report.pipelines)],
      ["Pipelines cached", number(report.pipelines_cached)],
      ["vksim", text(report.version)]),
  ];
}

function deviceFacts({report}) {
  const device = object(report.device), stamps = object(device.timestamps);
  return facts(["Device", text(device.name)], ["Driver", text(device.driver)],
    ["Vulkan", text(device.vulkan)], ["UUID", text(device.uuid)],
    ["Memory", positive(device.memory), 2 ** 30, 1, "GiB"],
    ["Timestamp period", positive(stamps.period_ns), 1, 2, "ns"],
    ["Valid bits", positive(stamps.valid_bits)],
    ["Dropped samples", positive(report.dropped_samples)]);
}

const pictures = ({report, pictures: frames}) => frames.length === 0 ? []
  : make("div.pictures", {}, frames.map(({caption, src, width, height}) => make("figure", {},
    make("img", {src, width, height, alt: `picture of ${report.simulation} at ${caption}`}),
    make("figcaption", {}, caption))));

function memoryTable({report}) {
  const memory = object(report.memory), size = positive(object(report.device).memory);
  const rows = [
    ["Allocated at the end", "allocated_bytes"], ["Peak", "peak_bytes"],
    ["Budget of this process", "budget_bytes"], ["Free at the end", "free_bytes"],
  ].map(([name, key]) => ({name, bytes: number(memory[key] ?? report[key])}))
    .filter(({bytes}) => !isNaN(bytes));
  return table("Device memory", [
    ["Memory", "", ({name}) => headCell(name)],
    ["Size", "", ({bytes}) => bytesCell(bytes)],
    ["Of the device", "", ({bytes}) => shareCell(bytes / size)],
  ], [rows]);
}

function scalars({report}) {
  return facts(...Object.entries(object(report.watched)).map(([name, value]) => [name,
    typeof value === "number" ? make("data", {value}, Number(value.toPrecision(6)))
      : "not finite"]));
}

function ceilingTable({report}) {
  const ceilings = objects(report.ceilings);
  return ceilings.length === 0 ? []
    : table("Measured ceilings of the device", ceilingColumns(), [ceilings], {sortable: true});
}

/* --- passes ----------------------------------------------------------------------------------- */

// Ceilings that some pass is compared with: columns of the table.
function passCeilings() {
  const limit = 64;
  const names = runs.flatMap(({passes}) => passes.flatMap((pass) =>
    Object.entries(object(pass.ceilings)).filter(([, share]) => typeof share === "number")
      .map(([name]) => name)));
  return [...new Set(names)].slice(0, limit);
}

function passTable(passes, ceilings) {
  const known = (key) => passes.some((pass) => ["number", "string"].includes(typeof pass[key]));
  const timed = (pass, key) => pass.samples > 0 ? number(pass[key]) : NaN;
  const time = (key) => (pass) => cell(timed(pass, key), 1e-6, 2);
  const rate = (key) => (pass) => cell(positive(timed(pass, key)), 1e9, 1);
  const columns = [
    ["calls", "Calls", "", (pass) => cell(number(pass.calls))],
    ["total_s", "Total", "ms", (pass) => cell(timed(pass, "total_s"), 1e-3, 3)],
    ["share", "Share", "%", (pass) => shareCell(timed(pass, "share"))],
    ["bound", "Bound by", "", (pass) => textCell(text(pass.bound) || none)],
    ["mean_s", "Mean", "\u00b5s", time("mean_s")], ["min_s", "Min", "\u00b5s", time("min_s")],
    ["p50_s", "Median", "\u00b5s", time("p50_s")], ["p95_s", "95 %", "\u00b5s", time("p95_s")],
    ["max_s", "Max", "\u00b5s", time("max_s")],
    ["bytes_per_s", "GB/s", "", rate("bytes_per_s")],
    ["operations_per_s", "Gop/s", "", rate("operations_per_s")],
  ].filter(([key]) => known(key)).map(([, ...column]) => column);
  const shares = ceilings.map((name) => [`of ${name}`, "%",
    (pass) => cell(number(object(pass.ceilings)[name]), 0.01, 1)]);
  if (ceilings.length === 0 && known("share_of_copy")) {
    shares.push(["of copy", "%",
      (pass) => cell(positive(timed(pass, "share_of_copy")), 0.01, 1)]);
  }
  return table("GPU time of every pass",
    [["Pass", "", (pass) => passCell(pass.name)], ...columns, ...shares],
    [passes.filter((pass) => !(number(pass.calls) <= 0))], {sortable: true});
}

/* --- the time line ---------------------------------------------------------------------------- */

function timelineTables({slices}) {
  const length = (slice) => number(slice.end_s) - number(slice.begin_s);
  const valid = slices.filter((slice) => length(slice) >= 0);
  const begin = least(valid.map((slice) => slice.begin_s));
  const whole = greatest(valid.map((slice) => slice.end_s)) - begin;
  const rows = [...passNumbers.keys()].map((name) => {
    const own = valid.filter((slice) => slice.pass === name);
    return {name, count: own.length, total: sum(own.map(length)),
      first: least(own.map((slice) => slice.begin_s))};
  }).filter(({count}) => count > 0);
  return [
    table("The time line, by pass", [
      ["Pass", "", (row) => passCell(row.name)],
      ["Dispatches", "", (row) => cell(row.count)],
      ["First start", "\u00b5s", (row) => cell(row.first, 1e-6, 2)],
      ["Total", "\u00b5s", (row) => cell(row.total, 1e-6, 2)],
      ["Of the whole", "%", (row) => shareCell(positive(row.total / whole))],
    ], [rows], {sortable: true}),
    whole > 0 ? note("From the first start to the last end: ", figure(whole, 1e-6, 2),
      " \u00b5s; the passes add up to ", figure(sum(rows.map(({total}) => total)), 1e-6, 2),
      " \u00b5s.") : [],
    details(`All ${slices.length} dispatches`,
      table("Dispatches of the time line", [
        ["Pass", "", (slice) => passCell(slice.pass)],
        ["Step", "", (slice) => cell(number(slice.step))],
        ["Start", "\u00b5s", (slice) => cell(number(slice.begin_s), 1e-6, 2)],
        ["Duration", "\u00b5s", (slice) => cell(length(slice), 1e-6, 2)],
      ], [slices.slice(0, rowLimit)], {sortable: true}),
      slices.length > rowLimit ? note(`The table ends after ${rowLimit} dispatches.`) : []),
  ];
}

/* --- the roofline ----------------------------------------------------------------------------- */

// Bytes and operations of a dispatch make a point of the roofline.
const roofPoints = ({passes}) => passes.filter((pass) => pass.samples > 0 && pass.mean_s > 0 &&
  (pass.bytes > 0 || pass.operations > 0)).map((pass) => {
  const bytes = number(pass.bytes) || 0, operations = number(pass.operations) || 0;
  return {
    name: text(pass.name), bytes, operations,
    intensity: bytes > 0 ? operations / bytes : Infinity,
    bandwidth: positive(pass.bytes_per_s) || bytes / pass.mean_s,
    rate: positive(pass.operations_per_s) || operations / pass.mean_s,
  };
});

const roofTable = (run) => roofPoints(run).length === 0 ? []
  : table("Work and rates of every pass", [
    ["Pass", "", (point) => passCell(point.name)],
    ["Bytes", "kB/call", (point) => cell(point.bytes, 1e3, 1)],
    ["Operations", "k/call", (point) => cell(point.operations, 1e3, 1)],
    ["Intensity", "operations/byte", ({bytes, intensity}) =>
      bytes > 0 ? cell(intensity, 1, 3) : missing()],
    ["GB/s", "", (point) => cell(point.bandwidth, 1e9, 1)],
    ["Gop/s", "", (point) => cell(point.rate, 1e9, 1)],
  ], [roofPoints(run)], {sortable: true});

/* --- wall time, and the time of a step -------------------------------------------------------- */

// Rows of each thread, then their sum.
function phaseTable({phases, report}) {
  const wall = positive(report.wall_s);
  const threads = [...new Set(phases.map((phase) => text(phase.thread)))];
  const groups = threads.map((thread) => {
    const own = phases.filter((phase) => text(phase.thread) === thread);
    const all = sum(own.map((phase) => number(phase.seconds)));
    const rows = own.map((phase) => ({thread, name: text(phase.name), count: number(phase.count),
      seconds: number(phase.seconds), of: wall || all}));
    return [...rows, {thread, name: "sum", seconds: all, of: wall || all, isSum: true}];
  });
  return phases.length === 0 ? [] : table("Phases of each thread", [
    ["Thread", "", (row) => textCell(row.thread)],
    ["Phase", "", (row) => headCell(row.name)],
    ["Times", "", (row) => row.isSum ? textCell("") : cell(row.count)],
    ["Total", "ms", (row) => cell(row.seconds, 1e-3, 3)],
    [wall ? "Of the wall time" : "Of the thread", "%", (row) => shareCell(row.seconds / row.of)],
  ], groups);
}

// The value that a share of sorted ones does not exceed.
const quantile = (sorted, share) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];

function spreadTable(batches) {
  const known = batches.filter(({seconds}) => seconds >= 0);
  const sorted = known.map(({seconds}) => seconds).sort((a, b) => a - b);
  const steps = (batch) => number(batch.steps ?? 1);
  const at = (share) => quantile(sorted, share);
  const columns = [ // min and max are of all batches that a point stands for
    ["Min", least(known.map((one) => positive(one.min_s) || one.seconds))],
    ["5 %", at(0.05)], ["Median", at(0.5)],
    ["Mean", sum(known.map((one) => one.seconds * steps(one))) / sum(known.map(steps))],
    ["95 %", at(0.95)], ["Max", greatest(known.map((one) => positive(one.max_s) || one.seconds))],
  ].map(([head, value]) => [head, "\u00b5s", () => cell(value, 1e-6, 3)]);
  return known.length === 0 ? [] : table("Spread of the time per step", [
    ["Batches", "", () => cell(known.length)], ...columns,
    ["Spread", "%", () => cell((at(0.95) - at(0.05)) / positive(at(0.5)), 0.01, 1)],
  ], [[{}]]);
}

// The chart has all points; the table has evenly spaced ones if there are many.
function stepTables({batches}) {
  const stride = Math.ceil(batches.length / rowLimit);
  const rows = batches.filter((_, i) => i % stride === 0);
  return batches.length === 0 ? [] : [
    spreadTable(batches),
    details(`${rows.length} of ${batches.length} batches`,
      table("Time per step of each batch", [
        ["Step", "", (batch) => cell(number(batch.step))],
        ["Steps", "", (batch) => cell(number(batch.steps))],
        ["Time per step", "\u00b5s", (batch) => cell(number(batch.seconds), 1e-6, 3)],
      ], [rows], {sortable: true})),
  ];
}

/* --- the page --------------------------------------------------------------------------------- */

function numberPasses() {
  const names = runs.flatMap(({passes, slices}) => // copies are in the time line only
    [...passes.map((pass) => pass.name), ...slices.map((slice) => slice.pass)]);
  for (const name of strings(names)) {
    passNumbers.set(name, passNumbers.get(name) ?? passNumbers.size);
  }
}

function drawRuns() {
  runs = data.reports.map((report, index) => ({
    index, report, name: data.names[index], pictures: data.pictures[index],
    passes: objects(report.passes), slices: objects(report.timeline),
    phases: objects(report.phases), batches: objects(report.step_times),
  }));
  several = runs.length > 1;
  numberPasses();
  const [first] = runs, device = deviceName(first.report.device);
  describe(several ? `Comparison of ${runs.length} runs`
    : `${first.report.simulation} ${sizeText(first.report)}`,
  runs.every(({report}) => deviceName(report.device) === device) ? device
    : "on different devices or drivers");
  if (several) {
    fill("differences", differences());
    fill("comparison", comparison());
  }
  const ceilings = passCeilings();
  const hasPoints = runs.some((run) => roofPoints(run).length > 0);
  const hasSteps = runs.some(({batches}) => batches.length > 0);
  fill("run", forEachRun(runFacts));
  fill("device", forEachRun(deviceFacts));
  fill("pictures", forEachRun(pictures));
  fill("passes", forEachRun(({passes}) => passes.length ? passTable(passes, ceilings) : []));
  fill("timeline", forEachRun((run) => run.slices.length === 0 ? [] : [
    chart("Time line of one frame; the table has its figures", () => timelineChart(run)),
    timelineTables(run)]));
  fill("roofline", hasPoints ? chart("Roofline: operations per second over operations per byte; " +
    "the tables have its figures", rooflineChart) : [], forEachRun(roofTable));
  fill("ceilings", forEachRun(ceilingTable));
  fill("phases", forEachRun(phaseTable));
  fill("steps", hasSteps ? chart("Time per step over the run; the tables have its figures",
    stepChart) : [], forEachRun(stepTables));
  fill("memory", forEachRun(memoryTable));
  fill("scalars", forEachRun(scalars));
  document.querySelector("nav").hidden = false;
  for (const link of document.querySelectorAll("nav a")) {
    link.parentElement.hidden = document.getElementById(link.hash.slice(1)).hidden;
  }
  drawCharts();
  for (const query of ["(prefers-color-scheme: dark)", "print"]) { // paper is light
    matchMedia(query).addEventListener("change", drawCharts);
  }
}
