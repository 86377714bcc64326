/** An object in the engine's answers. */
type EngineJson = Record<string, unknown>;

/** The members of an answer that may leave the node. True keeps a member unchanged. */
interface Kept {
  readonly [member: string]: true | Kept;
}

/** An answer of the engine with only these members; for a list, each of its entries. */
function keepMembers(value: unknown, kept: Kept): unknown {
  if (Array.isArray(value)) return value.map((each) => keepMembers(each, kept));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(kept).filter(([name]) => Object.hasOwn(value, name));
  return Object.fromEntries(
    members.map(([name, each]) => [
      name,
      each === true ? (value as EngineJson)[name] : keepMembers((value as EngineJson)[name], each),
    ]),
  );
}

/**
 * Sends a request to the node's engine.
 * @returns the parsed answer; undefined if it is empty.
 * @throws EngineAnswer if it refuses
 */
export type AskEngine = (
  method: 'GET' | 'DELETE',
  path: string,
  query?: Readonly<Record<string, string>>,
) => Promise<unknown>;

/** The parts of a matched request. */
interface Matched {
  /** The id or name in the path; empty if the path has none. */
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
  /** The id of the platform that the agent works for. */
  readonly platformId: string;
}

/** A request that the agent carries out. It builds the engine's request itself, and forwards nothing unchanged. */
interface AllowedRequest {
  readonly method: 'GET' | 'DELETE';
  /** Matches the whole path, without the version. Its group captures the id or name. */
  readonly path: RegExp;
  /** The values that each member of the query may have. No other query parameter is allowed. */
  readonly query: Readonly<Record<string, RegExp>>;
  readonly answer: (ask: AskEngine, matched: Matched) => Promise<unknown>;
}

/** A refusal by the engine, or by the agent in its place. */
export class EngineAnswer extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The agent's message for a request that is not on its list. An older agent allows fewer. */
export const notAllowed = 'The agent of this node does not carry out such requests. Its list is in the documentation.';

/** An image that no registry has: an answer about it shows only that the registry is reached. */
export const missingImage = 'infra-mcp/doctor:missing';

const platformLabel = 'io.infra-mcp.platform';

const missing = (): never => {
  throw new EngineAnswer(404, 'This platform has nothing of that id or name on the node.');
};

const labelsOf = (value: EngineJson | undefined): EngineJson => (value?.['Labels'] ?? {}) as EngineJson;

/** Requires that the platform created an object. Any other object looks missing. */
function requireOurs(labels: EngineJson, platformId: string): void {
  if (labels[platformLabel] !== platformId) missing();
}

const anyText = /^[^\0]*$/;
const flag = /^(?:true|false|1|0)$/;
const container = String.raw`[0-9A-Za-z][\w.-]{0,127}`;

const isListOfText = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** The filters of a list. @param keys the allowed filters @throws EngineAnswer 400 */
function filtersOf(
  { query: { filters = '{}' } }: Matched,
  keys: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(filters);
  } catch {
    parsed = undefined;
  }
  if (
    typeof parsed !== 'object' ||
    parsed === null ||
    !Object.entries(parsed).every(([key, value]) => keys.includes(key) && isListOfText(value))
  )
    throw new EngineAnswer(400, `Filters are lists of text for ${keys.join(', ')}.`);
  return parsed as Record<string, string[]>;
}

/** The filters of a list as text, restricted to the platform's objects. */
function filtersWithin(matched: Matched, keys: readonly string[]): string {
  const { label = [], ...others } = filtersOf(matched, keys);
  return JSON.stringify({ ...others, label: [...label, `${platformLabel}=${matched.platformId}`] });
}

/** One of the platform's containers, as the engine reports it. */
async function ownContainer(ask: AskEngine, { name, platformId }: Matched): Promise<EngineJson> {
  const found = (await ask('GET', `/containers/${name}/json`)) as EngineJson;
  requireOurs(labelsOf(found['Config'] as EngineJson), platformId);
  return found;
}

/**
 * Whether an image can be the platform's: it has no names except those that the platform gives to images that it
 * builds. Images that swarm pulls have no names.
 */
function isNobodyElses(image: EngineJson, labels: EngineJson, platformId: string): boolean {
  const tags = (image['RepoTags'] ?? []) as string[];
  const maker = labels[platformLabel];
  return (
    (maker === undefined || maker === platformId) &&
    tags.every((tag) => tag === '<none>:<none>' || tag.split('/').includes(`infra-mcp-${platformId}`))
  );
}

const versionShown: Kept = {
  Version: true,
  ApiVersion: true,
  MinAPIVersion: true,
  Os: true,
  Arch: true,
  KernelVersion: true,
};

const infoShown: Kept = {
  ID: true,
  Name: true,
  ServerVersion: true,
  NCPU: true,
  MemTotal: true,
  DockerRootDir: true,
  OperatingSystem: true,
  Architecture: true,
  SystemTime: true,
  CgroupVersion: true,
  Driver: true,
  Swarm: { LocalNodeState: true, NodeID: true, NodeAddr: true, ControlAvailable: true },
};

