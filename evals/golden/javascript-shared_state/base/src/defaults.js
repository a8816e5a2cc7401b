const defaults = { size: 12, theme: "light" };

module.exports = { defaults };
