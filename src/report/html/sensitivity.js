// SPDX-License-Identifier: MIT
// The page of vksim sensitivity. {"reports": [what --json prints], "pictures": [[the plot of the
// free twins, as SVG, or the map: an object with its PNG]]}

const perCent = (value) => `${Number((100 * value).toPrecision(2))}\u00a0%`;

// A mean over seeds with its standard error.
const growthRate = ({mean, standard_error: error}) => typeof mean !== "number" ? ""
  : `${mean.toFixed(4)}${error > 0 ? ` \u00b1 ${error.toFixed(4)}` : ""} per step`;

function growthFacts(report) {
  const [low, high] = report.distances, rate = object(report.rate);
  const reached = objects(report.seeds).some(({cycles}) => cycles?.length > 0);
  return [
    facts(["Finite-size exponent", growthRate(rate)],
      ["Distances", `${perCent(low)} to ${perCent(high)} of the total ${report.field}`],
      ["Doubling time", rate.doubling_steps > 0 ? `${digits(rate.doubling_steps)}\u00a0steps` : ""],
      ["Free twin", growthRate(object(report.free_rate))]),
    reached ? [] : note(`No growth to ${perCent(high)} of the total ${report.field} within ` +
      `${report.steps} steps.`),
    note("\u00b1 is the standard error over seeds."),
  ];
}

function seedTable(report) {
  const seeds = objects(report.seeds), end = (seed) => object(object(seed.free).end);
  const items = seeds.length > 0 && "apart" in end(seeds[0]) ? Object.keys(end(seeds[0]))[0] : "";
  return table("What each seed has shown", [
    ["Seed", "", ({seed}) => headCell(String(seed))],
    ["Rate", "per step", (seed) => cell(number(seed.rate), 1, 4)],
    ["Cycles", "", (seed) => cell(number(seed.cycles?.length))],
    ["First cycle", "steps", (seed) => cell(number(seed.cycles?.[0]))],
    ["Free twin", "per step", (seed) => cell(number(object(seed.free).rate), 1, 4)],
    ["Largest distance", "%", (seed) => cell(number(seed.largest_distance), 0.01, 3)],
    ...!items ? [] : [
      [`${items[0].toUpperCase()}${items.slice(1)} that differ`, "",
        (seed) => cell(number(end(seed)[items]))],
      ["In other cells", "", (seed) => cell(number(end(seed).apart))],
    ],
  ], [seeds]);
}

function mapTable({map, steps}) {
  const columns = map.columns, rows = map.rows ?? {option: "", values: [""]};
  const width = columns.values.length;
  return [
    table(`Exponent per step: columns are ${columns.option}`, [
      [rows.option, "", ({name}) => headCell(name)],
      ...columns.values.map((value, i) =>
        [value, "", ({cells}) => cell(number(object(cells[i]).mean), 1, 4)]),
    ], [rows.values.map((name, i) =>
      ({name, cells: map.cells.slice(width * i, width * (i + 1))}))]),
    note(`\u2013: no growth within ${steps} steps; grey in the map.`),
  ];
}

function drawSensitivity() {
  const [report] = data.reports, [[picture]] = data.pictures;
  describe(`Sensitivity of ${report.simulation}, ${report.size}`, deviceName(report.device));
  fill("run", report.interrupted ? note("Interrupted: the rest was not measured.") : [],
    facts(["Perturbation", text(report.perturbation)], ["Spin-up", `${report.spin_up}\u00a0steps`],
      ["Measured", `${report.steps}\u00a0steps`],
      ["Contraction", ["to 2", make("sup", {}, `\u2212${report.shrink}`),
        ` of the distance, at 1/${report.limit} of the total`]]),
    command(report.command));
  fill("growth", report.map
    ? [make("div.pictures", {}, make("figure", {}, make("img", {src: picture.src,
      width: picture.width, height: picture.height,
      alt: "map of the exponent; the table below has the values"}))), mapTable(report)]
    : [drawing(picture, "distance of the free twins against steps"), growthFacts(report)]);
  fill("seeds", report.map ? [] : seedTable(report));
  const options = Object.entries(report.options).map(([name, value]) => ({name, value}));
  fill("options", details("All options of the simulation, except those that vary",
    table("Options", [
      ["Option", "", ({name}) => headCell(name)],
      ["Value", "", ({value}) => textCell(typeof value === "string" ? value
        : JSON.stringify(value))],
    ], [options])));
}
