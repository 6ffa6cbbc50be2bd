// Flat configuration; ESLint finds it by eslint.config.js.
const prettier = require('eslint-config-prettier');
const importSort = require('eslint-plugin-simple-import-sort');
const tseslint = require('typescript-eslint');

module.exports = tseslint.config(
  {
    ignores: ['dist/**', 'coverage/**', 'artifacts/**', 'reports/**', 'node_modules/**', '.stryker-tmp/**'],
  },
  { ignores: ['clients/typescript/dist/**', 'clients/typescript/src/generated/**', 'clients/programs/**'] },
  // Compiled in an application of their own, with packages that this project does not have.
  { ignores: ['test/installed/**'] },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: __dirname } },
    plugins: { 'import-sort': importSort },
    rules: {
      // Imports of side effects first, then packages, then files of the project: one import a module.
      'import-sort/imports': ['error', { groups: [['^\\u0000', '^[^.]', '^\\.']] }],
      'no-duplicate-imports': 'error',
      'max-lines-per-function': ['error', { max: 40, skipBlankLines: true, skipComments: true }],
      'max-lines': ['error', { max: 250, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      // Models are classes only so that the document can be made from them: a literal of the same shape is one.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-misused-spread': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowEmpty: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    // A reader meets comments and blank lines, too.
    files: ['src/**/*.ts'],
    rules: { 'max-lines': ['error', 250] },
  },
  {
    // Suites are long lists of cases, and what came over HTTP in a test is looked at, not trusted.
    files: ['**/*.spec.ts', 'test/**/*.ts', 'testing/**/*.ts'],
    rules: {
      'max-lines': 'off',
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // Manifests are read as they come: where a rule finds something else than it looks for, it has found a fault.
    files: ['test/deploy/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // Folders of teams: what the documentation of Nest shows passes.
    files: ['src/*/**/*.ts', 'test/examples/*.ts', 'examples/team/*.ts'],
    ignores: ['src/{access,common,config,health,http,observability,openapi,redis,resilience,sandbox,shipping}/**'],
    extends: [tseslint.configs.disableTypeChecked],
    rules: {
      'import-sort/imports': 'off',
      'no-duplicate-imports': 'off',
      'no-console': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { args: 'none' }],
      '@typescript-eslint/explicit-module-boundary-types': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: {
      globals: { module: 'writable', require: 'readonly', __dirname: 'readonly', process: 'readonly' },
    },
  },
  prettier,
);
