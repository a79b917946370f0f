// SPDX-License-Identifier: MIT
// The last part of the script: draws the kind of page that the document is for.
const draw = {runs: drawRuns, scaling: drawScaling, ladder: drawLadder, access: drawAccess,
  sensitivity: drawSensitivity};
draw[document.body.dataset.page]();
