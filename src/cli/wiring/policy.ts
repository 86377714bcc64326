import { optionHelp, type Config } from '../config/index.ts';
import type { Policy, Rules, Scope } from '../../server/guard/index.ts';
import type { ServerLogger } from '../../server/context/index.ts';
import type { Connection } from './connection.ts';
import type { PolicyResource } from './missing-resources.ts';

/** The projects and environments that a policy names, without duplicates. */
export function resourcesNamedIn({ rules = [] }: Policy): readonly PolicyResource[] {
  const named = rules.flatMap(({ allow, deny, freezes }) => [
    ...(allow?.rules ?? []).map((conditions) => ({ conditions, setBy: allow!.setBy })),
    ...deny,
    ...freezes,
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
  const { readOnly, policyFile } = config;
  const scope = configuredScope(config);
  if (policyFile === undefined) return { readOnly, rules: optionRules(config), scope };
  const [{ loadPolicy }, { tools }] = await Promise.all([
    import('../../server/guard/policy/load.ts'),
    import('../../../tools/index.ts'),
  ]);
  return { readOnly, scope, rules: [await loadPolicy(policyFile, tools), ...optionRules(config)] };
}
