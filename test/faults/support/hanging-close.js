// Required into a service process by tests: HTTP servers never end closing.
const { Server } = require('node:http');

Server.prototype.close = function () {
  return this;
};
