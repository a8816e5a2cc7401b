/** Return the number at the end of a line; throws an error if there is none. */
function parse(line) {
  const amount = Number(line.split(" ").pop());
  if (Number.isNaN(amount)) {
    throw new RangeError("no number");
  }
  return amount;
}

module.exports = { parse };
