const { median } = require("./median.js");

/** Return the line of a report. */
function line(name, numbers) {
  return `${name}: ${median(numbers) ?? "no data"}`;
}

module.exports = { line };
