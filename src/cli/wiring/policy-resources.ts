import type { ServerLogger } from '../../server/context/call-context.ts';
import type { Policy } from '../../server/guard/policy/policy.ts';
import type { Connection } from './connection.ts';

/** A project or environment that rules of a policy are about, as they name it, and the first rule that does. */
export interface PolicyResource {
  readonly kind: 'project' | 'environment';
  readonly name: string;
  readonly setBy: string;
}

/** The places that a policy names, each once. */
export function resourcesNamedIn({ rules = [] }: Policy): readonly PolicyResource[] {
  const named = rules.flatMap(({ allow, deny, freezes }) => [...(allow?.rules ?? []).map((conditions) => ({ conditions, setBy: allow!.setBy })), ...deny, ...freezes]);
  const places = named.flatMap(({ conditions, setBy }) => (['project', 'environment'] as const).flatMap((kind) => (conditions[kind] ?? []).map((name) => ({ kind, name, setBy }))));
  return [...Map.groupBy(places, ({ kind, name }) => `${kind} ${name}`).values()].map(([first]) => first!);
}

export const policyResourceText = ({ kind, name, setBy }: PolicyResource): string => `the ${kind} "${name}" (${setBy})`;

/**
 * The same connection. Once it is there, what the policy names is looked for beside the calls, which wait for nothing; what
 * isn't there is told to the log. A server without a token of its own looks for nothing.
 */
export function warningOfMissingResources(connection: Connection, policy: Policy, log: ServerLogger): Connection {
  const places = resourcesNamedIn(policy);
  if (places.length === 0) return connection;
  let looked = false;
  const look = async (client: Awaited<ReturnType<Connection['connect']>>['client']): Promise<void> => {
    const { missingResources } = await import('./missing-resources.ts');
    for (const place of await missingResources(places, client)) log.warn({ kind: place.kind, name: place.name, setBy: place.setBy }, 'the policy names a place that could not be found: its rule holds for nothing');
  };
  return {
    ...connection,
    connect: async () => {
      const connected = await connection.connect();
      if (!looked && connection.secrets().length > 0) {
        looked = true;
        look(connected.client).catch((error: unknown) => log.debug({ err: error }, 'what the policy names was not looked for'));
      }
      return connected;
    },
  };
}
