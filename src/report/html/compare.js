// SPDX-License-Identifier: MIT
// Several runs side by side: what differs, then times with their ratios to the first run.

// Runs of the same work can be compared, on whatever device.
const workKeys = ["simulation", "width", "height", "depth"];
const isEqual = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
const isComparable = ({report}) =>
  workKeys.every((key) => isEqual(report[key], runs[0].report[key]));

/* --- differences ------------------------------------------------------------------------------ */

// Words that not all runs have are marked.
function markedWords({report}) {
  const everywhere = (word) => runs.every((run) => strings(run.report.command).includes(word));
  return make("td", {}, make("code", {}, strings(report.command).map((word, i) =>
    [i ? " " : "", everywhere(word) ? word : make("mark", {}, word)])));
}

function differences() {
  const device = (key) => ({report}) => object(report.device)[key];
  const plain = (key) => ({report}) => report[key];
  const differs = (of) => runs.some((run) => !isEqual(of(run), of(runs[0])));
  const value = (of) => (run) => {
    const known = of(run);
    return make("td", {}, typeof known === "number" ? figure(known) : text(known) || none);
  };
  const rows = [
    ["Simulation", plain("simulation")], ["Width", plain("width")], ["Height", plain("height")],
    ["Depth", plain("depth")], ["Steps", plain("steps")], ["Frames", plain("frames")],
    ["vksim", plain("version")], ["Device", device("name")], ["Driver", device("driver")],
    ["Vulkan", device("vulkan")], ["UUID", device("uuid")], ["Device memory", device("memory")],
  ].filter(([, of]) => differs(of)).map(([name, of]) => ({name, cell: value(of)}));
  if (differs(plain("command"))) {
    rows.push({name: "Command line", cell: markedWords});
  }
  if (rows.length === 0) {
    return make("p", {}, "None: simulation, size, options, device and driver are the same.");
  }
  return [
    table("What differs between the runs", [["", "", ({name}) => headCell(name)],
      ...runs.map((run) => [runName(run), "", (row) => row.cell(run)])], [rows]),
    runs.filter((run) => !isComparable(run)).map((run) => note(`Run ${run.index + 1} differs ` +
      "from run 1 in simulation or size, so its times are not compared.")),
  ];
}

/* --- times ------------------------------------------------------------------------------------ */

// Rows are {head, values of all runs, unit}; a value that a run does not have is NaN.
function comparisonTable(label, head, rows, options) {
  const columns = runs.flatMap((run, i) => [
    [runName(run), "", ({values, unit}) => unit === "bytes" ? bytesCell(values[i])
      : quantityCell(values[i], unit)],
    ["ratio", "", ({values}) => quantityCell(values[0] > 0 && values[i] >= 0 && isComparable(run)
      ? values[i] / values[0] : NaN)],
  ]).filter((_, i) => i !== 1); // no ratio to itself
  const known = rows.filter(({values}) => !values.every(isNaN));
  return known.length === 0 ? []
    : table(label, [[head, "", (row) => headCell(row.head)], ...columns], [known], options);
}

function comparison() {
  const totals = [
    ["wall_s", "Wall time", "s"], ["step_s", "GPU time per step", "s"], ["seconds", "Loop", "s"],
    ["startup_s", "Start-up", "s"], ["first_frame_s", "First frame after", "s"],
    ["copy_bytes_per_s", "Copy bandwidth", "B/s"],
    ["allocated_bytes", "Device memory allocated", "bytes"],
  ].map(([key, head, unit]) => ({head, unit,
    values: runs.map(({report}) => positive(report[key] ?? object(report.memory)[key]))}));
  const median = (pass) => pass && pass.samples > 0 ? number(pass.p50_s) : NaN;
  const passes = [...passNumbers.keys()].map((name) => ({
    head: [passMark(name), name], unit: "s",
    values: runs.map((run) => median(run.passes.find((pass) => pass.name === name))),
  }));
  const phaseKey = ({thread, name}) => `${text(thread)}: ${text(name)}`;
  const keys = new Set(runs.flatMap((run) => run.phases.map(phaseKey)));
  const phases = [...keys].map((head) => ({
    head, unit: "s", values: runs.map((run) =>
      number(run.phases.find((phase) => phaseKey(phase) === head)?.seconds)),
  }));
  return [
    comparisonTable("Totals", "", totals),
    comparisonTable("Median time of every pass", "Pass", passes, {sortable: true}),
    comparisonTable("Phases", "Phase", phases),
  ];
}
