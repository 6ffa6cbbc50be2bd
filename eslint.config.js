// ESLint and editors look for this name.
module.exports = require('./.eslintrc.js');
