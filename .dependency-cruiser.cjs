/**
 * Who may import whom. The graph is the one at run time: type imports are erased before it is drawn
 * (`tsPreCompilationDeps: false`), so they are free here; what core may name in types is held by Biome.
 */

const TESTS = '\\.test\\.tsx?$|\\.conformance\\.ts$|^server/testing/';
const npm = (...names) => names.map((name) => `(^|/)node_modules/${name}(/|$)`);
const builtin = (...names) => `^(node:)?(${names.join('|')})$`;

/** `from` may import only what `may` lists, and Node's own modules where `node` is set. */
const only = (name, comment, { from, may, node = false }) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from, pathNot: [TESTS] },
  to: { pathNot: may, ...(node ? { dependencyTypesNot: ['core'] } : {}) },
});

/** `what` may be imported by `by` alone (and by tests). */
const reserved = (name, comment, { what, by }) => ({
  name,
  comment,
  severity: 'error',
  from: { pathNot: [TESTS, '^(scripts|bench|e2e)/', ...by] },
  to: { path: what },
});

const ZOD = npm('zod');
const TOP = '^server/[^/]+\\.ts$';
const ENV = '^server/(env|env-[a-z]+)\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    only('core-is-pure', 'core knows core, hashes, addresses, and nothing else.', {
      from: '^server/core/',
      may: ['^server/core/', builtin('crypto', 'net'), ...npm('ipaddr\\.js')],
    }),
    only('ports-are-interfaces', 'A port speaks the words of core.', {
      from: '^server/ports/',
      may: ['^server/(core|ports)/'],
    }),
    only('engine-knows-ports', 'The engine moves deliveries through ports only.', {
      from: '^server/engine/',
      may: ['^server/(core|ports|engine)/'],
    }),
    only('services-know-ports', 'A verb of the product knows rules, ports and its schema.', {
      from: '^server/services/',
      may: ['^server/(core|ports|services)/', ...ZOD],
    }),
    only('adapters-touch-the-outside', 'An adapter implements a port with one library.', {
      from: '^server/adapters/',
      node: true,
      may: ['^server/(core|ports|adapters)/', '(^|/)node_modules/'],
    }),
    only('db-is-the-store', 'The store knows rules, its port, drizzle and its driver.', {
      from: '^db/',
      node: true,
      may: ['^db/', '^server/(core|ports)/', ...npm('drizzle-orm', 'drizzle-kit', 'better-sqlite3', 'pg')],
    }),
    only('faces-translate', 'api and auth call services; rules reach them through services.', {
      from: '^server/(api|auth)/',
      node: true,
      may: ['^server/(services|api|auth)/', '(^|/)node_modules/'],
    }),
    only('env-reads-only', 'The configuration knows rules and its schema.', {
      from: ENV,
      may: [
        '^server/(core/|env-[a-z]+\\.ts$)',
        ...ZOD,
        ...npm('ipaddr\\.js'),
        builtin('crypto', 'fs', 'path'),
      ],
    }),
    only('app-composes', 'Routes compose faces, components and the container.', {
      from: '^app/',
      node: true,
      may: ['^app/', '^components/', '^server/(api|auth)/', TOP, '(^|/)node_modules/'],
    }),
    only('components-draw', 'A component knows pure helpers and the contract, of api and db only types.', {
      from: '^components/',
      may: ['^components/', '^server/core/', '^server/services/contract(\\.ts$|/)', '(^|/)node_modules/'],
    }),
    {
      name: 'browser-code-has-no-node',
      comment: 'What a component imports runs in a browser.',
      severity: 'error',
      from: { path: '^components/', pathNot: TESTS },
      to: {
        path: '^(node:)?(crypto|net|fs|path|os|dns|http|https|url|util|stream|events|buffer|worker_threads|child_process)$',
        reachable: true,
      },
    },
    reserved('sql-lives-in-db', 'drizzle and the drivers are used in db alone.', {
      what: npm('drizzle-orm', 'drizzle-kit', 'better-sqlite3', 'pg'),
      by: ['^db/'],
    }),
    reserved('http-client-lives-in-adapters', 'undici and DNS are used in adapters alone.', {
      what: [...npm('undici'), builtin('dns', 'dns/promises')],
      by: ['^server/adapters/'],
    }),
    reserved('next-stays-at-the-edge', 'next is used by routes, components and its two hooks.', {
      what: npm('next'),
      by: ['^app/', '^components/', '^proxy\\.ts$', '^instrumentation(\\.node)?\\.ts$'],
    }),
    reserved('better-auth-stays-in-auth', 'Better Auth is used by server/auth and the auth pages.', {
      what: npm('better-auth', '@better-auth', 'better-call'),
      by: ['^server/auth/', '^app/\\(auth\\)/', '^app/api/auth/', '^components/auth/'],
    }),
    reserved('react-stays-in-the-console', 'No React behind the faces.', {
      what: npm('react', 'react-dom', '@mantine', '@tabler', '@tanstack', 'nuqs'),
      by: ['^app/', '^components/'],
    }),
    {
      name: 'composition-root',
      comment:
        'The files at the top of server/ know every adapter: routes, instrumentation and scripts alone use them.',
      severity: 'error',
      from: { pathNot: [TESTS, '^(scripts|bench|e2e)/', '^app/', '^instrumentation(\\.node)?\\.ts$', TOP] },
      to: { path: TOP, pathNot: ENV },
    },
    {
      name: 'environment-is-read-once',
      comment: 'Only what starts the product reads its configuration.',
      severity: 'error',
      from: {
        pathNot: [TESTS, '^(scripts|bench|e2e)/', '^instrumentation(\\.node)?\\.ts$', '^proxy\\.ts$', TOP],
      },
      to: { path: ENV },
    },
    {
      name: 'testing-is-for-tests',
      comment: 'Fakes and builders never reach the product.',
      severity: 'error',
      from: { pathNot: [TESTS, '^(e2e|bench)/'] },
      to: { path: '^server/testing/' },
    },
    {
      name: 'tests-are-leaves',
      comment: 'Nobody imports a test.',
      severity: 'error',
      from: {},
      to: { path: '\\.test\\.tsx?$' },
    },
    {
      name: 'no-cycles',
      comment: 'A cycle hides who decides.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-dev-packages-in-the-product',
      comment: 'What runs is in dependencies.',
      severity: 'error',
      from: { path: '^(app|components|server|db)/', pathNot: [TESTS, '\\.config\\.ts$'] },
      to: { dependencyTypes: ['npm-dev'] },
    },
    {
      name: 'resolvable-and-declared',
      comment: 'Every import resolves, to a declared package where it is one.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['unknown', 'undetermined', 'npm-no-pkg', 'npm-unknown'] },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(\\.next|data|test-results|next-env\\.d\\.ts)' },
    tsPreCompilationDeps: false,
    // Without `jsx`: with it `<T>(x) => x` in a .ts file would be read as an element.
    tsConfig: { fileName: 'tsconfig.boundaries.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.cjs', '.js', '.json'],
    },
  },
};
