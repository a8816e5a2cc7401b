/** Return the number of days of a month; January is 1. */
function daysOf(month, isLeap) {
  if (month === 2) {
    return isLeap ? 29 : 28;
  }
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

module.exports = { daysOf };
