/** Return the days of a week that begins on a day of the month. */
function week(first, last) {
  const days = [];
  for (let day = first; day <= first + 7 && day <= last; day += 1) {
    days.push(day);
  }
  return days;
}

module.exports = { week };
