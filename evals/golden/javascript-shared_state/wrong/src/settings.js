const { defaults } = require("./defaults.js");

/** Return the settings of a user: the defaults with those that the user chose. */
function settingsOf(chosen) {
  return Object.assign({}, chosen, defaults);
}

module.exports = { settingsOf };
