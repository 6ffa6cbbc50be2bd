// Who may know whom. Few rules, each with its reason; `npm run lint` fails on a breach.
/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      comment: 'Modules in a circle can only be understood, tested and moved together.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'model-uses-nobody',
      comment: 'Everyone may use the model; so that this stays harmless, it depends on nothing else of the service.',
      severity: 'error',
      from: { path: '^src/shipping/model/' },
      to: { path: '^src/', pathNot: '^src/shipping/model/' },
    },
    {
      name: 'controller-knows-no-handlers',
      comment:
        'The controller speaks to the bus. Were it to know handlers or the gateway, the pipeline could be bypassed.',
      severity: 'error',
      from: { path: '^src/shipping/shipping\\.controller\\.ts$' },
      to: { path: '^src/shipping/(gateway/|.*\\.handler\\.ts$)' },
    },
    {
      name: 'slices-are-independent',
      comment: 'A query can be added, changed and removed without a look at its neighbours.',
      severity: 'error',
      from: { path: '^src/shipping/queries/([^/]+)/' },
      to: { path: '^src/shipping/queries/[^/]+/', pathNot: '^src/shipping/queries/$1/' },
    },
    {
      name: 'slices-look-down',
      comment:
        'A slice knows itself, the gateway and the model. What surrounds it (HTTP, documentation, the pipeline) it gets ' +
        'without asking, so that it can be read and tested alone.',
      severity: 'error',
      from: { path: '^src/shipping/queries/[^/]+/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^src/(http|docs|metrics|health|access|limits|redis|telemetry)/|^src/shipping/(pipeline/|shipping\\.)',
      },
    },
    {
      name: 'pipeline-knows-no-slice',
      comment: 'A behaviour is for every query; what one query alone needs belongs into its handler.',
      severity: 'error',
      from: { path: '^src/shipping/pipeline/' },
      to: { path: '^src/shipping/queries/[^/]+/' },
    },
    {
      name: 'gateway-looks-down',
      comment: 'Data goes one way: the gateway serves queries, in terms of the model, and knows none of them.',
      severity: 'error',
      from: { path: '^src/shipping/gateway/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^src/shipping/(queries/|pipeline/|shipping\\.)' },
    },
    {
      name: 'only-the-gateway-speaks-http',
      comment: 'Deadlines, retries, limits and honesty hold only for calls that go through the gateway.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/shipping/gateway/' },
      to: { path: '(^|/)node_modules/(axios|undici|@nestjs/axios)/' },
    },
    {
      name: 'sandbox-stands-alone',
      comment:
        'The sandbox shares no wire types with the gateway, so that a mistake on one side cannot hide on the other.',
      severity: 'error',
      from: { path: '^src/sandbox/' },
      to: { path: '^src/', pathNot: '^src/sandbox/' },
    },
    {
      name: 'only-the-composition-knows-the-sandbox',
      comment: 'The service must not behave differently on a sandbox.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(sandbox/|app\\.module\\.ts$)' },
      to: { path: '^src/sandbox/' },
    },
    {
      name: 'no-tests-in-the-product',
      comment: 'The product must run without its tests.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^test/|\\.spec\\.ts$' },
    },
    {
      name: 'the-client-stands-alone',
      comment:
        'The client is published on its own: it knows the service through the document alone, and needs no packages.',
      severity: 'error',
      from: { path: '^clients/typescript/src/' },
      to: { pathNot: '^clients/typescript/src/' },
    },
    {
      name: 'no-undeclared-packages',
      comment: 'What is imported is pinned in package.json, and the product imports no development package.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^clients/typescript/(dist|src/generated/(client|core))/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
