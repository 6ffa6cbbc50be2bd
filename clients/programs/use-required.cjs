const use = require('./use.cjs');

use(require('shipping-query-client'), process.argv[2]);
