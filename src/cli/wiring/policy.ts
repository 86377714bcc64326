import { optionHelp, type Config } from '../config/index.ts';
import type { Policy, Rules, Scope } from '../../server/guard/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import type { Connection } from './connection.ts';
import type { PolicyResource } from './missing-resources.ts';

/** The projects and environments that a policy names, without duplicates. */
export function resourcesNamedIn({ rules = [] }: Policy): readonly PolicyResource[] {
  const named = rules.flatMap(({ allow, deny, freezes, twoPerson = [] }) => [
    ...(allow?.rules ?? []).map((conditions) => ({ conditions, setBy: allow!.setBy })),
    ...deny,
    ...freezes,
    ...twoPerson,
  ]);
  const resources = named.flatMap(({ conditions, setBy }) =>
    (['project', 'environment'] as const).flatMap((kind) =>
      (conditions[kind] ?? []).map((name) => ({ kind, name, setBy })),
    ),
  );
  return [...Map.groupBy(resources, ({ kind, name }) => `${kind} ${name}`).values()].map(([first]) => first!);
}

/** A resource and the rule that names it, for messages. */
export const policyResourceText = ({ kind, name, setBy }: PolicyResource): string => `the ${kind} "${name}" (${setBy})`;

/**
 * Wraps a connection to log a warning for each resource that the policy names and the platform lacks. The check runs
 * once, in the background, after the first connect. Servers without their own token skip it.
 */
export function warningOfMissingResources(connection: Connection, policy: Policy, log: ServerLogger): Connection {
  const resources = resourcesNamedIn(policy);
  if (resources.length === 0) return connection;
  let checked = false;
  const check = async (client: Awaited<ReturnType<Connection['connect']>>['client']): Promise<void> => {
    const { missingResources } = await import('./missing-resources.ts');
    for (const { kind, name, setBy } of await missingResources(resources, client))
      log.warn({ kind, name, setBy }, 'the policy names a place that could not be found: its rule applies to nothing');
  };
  return {
    ...connection,
    connect: async () => {
      const connected = await connection.connect();
      if (!checked && connection.secrets().length > 0) {
        checked = true;
        check(connected.client).catch((error: unknown) =>
          log.debug({ err: error }, 'could not check the places that the policy names'),
        );
      }
      return connected;
    },
  };
}

const envOf = (option: 'maxDisruptivePerHour' | 'project' | 'environment'): string =>
  optionHelp.find(({ name }) => name === option)!.env;

/** The rules that options set. */
const optionRules = ({ maxDisruptivePerHour: most }: Config): Rules[] =>
  most === undefined ? [] : [{ deny: [], freezes: [], limit: { most, setBy: envOf('maxDisruptivePerHour') } }];

/** The scope set by options; undefined if none is set. */
export function configuredScope({ project, environment }: Config): Scope | undefined {
  if (project === undefined && environment === undefined) return undefined;
  return {
    ...(project !== undefined && { project: { name: project, setBy: envOf('project') } }),
    ...(environment !== undefined && { environment: { name: environment, setBy: envOf('environment') } }),
  };
}

/**
 * The policy set by options and the policy file.
 * @throws Error that says what is wrong with the file.
 */
export async function configuredPolicy(config: Config): Promise<Policy> {
  const { readOnly, policyFile, approvalsOperators } = config;
  const scope = configuredScope(config);
  const namesOperators = approvalsOperators !== undefined;
  if (policyFile === undefined)
    return { readOnly, rules: optionRules(config), scope, ...(namesOperators && { namesOperators }) };
  const [{ loadPolicy }, { tools }] = await Promise.all([
    import('../../server/guard/policy/load.ts'),
    import('../../../tools/index.ts'),
  ]);
  return {
    readOnly,
    scope,
    rules: [await loadPolicy(policyFile, tools), ...optionRules(config)],
    ...(namesOperators && { namesOperators }),
  };
}

/**
 * The same for a server, with its operators checked.
 * @throws Error if the operators file can't be used, or the policy needs operators that it doesn't have.
 */
export async function serverPolicy(config: Config): Promise<Policy> {
  const policy = await configuredPolicy(config);
  const { approvalsOperators: path } = config;
  const asking = policy.rules?.flatMap(({ twoPerson = [] }) => twoPerson) ?? [];
  if (path === undefined) {
    if (asking.length > 0)
      throw new Error(
        `${asking[0]!.setBy} asks operators with names to agree, and no operators file is set. Name it in INFRA_APPROVALS_OPERATORS (--approvals-operators).`,
      );
    return policy;
  }
  const { readOperators } = await import('../../server/guard/index.ts');
  const names = (await readOperators(path)).map(({ name }) => name);
  for (const { of = [], setBy } of asking) {
    const unknown = of.find((name) => !names.includes(name));
    if (unknown !== undefined)
      throw new Error(`${setBy} names the operator "${unknown}", and ${path} has only: ${names.join(', ')}.`);
  }
  return policy;
}
