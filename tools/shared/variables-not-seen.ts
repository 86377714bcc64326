import { operations, terminalOutcome } from '../../src/contract/index.ts';
import {
  isRecord,
  readUses,
  recordsIn,
  textAt,
  textOf,
  type JsonRecord,
  type NextCall,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readAspect, type Subject } from './any-service.ts';
import { fewAtOnce } from './few-at-once.ts';
import { ifPossible } from './if-possible.ts';
import { observedServices, type ObservedService } from './observed-services.ts';
import { ownedVariableReads, variablesSeenBy } from './owned-variables.ts';

/** The kinds whose instances keep the variables of their deployment, even when instances are replaced. */
const keepingKinds = ['application', 'container', 'helm'] as const;

/** Maximum number of services whose variables are read, because each takes a request. */
const mostServices = 5;

/** The reads for which services don't see the variables of a new database. */
export const readsOfNotSeen: readonly ReadUse[] = [
  ...readUses(
    'which services do not see the variables of a new database is not told',
    operations.get_database,
    operations.list_services,
    operations.get_environment_status,
  ),
  ...ownedVariableReads('variables'),
];

/** A service whose running version was deployed before a moment. */
type Earlier = ObservedService & { readonly kind: (typeof keepingKinds)[number] };

/** Whether a service has run unchanged since before a moment. A later restart may have added the variables. */
const runsSinceBefore =
  (moment: string) =>
  (service: ObservedService): service is Earlier => {
    const { state, last_deployment_date: last } = service.status ?? {};
    const isUp =
      typeof state === 'string' &&
      (['DEPLOY', 'RESTART'] as const).some((action) => terminalOutcome(action, state) === 'good');
    return (
      (keepingKinds as readonly string[]).includes(service.kind) &&
      isUp &&
      typeof last === 'string' &&
      Date.parse(last) < Date.parse(moment)
    );
  };

/**
 * Whether a key is that of a variable which a database provides to its neighbours: platforms put the beginning of the
 * database's id into it.
 */
export const isKeyOf =
  (databaseId: string) =>
  (key: unknown): boolean =>
    typeof key === 'string' && key.split('_').some((word) => word.toLowerCase().endsWith(databaseId.slice(0, 8)));

/**
 * The keys by which a service sees the variables of a database under other names; undefined if it isn't known that
 * there are such variables.
 */
async function aliasesOf(
  context: ToolContext,
  { kind, id }: Earlier,
  databaseId: string,
): Promise<readonly string[] | undefined> {
  const rows = await variablesSeenBy({ kind, id }, context);
  const isOfDatabase = isKeyOf(databaseId);
  if (!rows?.some((row) => row['scope'] === 'BUILT_IN' && isOfDatabase(row['key']))) return undefined;
  return rows.flatMap((row) =>
    isRecord(row['aliased_variable']) && isOfDatabase(row['aliased_variable']['key']) ? (textOf(row, 'key') ?? []) : [],
  );
}

const untilThen = 'until it is deployed again';

async function notSeenBy(context: ToolContext, { kind, id, environmentId }: Subject): Promise<JsonRecord> {
  const configuration = await readAspect(context, { kind, id }, 'configuration');
  const [createdAt, environment] = [
    textOf(configuration ?? {}, 'created_at'),
    environmentId ?? textAt(configuration, 'environment.id'),
  ];
  if (createdAt === undefined || environment === undefined) return {};
  const earlier = ((await observedServices(context, environment)) ?? []).filter(runsSinceBefore(createdAt));
  const read = await fewAtOnce(earlier.slice(0, mostServices), async (service) => ({
    service,
    aliases: await aliasesOf(context, service, id),
  }));
  const without = read.flatMap(({ service, aliases }) => (aliases === undefined ? [] : [{ service, aliases }]));
  if (without.length === 0) return {};
  if (earlier.length > mostServices)
    context.leftOut(
      `Whether ${earlier.length - mostServices} more services see the variables of the database was not read, to spare requests.`,
    );
  return {
    variables_not_seen_by: without.map(
      ({ service: { name }, aliases }) =>
        `${name}, ${untilThen}${aliases.length > 0 ? `; it uses them as ${aliases.join(', ')}` : ''}`,
    ),
    deploy_again: without.filter(({ aliases }) => aliases.length > 0).map(({ service }) => ({ service: service.id })),
  };
}

/**
 * The services that have been running since before a database was created, so that they don't see the variables that it
 * provides, and those of them that use these by an alias. Nothing if that isn't known, if the database was deployed
 * before, or if the subject isn't a database.
 * @param answer the platform's response to the request that deployed it
 */
export async function variablesNotSeen(
  context: ToolContext,
  subject: Subject,
  { service_deployment_status: freshness }: JsonRecord,
): Promise<JsonRecord> {
  if (subject.kind !== 'database' || freshness !== 'NEVER_DEPLOYED') return {};
  return (
    (await ifPossible(context, 'Which services do not see its variables', () => notSeenBy(context, subject))) ?? {}
  );
}

/** Proposes to redeploy the services that use variables which they don't see. */
export function deployAgainCalls({ deploy_again: services }: JsonRecord): readonly NextCall[] {
  const rows = recordsIn(services);
  if (rows.length === 0) return [];
  return [
    {
      tool: 'deploy_service',
      arguments: rows.length === 1 ? rows[0]! : { services: rows },
      why: `brings the variables of the database in, which ${rows.length === 1 ? 'it uses' : 'they use'}`,
    },
  ];
}
