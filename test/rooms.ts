/**
 * A part of the code with one job: where it lives, and what its files may import. A path that ends in a slash means all
 * below it.
 */
export interface Room {
  name: string;
  home: string[];
  mayImport: string[];
  /** The packages its files may import; any where left out. `node:` means all of Node's own. */
  packages?: string[];
  /** The file by which other rooms import it; nobody may where left out. */
  door?: string;
  /** Files that other rooms may also load with `import()`, so that starting doesn't load what is rarely needed. */
  lazy?: string[];
  /** The only files of other rooms that may load it, and only with `import()`; default: all whose room may. */
  onlyFor?: string[];
}

/** A room that is one folder, with its door. */
const room = (
  name: string,
  folder: string,
  mayImport: readonly string[],
  more: Pick<Room, 'packages' | 'lazy' | 'onlyFor'> = {},
): Room => ({ name, home: [folder], door: `${folder}index.ts`, mayImport: [folder, ...mayImport], ...more });

/** A room of the server. @param others of its rooms that it may import. */
const serverRoom = (name: string, others: readonly string[], more: Pick<Room, 'packages' | 'lazy'> = {}): Room =>
  room(
    `server ${name}`,
    `src/server/${name}/`,
    [...others.map((other) => `src/server/${other}/`), 'src/client/', 'src/analysis/', 'src/contract/'],
    more,
  );

/** A room of the platform. @param others of its rooms that it may import. */
const platformRoom = (
  name: string,
  folder: string,
  others: readonly string[],
  more: Pick<Room, 'packages' | 'lazy' | 'onlyFor'> = {},
): Room =>
  room(
    `platform ${name}`,
    `src/platform/${folder}/`,
    [...others.map((other) => `src/platform/${other}`), 'src/contract/'],
    more,
  );

/** A leaf: what the rooms that write files have in common. */
const files = 'src/files/';
/** A leaf: what hosts show results with. */
const views = 'src/views/';

const mayImportToo = (one: Room, ...others: readonly string[]): Room => ({
  ...one,
  mayImport: [...one.mayImport, ...others],
});

const common = 'common/';
const runtime = 'runtime/index.ts';
/** The list by which everybody else knows the runtimes on which services really run. */
const providers = 'src/platform/runtime-providers.ts';
const simulation = 'runtime/simulated/';

const ofGuard = serverRoom('guard', ['json', 'context', 'redaction', 'audit', 'tool', 'failure', 'resolve'], {
  lazy: [
    'src/server/guard/policy/load.ts',
    'src/server/guard/storage/postgres-store.ts',
    'src/server/guard/approvals/chat/index.ts',
  ],
});
/** The guard keeps records. What speaks of databases is loaded where one is used. */
const guardRoom = mayImportToo(ofGuard, 'src/database/', 'src/postgres/', 'src/outgoing/', files);

