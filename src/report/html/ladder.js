// SPDX-License-Identifier: MIT
// The page of vksim bench. {"reports": [what --json prints], "pictures": [[a plot per kernel, as
// SVG, or null]]}

const rateOf = (rung) => number(rung.operations_per_second ?? rung.bytes_per_second);

// One unit for all rates of a kernel: [its value, its name].
function rateUnit({rungs}) {
  const isWork = rungs.some((rung) => rung.operations_per_second);
  const highest = greatest(rungs.map((rung) => rateOf(rung) || 0));
  return !isWork ? [1e9, "GB/s"] : highest >= 1e12 ? [1e12, "TFLOP/s"] : [1e9, "GFLOP/s"];
}

// Three significant digits.
function rateCell(rung, unit) {
  const shown = rateOf(rung) / unit;
  return cell(rateOf(rung), unit, shown < 1 ? 3 : shown < 10 ? 2 : shown < 100 ? 1 : 0);
}

const shareOf = (rung) => shareCell(positive(rung.of_ceiling), rung.may_be_cached ? "*" : "");
const ceilingOf = (rung) => textCell(rung.of_ceiling > 0 ? rung.ceiling : "");
const idOf = ({kernel, dtype}) => `${kernel}-${dtype}`;

// Rungs of each size.
function bySize({rungs}) {
  const sizes = [...new Set(rungs.map(({size}) => size))];
  return sizes.map((size) => rungs.filter((rung) => rung.size === size));
}

function overview(kernels) {
  const rows = kernels.map((kernel) => ({kernel, unit: rateUnit(kernel),
    best: bySize(kernel).at(-1).filter(({seconds}) => seconds)
      .sort((a, b) => a.seconds.median - b.seconds.median)[0]})).filter(({best}) => best);
  return table("The fastest rung of each kernel", [
    ["Kernel", "", ({kernel}) => headCell(make("a", {href: `#${idOf(kernel)}`}, kernel.kernel))],
    ["Data", "", ({kernel}) => textCell(kernel.dtype)],
    ["Size", "", ({best}) => textCell(best.size)],
    ["Rung", "", ({best}) => textCell(best.rung)],
    ["Time", "\u00b5s", ({best}) => cell(best.seconds.median, 1e-6, 2)],
    ["Rate", "", ({best, unit}) => rateCell(best, unit[0])],
    ["Unit", "", ({unit}) => textCell(unit[1])],
    ["Share", "%", ({best}) => shareOf(best)],
    ["Ceiling", "", ({best}) => ceilingOf(best)],
    ["\u00d7 first", "", ({best}) => cell(positive(best.over_first), 1, 2)],
  ], [rows]);
}

function rungTable(kernel) {
  const [scale, unit] = rateUnit(kernel);
  const measured = (of) => (rung) => rung.seconds ? of(rung) : null;
  const reason = (rung) => rung.refused ??
    (rung.missing ? `needs ${rung.missing}` : "wrong: not timed");
  const spread = ({median, low_quartile: low, high_quartile: high}) => (high - low) / median;
  return table("Rungs", [
    ["Rung", "", (rung) => headCell(rung.rung)],
    ["Size", "", (rung) => textCell(rung.size)],
    ["Time", "\u00b5s", (rung) => rung.seconds ? cell(rung.seconds.median, 1e-6, 2)
      : make("td", {colspan: 8}, reason(rung))], // all other columns
    ["Spread", "%", measured(({seconds}) => cell(spread(seconds), 0.01, 1))],
    ["Rate", unit, measured((rung) => rateCell(rung, scale))],
    ["Share", "%", measured(shareOf)],
    ["Ceiling", "", measured(ceilingOf)],
    ["\u00d7 first", "", measured((rung) => cell(positive(rung.over_first), 1, 2))],
    ["\u00d7 previous", "", measured((rung) => cell(positive(rung.over_before), 1, 2))],
    ["What it changes", "", measured(({help, constants}) => make("td.text", {}, help,
      constants ? [": ", make("code", {}, constants)] : []))],
  ], bySize(kernel));
}

function kernelSection(kernel, plot) {
  const id = idOf(kernel), change = Math.round(100 * (kernel.drift - 1));
  const {ceiling} = kernel.rungs.find((rung) => rung.ceiling) || {};
  return make("section", {"aria-labelledby": id},
    make("h2", {id}, `${kernel.kernel}, ${kernel.dtype}`), make("p", {}, `It ${kernel.help}.`),
    Math.abs(kernel.drift - 1) > 0.05 ? note(`Disturbed: the ceiling ${ceiling} changed by ` +
      `${change > 0 ? "+" : "\u2212"}${Math.abs(change)} % during these measurements.`) : [],
    plot ? drawing(plot, "Rate of each rung against the size; the table below has the values") : [],
    rungTable(kernel), kernel.rungs.some((rung) => rung.may_be_cached)
      ? note("* All of its data are smaller than a buffer of the ceiling, so they may stay in a " +
        "cache.") : []);
}

function drawLadder() {
  const [report] = data.reports, [plots] = data.pictures;
  const kernels = report.kernels ?? [report], isAll = kernels.length > 1;
  describe(isAll ? "The ladder of kernels" : kernels[0].kernel, deviceName(report.device));
  fill("interrupted", report.interrupted
    ? note(`Interrupted: ${report.left} more rows were not measured.`) : []);
  fill("overview", isAll ? overview(kernels) : []);
  fill("ceilings", table("Measured ceilings of the device", [...ceilingColumns(),
    ["Buffer", "", (one) => bytesCell(number(one.buffer_bytes))],
    ["What is measured", "", (one) => make("td.text", {}, one.help)],
  ], [report.ceilings]));
  document.getElementById("kernels").append(...kernels.map((kernel, i) =>
    kernelSection(kernel, plots[i])));
}
