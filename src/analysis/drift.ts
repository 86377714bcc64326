import { hiddenStart, isRecord } from '../contract/index.ts';

/**
 * A service as the platform returns it: `name`, `service_type` and its configuration; with `custom_domains` if these are
 * compared: whether there are any, and how they are served.
 */
export type ServiceAnswer = Readonly<Record<string, unknown>>;

/** A variable of an environment. It has a value only if the whole value may be shown. */
export interface ComparedVariable {
  readonly key: string;
  /** Name of the service it belongs to; absent if it applies to the whole environment. */
  readonly service?: string | null;
  readonly scope?: string | null;
  /**
   * Absent if it can't be read or is hidden. It is then not compared, because the result would confirm or refute a
   * guess.
   */
  readonly value?: string | null;
  /** Whether it is a secret: it has no value, and only its existence is compared. */
  readonly isSecret?: boolean;
}

/** One of the two environments to compare. */
export interface ComparedEnvironment {
  readonly name: string;
  /** Id of its project, if known: two environments of a project have the variables of that in common. */
  readonly project?: string;
  readonly services: readonly ServiceAnswer[];
  /** Variables, and the secrets that could be read: with `hasSecrets`, all of them. */
  readonly variables?: readonly ComparedVariable[];
  /**
   * Whether every secret is among the variables; false if some could not be read. Only if true can a secret be reported
   * as missing.
   */
  readonly hasSecrets?: boolean;
  /**
   * The variables that could not be read: those of the whole environment, and those of the services with these names.
   */
  readonly unread?: { readonly shared?: boolean; readonly services?: readonly string[] };
}

/** Kinds of differences, most severe first. */
export const driftKinds = [
  'missing service',
  'version',
  'missing variable',
  'missing secret',
  'variable not seen',
  'variable',
  'network',
  'size',
  'setting',
] as const;
export type DriftKind = (typeof driftKinds)[number];

export interface Difference {
  readonly kind: DriftKind;
  /** Absent if it concerns the whole environment. */
  readonly service?: string;
  readonly what: string;
  /** Values in the first and the second environment; absent if there is none, `differs` if they may not be shown. */
  readonly first?: string;
  readonly second?: string;
}

export interface Drift {
  /** Most severe first, then by service. */
  readonly differences: readonly Difference[];
  /** Number of services that exist in both. */
  readonly pairs: number;
  /** Number of pairs without a difference, including their variables. */
  readonly same: number;
  /** Variables and settings that exist in both but can't be compared, because part of them is hidden. */
  readonly unknown: readonly string[];
  /** Number of secrets that both have and that may differ: their values are never compared. */
  readonly secrets: number;
}

/** The members of services to compare: path, label, and kind of difference. */
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
  { path: 'mode', what: 'database mode', kind: 'setting' },
  { path: 'ports', what: 'ports', kind: 'network' },
  { path: 'healthchecks', what: 'health checks', kind: 'network' },
  { path: 'accessibility', what: 'accessibility', kind: 'network' },
  { path: 'custom_domains.any', what: 'custom domains', kind: 'network' },
  { path: 'custom_domains.settings', what: 'how its domains are served', kind: 'network' },
  { path: 'entrypoint', what: 'entrypoint', kind: 'setting' },
  { path: 'arguments', what: 'arguments', kind: 'setting' },
  { path: 'auto_deploy', what: 'auto-deploy', kind: 'setting' },
  { path: 'schedule.cronjob.scheduled_at', what: 'schedule', kind: 'setting' },
  { path: 'max_duration_seconds', what: 'time limit (s)', kind: 'setting' },
  { path: 'timeout_sec', what: 'time limit (s)', kind: 'setting' },
];

const valueAt = (record: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), record);

/** A value as canonical text: ids, nulls and the order of members don't matter. */
const textOf = (value: unknown): string | undefined => {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part)
      ? Object.fromEntries(
          Object.entries(part)
            .filter(([name, member]) => name !== 'id' && member !== null)
            .toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : part,
  );
};

const nameOf = (service: ServiceAnswer): string => (typeof service['name'] === 'string' ? service['name'] : '');

