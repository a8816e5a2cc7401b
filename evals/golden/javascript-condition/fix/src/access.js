const { rolesOf } = require("./roles.js");

/** Return true if somebody may edit a page: its author and editors may, unless it is locked. */
function mayEdit(page, user) {
  return (page.author === user.name || rolesOf(user).includes("editor")) && !page.locked;
}

module.exports = { mayEdit };
