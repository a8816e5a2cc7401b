const { parse } = require("./parse.js");

/** Return the amounts of the lines of a bill; throws an error that names a wrong line. */
function amounts(lines) {
  return lines.map((line) => {
    try {
      return parse(line);
    } catch (error) {
      throw new RangeError(`${line}: ${error.message}`);
    }
  });
}

module.exports = { amounts };