const summaryShown: Kept = {
  Id: true,
  Names: true,
  Image: true,
  ImageID: true,
  Created: true,
  State: true,
  Status: true,
  Labels: true,
};

/** Without environment variables, arguments, mounts and networks. */
const containerShown: Kept = {
  Id: true,
  Name: true,
  Image: true,
  Created: true,
  RestartCount: true,
  State: true,
  HostConfig: { ExtraHosts: true },
  Config: { Image: true, Labels: true },
  NetworkSettings: { Networks: {} },
};

const volumeShown: Kept = { Name: true, Driver: true, CreatedAt: true, Labels: true };

const imageShown: Kept = {
  Id: true,
  ParentId: true,
  RepoTags: true,
  RepoDigests: true,
  Labels: true,
  Created: true,
  Size: true,
};

/** All requests that the agent carries out. It refuses any other. */
export const allowedRequests: readonly AllowedRequest[] = [
  {
    method: 'GET',
    path: /^\/_ping()$/,
    query: {},
    answer: async (ask) => keepMembers(await ask('GET', '/version'), { ApiVersion: true }),
  },
  {
    method: 'GET',
    path: /^\/version()$/,
    query: {},
    answer: async (ask) => keepMembers(await ask('GET', '/version'), versionShown),
  },
  {
    method: 'GET',
    path: /^\/info()$/,
    query: {},
    answer: async (ask) => keepMembers(await ask('GET', '/info'), infoShown),
  },
  {
    method: 'GET',
    path: /^\/containers\/json()$/,
    query: { all: flag, filters: anyText },
    answer: async (ask, matched) =>
      keepMembers(
        await ask('GET', '/containers/json', {
          all: matched.query['all'] ?? 'false',
          filters: filtersWithin(matched, ['id', 'name', 'label', 'status', 'network']),
        }),
        summaryShown,
      ),
  },
  {
    method: 'GET',
    path: new RegExp(`^/containers/(${container})/json$`),
    query: {},
    answer: async (ask, matched) => keepMembers(await ownContainer(ask, matched), containerShown),
  },
  {
    // Without stream=false the engine would never end its answer.
    method: 'GET',
    path: new RegExp(`^/containers/(${container})/stats$`),
    query: { stream: /^(?:false|0)$/, 'one-shot': flag },
    answer: async (ask, matched) => {
      await ownContainer(ask, matched);
      return ask('GET', `/containers/${matched.name}/stats`, { ...matched.query, stream: 'false' });
    },
  },
  {
    method: 'DELETE',
    path: new RegExp(`^/containers/(${container})$`),
    query: { v: flag },
    answer: async (ask, matched) => {
      const { State: state } = await ownContainer(ask, matched);
      if ((state as EngineJson)['Running'] === true)
        throw new EngineAnswer(409, 'The container runs: the agent removes only those that ended.');
      // No force: a container that has just started stays.
      return ask('DELETE', `/containers/${matched.name}`, matched.query);
    },
  },
  {
    method: 'GET',
    path: /^\/volumes()$/,
    query: { filters: anyText },
    answer: async (ask, matched) => {
      const { Volumes: volumes } = (await ask('GET', '/volumes', {
        filters: filtersWithin(matched, ['name', 'label', 'dangling']),
      })) as EngineJson;
      return { Volumes: keepMembers(volumes, volumeShown) };
    },
  },
  {
    method: 'DELETE',
    path: new RegExp(`^/volumes/(${container})$`),
    query: {},
    answer: async (ask, { name, platformId }) => {
      requireOurs(labelsOf((await ask('GET', `/volumes/${name}`)) as EngineJson), platformId);
      return ask('DELETE', `/volumes/${name}`);
    },
  },
  {
    method: 'GET',
    path: /^\/images\/json()$/,
    query: { filters: anyText },
    answer: async (ask, matched) => {
      const images = (await ask('GET', '/images/json', {
        filters: JSON.stringify(filtersOf(matched, ['label', 'reference', 'dangling'])),
      })) as EngineJson[];
      return keepMembers(
        images.filter((image) => isNobodyElses(image, labelsOf(image), matched.platformId)),
        imageShown,
      );
    },
  },
  {
    method: 'DELETE',
    path: /^\/images\/((?:[a-z0-9][\w.-]*(?::\d+)?\/)*[a-z0-9][\w.-]*(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?)$/,
    query: {},
    answer: async (ask, { name, platformId }) => {
      const image = (await ask('GET', `/images/${name}/json`)) as EngineJson;
      if (!isNobodyElses(image, labelsOf(image['Config'] as EngineJson), platformId)) missing();
      // Without force, the engine keeps an image that a container uses, running or not.
      return ask('DELETE', `/images/${name}`);
    },
  },
  {
    // Whether the node reaches a registry. Nothing of what is sent is passed on but the host.
    method: 'GET',
    path: new RegExp(String.raw`^/distribution/(\w[\w.-]*(?::\d+)?)/${missingImage}/json$`),
    query: {},
    answer: async (ask, { name }) => keepMembers(await ask('GET', `/distribution/${name}/${missingImage}/json`), {}),
  },
];
