/** A part of the code: where it lives, and what its files may import. A path that ends in a slash means all below it. */
export interface Room {
  name: string;
  home: string[];
  mayImport: string[];
  /** The packages its files may import; any where left out. */
  packages?: string[];
  /** The only file of it that others import; any where left out. */
  door?: string;
}

/** A room of the server. @param others of its rooms, or single files of them, that it may import. */
const serverRoom = (name: string, others: readonly string[]): Room => ({
  name: `server ${name}`,
  home: [`src/server/${name}/`],
  mayImport: [`src/server/${name}/`, ...others.map((other) => `src/server/${other}${other.endsWith('.ts') ? '' : '/'}`), 'src/client/', 'src/analysis/', 'src/contract/'],
});

const platformBase = ['clock.ts', 'log.ts', 'problem.ts', 'random.ts', 'service-spec.ts'];

/** A room of the platform. Every one may import the base. @param homes its folders and files @param others of the platform that it may import. */
const platformRoom = (name: string, homes: readonly string[], others: readonly string[]): Room => ({
  name: `platform ${name}`,
  home: homes.map((path) => `src/platform/${path}`),
  mayImport: [...new Set([...homes, ...platformBase, ...others])].map((path) => `src/platform/${path}`).concat('src/contract/'),
});

/** Every room: what lies under src/ or tools/ belongs to one. */
export const rooms: readonly Room[] = [
  { name: 'contract', home: ['src/contract/'], mayImport: ['src/contract/'], packages: ['zod'] },
  { name: 'client', home: ['src/client/'], mayImport: ['src/client/', 'src/contract/'] },
  // The rooms of the server, each with what it may import of the others.
  { name: 'server json', home: ['src/server/json/'], mayImport: ['src/server/json/', 'src/contract/'] },
  serverRoom('context', ['json']),
  {
    name: 'server redaction', home: ['src/server/redaction/'], door: 'src/server/redaction/index.ts', packages: ['lru-cache', 'node:buffer'],
    // A leaf: it knows values and schemas, and neither guard, tool nor pipeline.
    mayImport: ['src/server/redaction/', 'src/server/json/', 'src/server/context/call-context.ts', 'src/client/secret-masking.ts', 'src/contract/'],
  },
  // A leaf: what is recorded, and how it is sealed.
  serverRoom('audit', ['json', 'context']),
  serverRoom('tool', ['json', 'context', 'redaction']),
  // How a call can fail, as values.
  serverRoom('failure', ['audit', 'tool']),
  serverRoom('resolve', ['json', 'context', 'redaction', 'tool', 'failure']),
  serverRoom('guard', ['json', 'context', 'redaction', 'audit', 'tool', 'failure', 'resolve']),
  // The words of a failure name the guard's limits, and a reply may be its question.
  serverRoom('output', ['json', 'context', 'redaction', 'audit', 'tool', 'failure', 'resolve', 'guard']),
  serverRoom('call', ['json', 'context', 'redaction', 'audit', 'tool', 'failure', 'resolve', 'guard', 'output']),
  serverRoom('browse', ['json', 'context', 'redaction', 'audit', 'tool', 'failure', 'guard', 'output', 'call']),
  serverRoom('protocol', ['json', 'context', 'redaction', 'audit', 'tool', 'failure', 'resolve', 'guard', 'output', 'call', 'browse']),
  { name: 'transport', home: ['src/transport/'], mayImport: ['src/transport/', 'src/server/', 'src/client/', 'src/contract/'] },
  // The rooms of the platform, from the bottom up.
  platformRoom('base', platformBase, []),
  platformRoom('runtime', ['runtime/runtime.ts'], []),
  platformRoom('simulation', ['runtime/simulated/'], ['runtime/runtime.ts']),
  platformRoom('store', ['store/'], []),
  platformRoom('engine', ['engine/'], ['store/', 'runtime/runtime.ts']),
  // Of the engine, the API sees its interface and what both write to the store.
  platformRoom('api', ['api/'], ['engine/engine.ts', 'engine/cluster-locks.ts', 'engine/webhooks/userinfo.ts', 'store/']),
  // The seed replays past deployments in the simulation.
  platformRoom('seed', ['seed/'], ['api/handlers/built-in-variables.ts', 'engine/', 'store/', 'runtime/simulated/']),
  platformRoom('testing', ['testing/'], ['seed/', 'api/', 'engine/', 'store/', 'runtime/']),
  { name: 'platform services', home: ['src/platform/platform.ts', 'src/platform/platform-services.ts'], mayImport: ['src/platform/', 'src/contract/'] },
  { name: 'analysis', home: ['src/analysis/'], mayImport: ['src/analysis/', 'src/contract/'], packages: ['zod', 're2js'] },
  { name: 'tools', home: ['tools/'], mayImport: ['tools/', 'src/server/tool/index.ts', 'src/analysis/', 'src/contract/'], packages: ['zod'] },
  { name: 'config', home: ['src/cli/config/'], mayImport: ['src/cli/config/', 'src/contract/'] },
  {
    name: 'cli',
    home: ['src/main.ts', 'src/cli/'],
    // Not src/main.ts: nobody imports that.
    mayImport: [
      'src/cli/', 'src/contract/', 'src/client/', 'src/server/', 'src/transport/', 'src/platform/',
      'tools/', 'package.json',
    ],
  },
];
