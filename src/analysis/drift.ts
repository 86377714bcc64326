import { hiddenSecret } from '../contract/primitives.ts';
import { isRecord } from '../contract/json.ts';

/** A service as the platform answers it: `name`, `service_type` and its configuration. */
export type ServiceAnswer = Readonly<Record<string, unknown>>;

/** A variable of an environment, with its value where all of it may be shown. */
export interface ComparedVariable {
  readonly key: string;
  /** Name of the service it belongs to; absent where the whole environment sees it. */
  readonly service?: string | null;
  readonly scope?: string | null;
  /** Absent where it can't be read or is hidden: then it is compared with no other, which would tell whether a guess is right. */
  readonly value?: string | null;
}

/** One of two environments that are compared. */
export interface ComparedEnvironment {
  readonly name: string;
  readonly services: readonly ServiceAnswer[];
  readonly variables?: readonly ComparedVariable[];
}

/** What a difference is about, gravest first. */
export const driftKinds = ['missing service', 'version', 'missing variable', 'variable', 'network', 'size', 'setting'] as const;
export type DriftKind = (typeof driftKinds)[number];

export interface Difference {
  readonly kind: DriftKind;
  /** Absent where it is about the whole environment. */
  readonly service?: string;
  readonly what: string;
  /** Values of the first and the second environment; absent where there is none; `differs` where they may not be shown. */
  readonly first?: string;
  readonly second?: string;
}

export interface Drift {
  /** Gravest first, then by service. */
  readonly differences: readonly Difference[];
  /** Services that both have. */
  readonly pairs: number;
  /** Pairs without a difference, variables included. */
  readonly same: number;
  /** Variables and settings that both have and that can't be compared, because something of them is hidden. */
  readonly unknown: readonly string[];
}

/** What is compared of two services: the member's path, what to call it, what a difference in it means. */
const compared: readonly { path: string; what: string; kind: DriftKind }[] = [
  { path: 'image_name', what: 'image', kind: 'version' },
  { path: 'tag', what: 'tag', kind: 'version' },
  { path: 'source.image.image_name', what: 'image', kind: 'version' },
  { path: 'source.image.tag', what: 'tag', kind: 'version' },
  { path: 'git_repository.url', what: 'repository', kind: 'version' },
  { path: 'git_repository.branch', what: 'branch', kind: 'version' },
  { path: 'git_repository.deployed_commit_id', what: 'deployed commit', kind: 'version' },
  { path: 'terraform_files_source.git.git_repository.branch', what: 'branch', kind: 'version' },
  { path: 'terraform_files_source.git.git_repository.deployed_commit_id', what: 'deployed commit', kind: 'version' },
  { path: 'source.git.git_repository.branch', what: 'branch', kind: 'version' },
  { path: 'source.git.git_repository.deployed_commit_id', what: 'deployed commit', kind: 'version' },
  { path: 'source.repository.chart_name', what: 'chart', kind: 'version' },
  { path: 'source.repository.chart_version', what: 'chart version', kind: 'version' },
  { path: 'type', what: 'database type', kind: 'version' },
  { path: 'version', what: 'database version', kind: 'version' },
  { path: 'cpu', what: 'CPU (millicores)', kind: 'size' },
  { path: 'memory', what: 'memory (MB)', kind: 'size' },
  { path: 'gpu', what: 'GPU', kind: 'size' },
  { path: 'min_running_instances', what: 'least instances', kind: 'size' },
  { path: 'max_running_instances', what: 'most instances', kind: 'size' },
  { path: 'storage', what: 'storage', kind: 'size' },
  { path: 'instance_type', what: 'instance type', kind: 'size' },
  { path: 'mode', what: 'database mode', kind: 'size' },
  { path: 'ports', what: 'ports', kind: 'network' },
  { path: 'healthchecks', what: 'health checks', kind: 'network' },
  { path: 'accessibility', what: 'accessibility', kind: 'network' },
  { path: 'entrypoint', what: 'entrypoint', kind: 'setting' },
  { path: 'arguments', what: 'arguments', kind: 'setting' },
  { path: 'auto_deploy', what: 'auto-deploy', kind: 'setting' },
  { path: 'schedule.cronjob.scheduled_at', what: 'schedule', kind: 'setting' },
  { path: 'max_duration_seconds', what: 'time limit (s)', kind: 'setting' },
  { path: 'timeout_sec', what: 'time limit (s)', kind: 'setting' },
];

const valueAt = (record: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), record);