/** Every room: what lies under src/ or tools/ belongs to the one with the narrowest home. */
export const rooms: readonly Room[] = [
  room('contract', 'src/contract/', [], { packages: ['zod', 'fastest-levenshtein'] }),
  // A leaf: how requests leave this program, whoever sends them.
  room('outgoing', 'src/outgoing/', [], { packages: ['undici', 'node:'] }),
  room('client', 'src/client/', ['src/contract/', 'src/outgoing/'], { lazy: ['src/client/client.ts'] }),
  // A leaf: files and folders of this machine.
  room('files', files, [], { packages: ['node:'] }),
  // What records are kept in, whichever database it is.
  room('database', 'src/database/', [files], { packages: ['kysely', 'node:'] }),
  room('postgres', 'src/postgres/', ['src/database/', 'src/contract/'], { packages: ['pg', 'kysely', 'node:'] }),
  room('analysis', 'src/analysis/', ['src/contract/'], {
    packages: ['zod', 're2js', 'croner'],
    lazy: ['src/analysis/search.ts', 'src/analysis/due-run.ts', 'src/analysis/diagnosis/diagnose.ts'],
  }),
  // A leaf: which views there are, and their pages.
  room('views', views, [], {
    packages: ['esbuild', 'node:'],
    lazy: ['src/views/pages.ts', 'src/views/console-files.ts'],
  }),
  // What runs in browsers only.
  room('views in a browser', 'src/views/page/', ['src/views/index.ts'], { packages: ['preact'] }),
  // The rooms of the server, from the bottom up.
  { ...serverRoom('json', []), mayImport: ['src/server/json/', 'src/contract/'] },
  mayImportToo(serverRoom('context', ['json']), files),
  {
    // A leaf: it knows values and schemas, and neither tools nor calls.
    ...serverRoom('redaction', [], { packages: ['lru-cache', 'node:buffer', 'node:url'] }),
    mayImport: ['src/server/redaction/', 'src/server/json/', 'src/server/context/', 'src/client/', 'src/contract/'],
  },
  // A leaf: what is recorded, and how it is sealed.
  mayImportToo(serverRoom('audit', ['json', 'context']), files),
  serverRoom('tool', ['json', 'context', 'redaction']),
  serverRoom('failure', ['context', 'audit', 'tool']),
  serverRoom('resolve', ['json', 'context', 'redaction', 'tool', 'failure']),
  guardRoom,
  // The words of a failure name the guard's limits, and a reply may be its question.
  mayImportToo(
    serverRoom('output', ['json', 'context', 'redaction', 'audit', 'tool', 'failure', 'resolve', 'guard']),
    views,
  ),
  serverRoom('call', ['json', 'context', 'redaction', 'audit', 'tool', 'failure', 'resolve', 'guard', 'output']),
  mayImportToo(
    serverRoom('browse', ['json', 'context', 'redaction', 'audit', 'tool', 'failure', 'guard', 'output', 'call'], {
      lazy: ['src/server/browse/resources/watch-resource.ts'],
    }),
    views,
  ),
  mayImportToo(
    serverRoom('protocol', [
      'json',
      'context',
      'redaction',
      'audit',
      'tool',
      'failure',
      'resolve',
      'guard',
      'output',
      'call',
      'browse',
    ]),
    views,
  ),
  room('transport', 'src/transport/', ['src/server/', 'src/client/', 'src/contract/', 'src/outgoing/', views], {
    lazy: [
      'src/transport/http/oauth.ts',
      'src/transport/http/resource-metadata.ts',
      'src/transport/http/metrics-server.ts',
    ],
  }),
  room(
    'telemetry',
    'src/telemetry/',
    ['src/server/context/', 'src/server/call/', 'src/server/guard/', 'src/client/', 'src/contract/', 'src/outgoing/'],
    { lazy: ['src/telemetry/metrics/create-metrics.ts', 'src/telemetry/traces/create-traces.ts'] },
  ),
  // The rooms of the platform, from the bottom up.
  platformRoom('common', 'common', []),
  platformRoom('runtime', 'runtime', [common]),
  platformRoom('simulation', 'runtime/simulated', [common, runtime]),
  {
    ...platformRoom('docker', 'runtime/docker', [common, runtime], {
      packages: ['undici', 'zod', 'node:'],
      lazy: ['src/platform/runtime/docker/index.ts'],
      onlyFor: [providers],
    }),
    mayImport: [
      'src/platform/runtime/docker/',
      'src/platform/common/',
      'src/platform/runtime/index.ts',
      'src/contract/',
      'src/outgoing/',
    ],
  },
  { name: 'platform providers', home: [providers], door: providers, mayImport: ['src/platform/runtime/'] },
  // What speaks of PostgreSQL is loaded where one is used.
  {
    ...platformRoom('store', 'store', [common], {
      lazy: ['open-records', 'import-records', 'examine-records'].map(
        (name) => `src/platform/store/postgres/${name}.ts`,
      ),
    }),
    mayImport: [
      'src/platform/store/',
      'src/platform/common/',
      'src/database/',
      'src/postgres/',
      'src/contract/',
      files,
    ],
  },
  mayImportToo(platformRoom('engine', 'engine', [common, 'store/', runtime]), 'src/outgoing/'),
  platformRoom('api', 'api', [common, 'store/', 'engine/']),
  // The seed replays past deployments in the simulation.
  platformRoom('seed', 'seed', [common, 'store/', 'engine/', 'api/', runtime, simulation]),
  platformRoom('testing', 'testing', [common, 'store/', 'engine/', 'api/', 'seed/', runtime, simulation], {
    lazy: ['src/platform/testing/scenarios/scenarios.ts'],
  }),
  room('platform', 'src/platform/', ['src/contract/']),
  {
    name: 'tools',
    home: ['tools/'],
    door: 'tools/index.ts',
    mayImport: ['tools/', 'src/server/tool/', 'src/analysis/', 'src/contract/'],
    packages: ['zod'],
  },
  // The list of runtimes loads none of them: it is what `--runtime` may be.
  room('config', 'src/cli/config/', ['src/contract/', 'src/outgoing/', providers, 'package.json', files]),
  {
    name: 'cli',
    home: ['src/main.ts', 'src/cli/'],
    // Not src/main.ts: nobody imports that.
    mayImport: [
      'src/cli/',
      'src/contract/',
      'src/client/',
      'src/outgoing/',
      'src/server/',
      'src/transport/',
      'src/telemetry/',
      'src/platform/',
      'src/database/',
      'src/postgres/',
      files,
      views,
      'tools/',
      'package.json',
    ],
  },
];

/** Whether a path is one of these places, or lies below one that ends in a slash. */
export const isWithin = (path: string, places: readonly string[]): boolean =>
  places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place));

const homeLength = (path: string, { home }: Room): number =>
  Math.max(...home.filter((place) => isWithin(path, [place])).map((place) => place.length));

/** The room with the narrowest home that a path lies in. */
export const roomOf = (path: string): Room | undefined =>
  rooms
    .filter(({ home }) => isWithin(path, home))
    .toSorted((one, other) => homeLength(path, other) - homeLength(path, one))[0];
