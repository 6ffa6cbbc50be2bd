// This file imports nothing: each program loads it before all else. The packages of Nest are ES modules, which an older
// Node cannot `require`: it would fail with a path of one of them.
if (!process.features.require_module) {
  process.stderr.write(`This is Node ${process.version}; the service needs 20.19, 22.13, 24 or 26.\n`);
  process.exit(1);
}
