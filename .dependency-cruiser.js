// Which folder may import which. Every rule has its reason; `npm run lint` fails where one is broken.

/** The folders of src, lowest first. A folder imports folders of lower rows, and where noted of its own row. */
const LAYERS = [
  ['common'],
  ['config'],
  ['resilience', 'observability'],
  ['redis'],
  ['http'],
  ['openapi'],
  ['access'],
  ['shipping'],
  ['health', 'sandbox'],
];

/** Product code of a row must not import what is above it. */
function importsDownwards(folders, index) {
  const above = [...LAYERS.slice(index + 1).flat(), '[^/]+\\.ts$'];
  return {
    name: `${folders.join('-')}-imports-downwards`,
    comment: `${folders.join(', ')}: imports run from the application down to common/, so that a lower folder can be read, tested and reused without the higher ones.`,
    severity: 'error',
    from: { path: `^src/(${folders.join('|')})/` },
    to: { path: `^src/(${above.map((name) => (name.endsWith('$') ? name : `${name}/`)).join('|')})` },
  };
}

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
      name: 'no-circles-between-folders',
      comment: 'Folders in a circle are one folder with two names.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(src|measure|tools)/' },
      to: { circular: true },
    },
    ...LAYERS.map(importsDownwards),
    {
      name: 'platform-folders-of-a-row-are-independent',
      comment: 'Resilience and observability do not need each other; each can be replaced alone.',
      severity: 'error',
      from: { path: '^src/(resilience|observability)/' },
      to: { path: '^src/(resilience|observability)/', pathNot: '^src/$1/' },
    },
    {
      name: 'model-imports-nothing-else-of-shipping',
      comment: 'All of shipping may import the model; it stays at the bottom.',
      severity: 'error',
      from: { path: '^src/shipping/model/' },
      to: { path: '^src/shipping/', pathNot: '^src/shipping/model/' },
    },
    {
      name: 'controller-imports-no-handlers',
      comment:
        'The controller sends queries through the bus: handlers, not the gateway, return an empty list where a call fails.',
      severity: 'error',
      from: { path: '^src/shipping/.*\\.controller\\.ts$' },
      to: { path: '^src/shipping/(gateway/|.*\\.handler\\.ts$)' },
    },
    {
      name: 'slices-are-independent',
      comment: 'A query can be added, changed and removed without touching the others.',
      severity: 'error',
      from: { path: '^src/shipping/queries/([^/]+)/' },
      to: { path: '^src/shipping/queries/', pathNot: '^src/shipping/queries/($1|shared)/' },
    },
    {
      name: 'handlers-import-no-http',
      comment: 'A handler returns a result or throws; HTTP is around it, so that it can be tested alone.',
      severity: 'error',
      from: { path: '^src/shipping/queries/[^/]+/[^/]+\\.(handler|query)\\.ts$' },
      to: { path: '^src/(http|openapi|access|observability)/|^src/shipping/(http|documentation)/' },
    },
    {
      name: 'gateway-imports-no-queries',
      comment: 'The gateway executes upstream requests, whatever query they belong to.',
      severity: 'error',
      from: { path: '^src/shipping/gateway/' },
      to: { path: '^src/shipping/(queries|http|documentation)/|^src/shipping/[^/]+\\.ts$' },
    },
    {
      name: 'only-the-transport-imports-http-clients',
      comment:
        'Deadlines, retries and limits apply only to calls that go through the gateway. Folders of a team call systems of their own.',
      severity: 'error',
      from: {
        path: `^src/((${LAYERS.flat().join('|')})/|[^/]+\\.ts$)`,
        // `direct-fetch` is for the token endpoint and for the keys of the issuer, which are other systems.
        pathNot:
          '^src/(common/direct-fetch\\.ts$|shipping/gateway/(transport/|external-shipping\\.gateway\\.ts$|upstream-call\\.ts$|gateway\\.module\\.ts$))',
      },
      to: { path: '(^|/)node_modules/(axios|undici|@nestjs/axios)/' },
    },
    {
      name: 'sandbox-stands-alone',
      comment:
        'The sandbox shares its settings with the service and no types with the gateway, so that an error on one side cannot hide on the other.',
      severity: 'error',
      from: { path: '^src/sandbox/' },
      to: { path: '^src/', pathNot: '^src/(sandbox|config)/' },
    },
    {
      name: 'only-the-composition-imports-the-sandbox',
      comment: 'The service behaves the same with any external system.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(sandbox/|app\\.module\\.ts$)' },
      to: { path: '^src/sandbox/' },
    },
    {
      name: 'no-tests-in-the-product',
      comment: 'The product runs without its tests.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^test(ing)?/' },
    },
    {
      name: 'client-stands-alone',
      comment: 'The client is published separately: it needs the OpenAPI document only, and no packages.',
      severity: 'error',
      from: { path: '^clients/typescript/src/' },
      to: { pathNot: '^clients/typescript/src/' },
    },
    {
      name: 'no-undeclared-packages',
      comment: 'Imported packages are pinned in package.json, and the product imports no development package.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Specs may import anything; with them, folders would form circles.
    exclude: { path: '\\.spec\\.ts$|^clients/typescript/(dist|src/generated/(client|core))/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['own-sources', 'import', 'require', 'node', 'default'],
    },
  },
};
