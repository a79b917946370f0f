// SPDX-License-Identifier: MIT
// The page of vksim bench KERNEL --explain. {"reports": [{kernel, device, rungs}], "pictures": [[a
// picture per rung, as SVG]]}

// A row per array and kind of access. The reuse of loads is a product over levels.
function requestTable({requests}) {
  const reuse = (of) => (row) => quantityCell(row.reuse ? number(of(row.reuse)) : NaN);
  return table("Requests of the workgroup", [
    ["Array", "", ({array}) => headCell(array)],
    ["Access", "", ({access}) => textCell(access)],
    ["Requests", "", (row) => cell(row.requests)],
    ["Cost", "", (row) => cell(row.cost)],
    ["At least", "", (row) => cell(row.at_least)],
    ["Unit", "", ({unit}) => textCell(unit)],
    ["Efficiency", "", (row) => shareCell(row.at_least / row.cost)],
    ["Conflict", "", (row) => cell(number(row.degree))],
    ["Reads", "per element", reuse(({lanes, requests: own, workgroups}) =>
      lanes * own * workgroups)],
    ["lanes", "of a request", reuse(({lanes}) => lanes)],
    ["\u00d7 requests", "of the workgroup", reuse((row) => row.requests)],
    ["\u00d7 workgroups", "", reuse(({workgroups}) => workgroups)],
  ], [requests]);
}

// The text of a shader with the numbers of its lines.
const shaderText = ({name, lines}) => make("figure.shader", {},
  make("figcaption", {}, `shaders/${text(name)}.comp`),
  make("pre", {tabindex: 0, "aria-label": `text of ${text(name)}`}, make("code", {},
    strings(lines).map((line) => make("span", {}, line + "\n")))));

function drawAccess() {
  const [report] = data.reports, [pictures] = data.pictures;
  describe(`Memory accesses of ${report.kernel}`, `recorded ${deviceName(report.device)}`);
  document.getElementById("rungs").append(...report.rungs.map((rung, i) => {
    const median = positive(object(rung.seconds).median);
    return make("section", {"aria-labelledby": `rung${i}`}, make("h2", {id: `rung${i}`}, rung.rung),
      isNaN(median) ? [] : make("p.conclusion", {}, quantity(median, "s"),
        ` per run at ${text(rung.size)}, on this device.`),
      make("div.beside", {},
        drawing(pictures[i], "Memory accesses of the rung; the table below has the figures"),
        make("div", {}, objects(rung.shaders).map(shaderText))),
      requestTable(rung));
  }));
}
