// SPDX-License-Identifier: MIT
// The page of vksim scale. {"reports": [what --json prints], "pictures": [[a plot per sweep, as
// SVG]]}

const percent = (value) => `${Number((100 * value).toPrecision(3))}\u00a0%`;
const italic = (symbol) => make("i", {}, symbol);

// A value of the fit with its confidence interval, which is not known with few points.
const estimate = ({value, margin}, [scale, unit], show) =>
  [digits(value / scale) + unit, margin > 0 && value > 0 ? ` \u00b1 ${show(margin, value)}` : ""];

// What the fit says about the region in which it holds.
function fitRegion(sweep, fit, isSize) {
  const first = objects(sweep.points).find((point) => point.median > 0);
  if (!fit.full) {
    return isSize ? "The GPU may not be full at any of these: the fit covers all points."
      : "No power law holds: the fit covers all points.";
  }
  if (fit.from > first.x) {
    return (isSize ? "The GPU is not full below " : "The power law does not hold below ") +
      `${sweep.quantity} ${grouped(fit.from, 0)}.`;
  }
  return isSize ? "The GPU is full at all of these." : "";
}

function fitFacts(sweep, isSize, isSteps) {
  const {fit} = sweep;
  if (!fit) {
    return note("There are too few points for a fit.");
  }
  const relative = (margin, value) => percent(margin / value);
  return [
    make("p", {}, `Fit: GPU time${isSteps ? "" : " per step"} = `, italic("a"), " + ", italic("b"),
      " ", italic("x"), make("sup", {}, italic("p")), ", where ", italic("x"),
      ` is ${isSize ? "the side of the field" : sweep.quantity}, from ${grouped(fit.from, 0)} to ` +
      `${grouped(fit.to, 0)} (${fit.points} points). ${fitRegion(sweep, fit, isSize)}`),
    facts([["Exponent ", italic("p")], estimate(fit.p, [1, ""], digits)],
      [["Constant ", italic("a")], estimate(fit.a_s, [1e-6, " \u00b5s"], relative)],
      [["Factor ", italic("b")], estimate(fit.b_s, [1, " s"], relative)],
      ["Largest deviation", percent(fit.worst)]),
    note("\u00b1 is the 95 % confidence interval."),
  ];
}

function pointTable(sweep, isSize, isSteps) {
  const spread = (point) => (point.high_quartile - point.low_quartile) / point.median;
  const perItem = (point) => point.median / (isSize ? point.cells : point.x);
  const notes = (point) => text(point.left_out) ||
    (!sweep.fit?.full || point.x >= sweep.fit.from ? ""
      : isSize ? "the GPU is not full" : "not in the fit");
  const points = objects(sweep.points);
  return table("Measured values", [
    [sweep.quantity, "", (point) => cell(number(point.x))],
    ["Cells", "", (point) => cell(positive(point.cells))],
    ["GPU per step", "", (point) => quantityCell(number(point.median), "s")],
    ["Spread", "", (point) => quantityCell(spread(point), "%")],
    ["Host per step", "", (point) => quantityCell(number(object(point.host).median), "s")],
    ["Start", "", (point) => quantityCell(number(point.startup_s), "s")],
    isSteps ? ["Total", "", (point) => quantityCell(point.median * point.x, "s")]
      : [isSize ? "Per cell" : "Per item", "", (point) => quantityCell(perItem(point), "s")],
    ["of copy", "", (point) => quantityCell(positive(point.share_of_copy), "%")],
    ...points.some(notes) ? [["Note", "", (point) => make("td.text", {}, notes(point))]] : [],
  ], [points]);
}

function drawScaling() {
  const [report] = data.reports, [plots] = data.pictures;
  const quantities = report.scaling.map(({quantity}) => quantity);
  describe(`${report.simulation} over ${quantities.join(" and ")}`, deviceName(report.device));
  fill("run", report.interrupted
    ? note(`Interrupted: ${report.left} more values were not measured.`) : [],
  command(report.command));
  document.getElementById("sweeps").append(...report.scaling.map((sweep, i) => {
    const isSize = sweep.quantity === "size", isSteps = sweep.quantity === "steps";
    return make("section", {"aria-labelledby": `sweep${i}`},
      make("h2", {id: `sweep${i}`}, `Over ${sweep.quantity}`),
      drawing(plots[i], `GPU time against ${sweep.quantity}, measured and fitted; the table ` +
        "below has the values"),
      fitFacts(sweep, isSize, isSteps), pointTable(sweep, isSize, isSteps));
  }));
  const options = Object.entries(report.options).map(([name, value]) => ({name, value}));
  fill("options", details("All options of the simulation, except those that vary",
    table("Options", [
      ["Option", "", ({name}) => headCell(name)],
      ["Value", "", ({value}) => textCell(typeof value === "string" ? value
        : JSON.stringify(value))],
    ], [options])));
}
