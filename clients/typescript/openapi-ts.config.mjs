/** How the types in `src/generated` are made from the document. */
export default {
  input: 'openapi.json',
  output: {
    path: 'clients/typescript/src/generated',
    // Sources name each other with `.ts`, so that tests run them without a build; the compiler rewrites the names.
    module: { extension: '.ts' },
    header: '// Generated from openapi.json by `npm run generate`; not to be edited.',
    tsConfigPath: null,
  },
  plugins: ['@hey-api/typescript'],
};