const kindOf = (service: ServiceAnswer): string =>
  typeof service['service_type'] === 'string' ? service['service_type'].toLowerCase() : 'service';

// Names are unique in their environment, ignoring case.
const keyOf = (service: ServiceAnswer): string => `${kindOf(service)} ${nameOf(service).toLowerCase()}`;

const missing = (
  services: readonly ServiceAnswer[],
  others: readonly ServiceAnswer[],
  side: 'first' | 'second',
): Difference[] => {
  const known = new Set(others.map(keyOf));
  return services
    .filter((service) => !known.has(keyOf(service)))
    .map((service) => ({ kind: 'missing service', service: nameOf(service), what: kindOf(service), [side]: 'there' }));
};

interface Comparison {
  readonly differences: readonly Difference[];
  readonly unknown: readonly string[];
}

const compareServices = (one: ServiceAnswer, other: ServiceAnswer): Comparison => {
  const service = nameOf(one);
  const rows = compared.map(({ path, ...about }) => ({
    ...about,
    first: textOf(valueAt(one, path)),
    second: textOf(valueAt(other, path)),
  }));
  return {
    differences: rows.flatMap(({ kind, what, first, second }) =>
      first === second ? [] : [{ kind, service, what, first, second }],
    ),
    // Hidden parts may differ although the visible text is the same.
    unknown: rows.flatMap(({ what, first, second }) =>
      first === second && first?.includes(hiddenStart) ? [`${service} ${what}`] : [],
    ),
  };
};

const variableKey = ({ key, service }: ComparedVariable): string => `${service?.toLowerCase() ?? ''} ${key}`;

const ofService = ({ service }: ComparedVariable): { service?: string } => (service ? { service } : {});

/**
 * Shared scopes, widest first. Of variables with the same key the one with the narrowest scope is effective. All other
 * scopes belong to a service.
 */
const sharedScopes: readonly string[] = ['PROJECT', 'ENVIRONMENT'];

const scopeBreadth = ({ scope }: ComparedVariable): number =>
  sharedScopes.includes(scope ?? '') ? sharedScopes.indexOf(scope!) : sharedScopes.length;

/** Variables by key, without built-in ones, which always differ. */
const variablesByKey = (variables: readonly ComparedVariable[] = []): Map<string, ComparedVariable> =>
  new Map(
    variables
      .filter(({ scope }) => scope !== 'BUILT_IN')
      .toSorted((one, other) => scopeBreadth(one) - scopeBreadth(other))
      .map((variable) => [variableKey(variable), variable]),
  );

/**
 * The effective variables of an environment: a lookup by the key and service of a variable finds the service's own
 * variable or the inherited one.
 */
const effectiveIn = ({ services, variables }: ComparedEnvironment) => {
  const set = variablesByKey(variables);
  const names = new Set(services.map((service) => nameOf(service).toLowerCase()));
  return {
    set,
    lookup: (like: ComparedVariable): ComparedVariable | undefined =>
      set.get(variableKey(like)) ??
      (names.has(like.service?.toLowerCase() ?? '') ? set.get(variableKey({ key: like.key })) : undefined),
  };
};

const isInherited = (variable: ComparedVariable, like: ComparedVariable): boolean =>
  Boolean(like.service) && !variable.service;

/** The content of a differing variable, as text. */
const heldText = (variable: ComparedVariable, isFromAbove: boolean): string =>
  `${variable.isSecret === true ? 'a secret' : variable.value === '' ? '""' : (variable.value ?? 'set, hidden')}${isFromAbove ? ', inherited' : ''}`;

/** The text for a variable that an environment lacks, if it may be one of its secrets; otherwise undefined. */
const notReadText = ({ hasSecrets }: ComparedEnvironment): string | undefined =>
  hasSecrets === false ? 'not among its variables; its secrets could not all be read' : undefined;

const isSame = (found: ComparedVariable | undefined, like: ComparedVariable): boolean =>
  found !== undefined && variableKey(found) === variableKey(like);

