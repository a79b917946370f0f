// SPDX-License-Identifier: MIT
// The page of vksim bench KERNEL --explain. {"reports": [{kernel, device, rungs}], "pictures": [[a
// picture per rung, as SVG]]}

// A row per array and kind of access.
const requestTable = ({requests}) => table("Requests of the workgroup", [
  ["Array", "", ({array}) => headCell(array)],
  ["Access", "", ({access}) => textCell(access)],
  ["Requests", "", (row) => cell(row.requests)],
  ["Cost", "", (row) => cell(row.cost)],
  ["At least", "", (row) => cell(row.at_least)],
  ["Unit", "", ({unit}) => textCell(unit)],
  ["Efficiency", "%", (row) => shareCell(row.at_least / row.cost)],
  ["Conflict", "", (row) => cell(number(row.degree))],
], [requests]);

function drawAccess() {
  const [report] = data.reports, [pictures] = data.pictures;
  describe(`Memory accesses of ${report.kernel}`, `recorded ${deviceName(report.device)}`);
  document.getElementById("rungs").append(...report.rungs.map((rung, i) =>
    make("section", {"aria-labelledby": `rung${i}`}, make("h2", {id: `rung${i}`}, rung.rung),
      drawing(pictures[i], "Memory accesses of the rung; the table below has the figures"),
      requestTable(rung))));
}
