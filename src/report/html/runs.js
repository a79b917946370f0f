// SPDX-License-Identifier: MIT
// The page of runs: one, or several side by side. {"reports": [what --timings=json prints],
// "names": [names of their files], "pictures": [[{"caption", "src", "width", "height"}]]}
const rowLimit = 250; // of tables that list what a chart has

const colours = 12;
let runs = [], several = false;
const passNumbers = new Map(); // in order of first appearance
const passRanks = new Map(); // by GPU time: the first have colours of their own, others are grey
const passColour = (name) => passRanks.get(name) < colours ? `c${passRanks.get(name)}` : "cx";
const passMark = (name) => make(`i.mark.${passColour(name)}`);
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

/* --- conclusions ------------------------------------------------------------------------------ */

// The sentences of the report, with the names of its passes in bold.
function conclusions({report, passes}) {
  const names = passes.map((pass) => `'${text(pass.name)}'`);
  const pattern = names.map((name) => name.replace(/[^\w ]/g, "\\$&")).join("|");
  const parts = (sentence) => names.length === 0 ? sentence
    : sentence.split(RegExp(`(${pattern})`)).map((part) =>
      names.includes(part) ? make("strong", {}, part.slice(1, -1)) : part);
  const joined = (one) => // no line ends between a figure and its unit
    one.replace(/(\d) (?=[kMGT\u00b5mn]?(?:s|B\/s|op\/s|%)(?:[\s.,:;]|$))/g, "$1\u00a0");
  return strings(report.conclusions).map((one) => make("p.conclusion", {}, parts(joined(one))));
}

/* --- what ran, on what ------------------------------------------------------------------------ */

function runFacts({report}) {
  const cells = report.width * report.height * (number(report.depth) || 1);
  return [
    strings(report.command).length > 0 ? command(report.command) : [],
    facts(["Simulation", text(report.simulation)], ["Cells", sizeText(report)],
      ["Steps", number(report.steps)], ["Frames", number(report.frames)],
      ["GPU time per step", quantity(positive(report.step_s), "s")],
      ["Cell updates", quantity(cells / positive(report.step_s), "/s")],
      ["Wall time", quantity(positive(report.wall_s), "s")],
      ["Loop", quantity(positive(report.seconds), "s")],
      ["Start-up", quantity(positive(report.startup_s), "s")],
      ["First frame after", quantity(positive(report.first_frame_s), "s")],
      ["Pipelines", positive(report.pipelines)],
      ["Pipelines cached", number(report.pipelines_cached)],
      ["vksim", text(report.version)]),
  ];
}