/** Returns a function that checks whether an environment may have a variable in a part that could not be read. */
const mayHave = ({ services, unread = {}, hasSecrets }: ComparedEnvironment) => {
  const names = new Set(services.map((service) => nameOf(service).toLowerCase()));
  const unreadNames = new Set(unread.services?.map((name) => name.toLowerCase()));
  return ({ service, isSecret }: ComparedVariable): boolean => {
    if (isSecret === true && hasSecrets !== true) return true;
    const name = service?.toLowerCase() ?? '';
    return unreadNames.has(name) || (unread.shared === true && (name === '' || names.has(name)));
  };
};

const compareVariables = (
  one: ComparedEnvironment,
  other: ComparedEnvironment,
): Comparison & Pick<Drift, 'secrets'> => {
  if (one.variables === undefined || other.variables === undefined) return { differences: [], unknown: [], secrets: 0 };
  const [firsts, seconds] = [effectiveIn(one), effectiveIn(other)];
  const [mayBeFirst, mayBeSecond] = [mayHave(one), mayHave(other)];
  const differences: Difference[] = [];
  const unknown: string[] = [];
  const isOneProject = one.project !== undefined && one.project === other.project;
  const isSameSecret = (...both: readonly ComparedVariable[]): boolean =>
    isOneProject && both.every(({ scope }) => scope === 'PROJECT');
  let secrets = 0;
  for (const [key, variable] of new Map([...seconds.set, ...firsts.set])) {
    const about = { ...ofService(variable), what: variable.key };
    const [first, second] = [firsts.lookup(variable), seconds.lookup(variable)];
    // A variable that may be in an unread part counts as neither missing nor inherited.
    if ((!isSame(first, variable) && mayBeFirst(variable)) || (!isSame(second, variable) && mayBeSecond(variable)))
      continue;
    const notRead = variable.isSecret === true ? undefined : notReadText(first ? other : one);
    if ((!first || !second) && notRead !== undefined)
      differences.push({
        kind: 'variable not seen',
        ...about,
        first: first ? 'set' : notRead,
        second: second ? 'set' : notRead,
      });
    else if (!first || !second)
      differences.push({
        kind: variable.isSecret === true ? 'missing secret' : 'missing variable',
        ...about,
        ...(first ? { first: 'set' } : { second: 'set' }),
      });
    else if (first.isSecret === true && second.isSecret === true) secrets += isSameSecret(first, second) ? 0 : 1;
    else if (first.isSecret === true || second.isSecret === true)
      differences.push({
        kind: 'variable',
        ...about,
        first: heldText(first, isInherited(first, variable)),
        second: heldText(second, isInherited(second, variable)),
      });
    else if (typeof first.value !== 'string' || typeof second.value !== 'string') unknown.push(key.trim());
    else if (first.value !== second.value) {
      differences.push({
        kind: 'variable',
        ...about,
        first: heldText(first, isInherited(first, variable)),
        second: heldText(second, isInherited(second, variable)),
      });
    }
  }
  return { differences, unknown, secrets };
};

const bySeverity = (one: Difference, other: Difference): number =>
  driftKinds.indexOf(one.kind) - driftKinds.indexOf(other.kind) ||
  (one.service ?? '').localeCompare(other.service ?? '') ||
  one.what.localeCompare(other.what);

/**
 * Compares two environments. Services are paired by kind and name. Variables are compared if both sides have a list of
 * them; values, if both may be shown. Works with any platform's responses: members that neither side has are skipped.
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
    ...missing(one.services, other.services, 'first'),
    ...missing(other.services, one.services, 'second'),
    ...inPairs.flatMap(({ differences: found }) => found),
    ...variables.differences,
  ].toSorted(bySeverity);
  const different = new Set(differences.map(({ service }) => service?.toLowerCase()));
  return {
    differences,
    pairs: pairs.length,
    same: pairs.filter(([first]) => !different.has(nameOf(first).toLowerCase())).length,
    unknown: [...inPairs.flatMap(({ unknown }) => unknown), ...variables.unknown],
    secrets: variables.secrets,
  };
}
