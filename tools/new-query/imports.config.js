// The order of imports alone, by which ESLint needs no types: with them, it would check the whole project for a few files.
const { parser } = require('typescript-eslint');

const RULE = 'import-sort/imports';
const { plugins, rules } = require('../../eslint.config.js').find((part) => part.rules?.[RULE] !== undefined);

module.exports = [{ files: ['**/*.ts'], languageOptions: { parser }, plugins, rules: { [RULE]: rules[RULE] } }];