function deviceFacts({report}) {
  const device = object(report.device), stamps = object(device.timestamps);
  const known = facts(["Device", text(device.name)], ["Driver", text(device.driver)],
    ["Vulkan", text(device.vulkan)], ["UUID", text(device.uuid)],
    ["Memory", device.memory > 0 ? bytesText(device.memory) : ""],
    ["Timestamp period", quantity(1e-9 * positive(stamps.period_ns), "s")],
    ["Valid bits", positive(stamps.valid_bits)],
    ["Dropped samples", positive(report.dropped_samples)]);
  return known instanceof Node ? details("Device", known) : [];
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
    : details("Ceilings of the device",
      table("Measured ceilings of the device", ceilingColumns(), [ceilings], {sortable: true}));
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
  const of = (key, unit) => (pass) => quantityCell(timed(pass, key), unit);
  const rate = (key, unit) => (pass) => quantityCell(positive(timed(pass, key)), unit);
  const columns = [
    ["calls", "Calls", "", (pass) => cell(number(pass.calls))],
    ["total_s", "Total", "", of("total_s", "s")],
    ["share", "Share", "", (pass) => shareCell(timed(pass, "share"))],
    ["bound", "Bound by", "", (pass) => textCell(text(pass.bound) || none)],
    ["mean_s", "Mean", "", of("mean_s", "s")], ["min_s", "Min", "", of("min_s", "s")],
    ["p50_s", "Median", "", of("p50_s", "s")], ["p95_s", "95 %", "", of("p95_s", "s")],
    ["max_s", "Max", "", of("max_s", "s")],
    ["bytes_per_s", "Bytes", "", rate("bytes_per_s", "B/s")],
    ["operations_per_s", "Operations", "", rate("operations_per_s", "op/s")],
  ].filter(([key]) => known(key)).map(([, ...column]) => column);
  const shares = ceilings.map((name) => [`of ${name}`, "",
    (pass) => quantityCell(number(object(pass.ceilings)[name]), "%")]);
  if (ceilings.length === 0 && known("share_of_copy")) {
    shares.push(["of copy", "",
      (pass) => quantityCell(positive(timed(pass, "share_of_copy")), "%")]);
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
      ["First start", "", (row) => quantityCell(row.first, "s")],
      ["Total", "", (row) => quantityCell(row.total, "s")],
      ["Of the whole", "", (row) => shareCell(positive(row.total / whole))],
    ], [rows], {sortable: true}),
    whole > 0 ? note("From the first start to the last end: ", quantity(whole, "s"),
      "; the passes add up to ", quantity(sum(rows.map(({total}) => total)), "s"), ".") : [],
    details(`All ${slices.length} dispatches`,
      table("Dispatches of the time line", [
        ["Pass", "", (slice) => passCell(slice.pass)],
        ["Step", "", (slice) => cell(number(slice.step))],
        ["Start", "", (slice) => quantityCell(number(slice.begin_s), "s")],
        ["Duration", "", (slice) => quantityCell(length(slice), "s")],
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
    name: text(pass.name), bytes, operations, cached: pass.cached === true,
    share: positive(pass.share) || 0,
    intensity: bytes > 0 ? operations / bytes : Infinity,
    bandwidth: positive(pass.bytes_per_s) || bytes / pass.mean_s,
    rate: positive(pass.operations_per_s) || operations / pass.mean_s,
  };
});

const roofTable = (run) => roofPoints(run).length === 0 ? []
  : details("Work and rates", table("Work and rates of every pass", [
    ["Pass", "", (point) => passCell(point.name)],
    ["Bytes", "per call", (point) => quantityCell(point.bytes, "B")],
    ["Operations", "per call", (point) => quantityCell(point.operations, "op")],
    ["Intensity", "operations/byte", ({bytes, intensity}) =>
      bytes > 0 ? quantityCell(intensity) : missing()],
    ["Bytes", "per second", (point) => quantityCell(point.bandwidth, "B/s")],
    ["Operations", "per second", (point) => quantityCell(point.rate, "op/s")],
    ["Served by", "", ({bytes, cached}) =>
      textCell(cached ? "cache" : bytes > 0 ? "memory" : none)],
  ], [roofPoints(run)], {sortable: true}));

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
    ["Total", "", (row) => quantityCell(row.seconds, "s")],
    [wall ? "Of the wall time" : "Of the thread", "", (row) => shareCell(row.seconds / row.of)],
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
  ].map(([head, value]) => [head, "", () => quantityCell(value, "s")]);
  return known.length === 0 ? [] : table("Spread of the time per step", [
    ["Batches", "", () => cell(known.length)], ...columns,
    ["Spread", "", () => quantityCell((at(0.95) - at(0.05)) / positive(at(0.5)), "%")],
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
        ["Time per step", "", (batch) => quantityCell(number(batch.seconds), "s")],
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
  const longest = (name) => greatest(runs.flatMap(({passes, slices}) => [
    ...passes.filter((pass) => pass.name === name).map((pass) => positive(pass.share) || 0),
    ...slices.filter((slice) => slice.pass === name).map(() => Number.MIN_VALUE)]));
  const shares = new Map([...passNumbers.keys()].map((name) => [name, longest(name)]));
  [...shares].sort((a, b) => b[1] - a[1]).forEach(([name], i) => passRanks.set(name, i));
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
  fill("conclusions", forEachRun(conclusions));
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
