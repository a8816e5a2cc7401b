/** Return the roles of a user. */
function rolesOf(user) {
  return user.roles.map((role) => role.toLowerCase());
}

module.exports = { rolesOf };
