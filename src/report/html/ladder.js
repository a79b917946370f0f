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

const shareOf = (rung) => shareCell(positive(rung.of_ceiling));

// A bar of the rung's share of its ceiling, which is a line: at the end, or where the largest share
// of the kernel leaves it.
function barCell(rung, most) {
  const share = positive(rung.of_ceiling), at = (value) => 100 * value / most;
  return isNaN(share) ? missing() : make("td.n.rate", {},
    make("svg.bar", {viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": true},
      make("rect.track", {width: at(1), height: 1}), make("rect", {width: at(share), height: 1}),
      make("rect.ceiling", {x: at(1) - 0.8, width: 0.8, height: 1})),
    make("span", {}, quantity(share, "%"), rung.may_be_cached ? "*" : "\u2007"));
}
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
    ["Time", "", ({best}) => quantityCell(best.seconds.median, "s")],
    ["Rate", "", ({best, unit}) => rateCell(best, unit[0])],
    ["Unit", "", ({unit}) => textCell(unit[1])],
    ["Share", "", ({best}) => shareOf(best)],
    ["Ceiling", "", ({best}) => ceilingOf(best)],
    ["\u00d7 first", "", ({best}) => quantityCell(positive(best.over_first))],
  ], [rows]);
}

function rungTable(kernel) {
  const [scale, unit] = rateUnit(kernel);
  const measured = (of) => (rung) => rung.seconds ? of(rung) : null;
  const reason = (rung) => rung.refused ??
    (rung.missing ? `needs ${rung.missing}` : "wrong: not timed");
  const spread = ({median, low_quartile: low, high_quartile: high}) => (high - low) / median;
  const most = Math.max(1, greatest(kernel.rungs.map((rung) => positive(rung.of_ceiling) || 0)));
  return table("Rungs", [
    ["Rung", "", (rung) => headCell(rung.rung)],
    ["Size", "", (rung) => textCell(rung.size)],
    ["Of the ceiling", "", (rung) => rung.seconds ? barCell(rung, most)
      : make("td", {colspan: 8}, reason(rung))], // all other columns
    ["Ceiling", "", measured(ceilingOf)],
    ["Rate", unit, measured((rung) => rateCell(rung, scale))],
    ["Time", "", measured(({seconds}) => quantityCell(seconds.median, "s"))],
    ["Spread", "", measured(({seconds}) => quantityCell(spread(seconds), "%"))],
    ["\u00d7 first", "", measured((rung) => quantityCell(positive(rung.over_first)))],
    ["\u00d7 previous", "", measured((rung) => quantityCell(positive(rung.over_before)))],
    ["What it changes", "", measured(({help, constants}) => make("td.text", {}, help,
      constants ? [": ", make("code", {}, constants)] : []))],
  ], bySize(kernel));
}

function kernelSection(kernel, plot) {
  const id = idOf(kernel), change = Math.round(100 * (kernel.drift - 1));
  const {ceiling} = kernel.rungs.find((rung) => rung.ceiling) || {};
  return make("section", {"aria-labelledby": id},
    make("h2", {id}, `${kernel.kernel}, ${kernel.dtype}`),
    text(kernel.conclusion) ? make("p.conclusion", {}, text(kernel.conclusion)) : [],
    note(`It ${kernel.help}.`),
    Math.abs(kernel.drift - 1) > 0.05 ? note(`Disturbed: the ceiling ${ceiling} changed by ` +
      `${change > 0 ? "+" : "\u2212"}${Math.abs(change)} % during these measurements.`) : [],
    rungTable(kernel), kernel.rungs.some((rung) => rung.may_be_cached)
      ? note("* All of its data are smaller than a buffer of the ceiling, so they may stay in a " +
        "cache.") : [],
    kernel.rungs.some((rung) => rung.noisy)
      ? note("Grey rows are noisy: their quartiles are more than 10 % of the median apart, or " +
        "the ceiling changed meanwhile.") : [],
    plot ? drawing(plot, "Rate of each rung against the size; the table has the values") : []);
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