/** A value as text that is equal for what means the same: ids and the order of members don't count. */
const textOf = (value: unknown): string | undefined => {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  return JSON.stringify(value, (_, part: unknown) =>
    (isRecord(part)
      ? Object.fromEntries(Object.entries(part).filter(([name, member]) => name !== 'id' && member !== null).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part));
};

const nameOf = (service: ServiceAnswer): string => (typeof service['name'] === 'string' ? service['name'] : '');

const kindOf = (service: ServiceAnswer): string => (typeof service['service_type'] === 'string' ? service['service_type'].toLowerCase() : 'service');

// Names are unique in their environment whatever the case.
const keyOf = (service: ServiceAnswer): string => `${kindOf(service)} ${nameOf(service).toLowerCase()}`;

const missing = (services: readonly ServiceAnswer[], others: readonly ServiceAnswer[], side: 'first' | 'second'): Difference[] => {
  const known = new Set(others.map(keyOf));
  return services
    .filter((service) => !known.has(keyOf(service)))
    .map((service) => ({ kind: 'missing service', service: nameOf(service), what: kindOf(service), [side]: 'there' }));
};

interface Comparison {
  readonly differences: readonly Difference[];
  readonly unknown: readonly string[];
}

const hiddenStart = hiddenSecret.slice(0, -1);

const compareServices = (one: ServiceAnswer, other: ServiceAnswer): Comparison => {
  const service = nameOf(one);
  const rows = compared.map(({ path, ...about }) => ({ ...about, first: textOf(valueAt(one, path)), second: textOf(valueAt(other, path)) }));
  return {
    differences: rows.flatMap(({ kind, what, first, second }) => (first === second ? [] : [{ kind, service, what, first, second }])),
    // Where all that shows is the same, what is hidden in it may differ.
    unknown: rows.flatMap(({ what, first, second }) => (first === second && first?.includes(hiddenStart) ? [`${service} ${what}`] : [])),
  };
};

const variableKey = ({ key, service }: ComparedVariable): string => `${service?.toLowerCase() ?? ''} ${key}`;

const ofService = ({ service }: ComparedVariable): { service?: string } => (service ? { service } : {});

/** Scopes from the widest to the narrowest: of variables with one key the narrowest counts. Whatever else there is belongs to a service. */
const sharedScopes: readonly string[] = ['PROJECT', 'ENVIRONMENT'];

const scopeBreadth = ({ scope }: ComparedVariable): number => (sharedScopes.includes(scope ?? '') ? sharedScopes.indexOf(scope!) : sharedScopes.length);

/** Variables by key. Those that the platform sets itself differ by their nature: they are left out. */
const variablesByKey = (variables: readonly ComparedVariable[] = []): Map<string, ComparedVariable> =>
  new Map(
    variables
      .filter(({ scope }) => scope !== 'BUILT_IN')
      .toSorted((one, other) => scopeBreadth(one) - scopeBreadth(other))
      .map((variable) => [variableKey(variable), variable]),
  );

/** What of an environment is seen under the key and by the service of a variable: the service's own or, where there is none, what it inherits. */
const effectiveIn = ({ services, variables }: ComparedEnvironment) => {
  const set = variablesByKey(variables);
  const names = new Set(services.map((service) => nameOf(service).toLowerCase()));
  return {
    set,
    seenLike: (like: ComparedVariable): ComparedVariable | undefined =>
      set.get(variableKey(like)) ?? (names.has(like.service?.toLowerCase() ?? '') ? set.get(variableKey({ key: like.key })) : undefined),
  };
};

const isInherited = (variable: ComparedVariable, like: ComparedVariable): boolean => Boolean(like.service) && !variable.service;

const compareVariables = (one: ComparedEnvironment, other: ComparedEnvironment): Comparison => {
  if (one.variables === undefined || other.variables === undefined) return { differences: [], unknown: [] };
  const [firsts, seconds] = [effectiveIn(one), effectiveIn(other)];
  const differences: Difference[] = [];
  const unknown: string[] = [];
  for (const [key, variable] of new Map([...seconds.set, ...firsts.set])) {
    const about = { ...ofService(variable), what: variable.key };
    const [first, second] = [firsts.seenLike(variable), seconds.seenLike(variable)];
    if (!first || !second) differences.push({ kind: 'missing variable', ...about, ...(first ? { first: 'set' } : { second: 'set' }) });
    else if (typeof first.value !== 'string' || typeof second.value !== 'string') unknown.push(key.trim());
    else if (first.value !== second.value) {
      const [said, too] = [first, second].map((seen) => (isInherited(seen, variable) ? 'differs, inherited' : 'differs'));
      differences.push({ kind: 'variable', ...about, first: said, second: too });
    }
  }
  return { differences, unknown };
};

const byGravity = (one: Difference, other: Difference): number =>
  driftKinds.indexOf(one.kind) - driftKinds.indexOf(other.kind)
  || (one.service ?? '').localeCompare(other.service ?? '')
  || one.what.localeCompare(other.what);

/**
 * How two environments differ. Services are paired by kind and name; variables are compared where both
 * sides were given any, and both values may be shown. Answers of any platform will do: members that neither has aren't compared.
 */
export function findDrift(one: ComparedEnvironment, other: ComparedEnvironment): Drift {
  const seconds = new Map(other.services.map((service) => [keyOf(service), service]));
  const pairs = one.services.flatMap((service) => {
    const second = seconds.get(keyOf(service));
    return second ? [[service, second] as const] : [];
  });
  const variables = compareVariables(one, other);
  const inPairs = pairs.map(([first, second]) => compareServices(first, second));
  const differences = [
    ...missing(one.services, other.services, 'first'), ...missing(other.services, one.services, 'second'), ...inPairs.flatMap(({ differences: found }) => found), ...variables.differences,
  ].toSorted(byGravity);
  const different = new Set(differences.map(({ service }) => service?.toLowerCase()));
  return {
    differences,
    pairs: pairs.length,
    same: pairs.filter(([first]) => !different.has(nameOf(first).toLowerCase())).length,
    unknown: [...inPairs.flatMap(({ unknown }) => unknown), ...variables.unknown],
  };
}
