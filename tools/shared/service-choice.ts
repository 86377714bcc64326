import * as z from 'zod';
import {
  EnvironmentMode,
  isAtRest,
  joinPath,
  operations,
  reference,
  segmentOf,
  serviceKinds,
  type ServiceKind,
} from '../../src/contract/index.ts';
import {
  statusRowsIn,
  anyService,
  isRecord,
  naming,
  pruneRecord,
  readUses,
  rowsIn,
  textAt,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ResolvedResource,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readsByKind } from './any-service.ts';
import { fewAtOnce } from './few-at-once.ts';
import {
  type Place,
  placesWithin,
  placesOfServices,
  projectNameIn,
  servicesOfOrganization,
} from './places-of-choice.ts';

/** A service that a call may change, with its environment. */
export interface Candidate {
  readonly id: string;
  readonly name: string;
  /** Lower case; not one of the known kinds if the platform has others. */
  readonly kind: string;
  readonly environment: { readonly id: string; readonly path: string; readonly mode: string };
  readonly state?: string;
  /** Whether what is deployed is what is configured, in the platform's word. */
  readonly deployed?: string;
  readonly record: JsonRecord;
}

/** The choice of services for a call. */
interface Choice {
  readonly services?: readonly string[];
  readonly project?: string;
  readonly environment?: string;
  readonly modes?: readonly EnvironmentMode[];
  readonly kinds?: readonly ServiceKind[];
}

/** The arguments that choose services. */
export const serviceChoice = {
  services: z.array(anyService()).min(1).optional().describe('Alone.'),
  project: reference('project').optional(),
  environment: reference('environment').optional(),
  modes: z.array(EnvironmentMode).min(1).optional().describe('Not production: DEVELOPMENT, STAGING.'),
  kinds: z.array(z.enum(serviceKinds)).min(1).optional().describe('Only these.'),
};

/**
 * An argument rule: a list of services, or arguments that choose them. An empty choice never means the whole
 * organization.
 */
const choiceRules = ({ services, project, environment, modes, kinds }: Choice): readonly string[] => {
  const hasChoice = [project, environment, modes].some((one) => one !== undefined);
  if (services === undefined)
    return hasChoice ? [] : ['"services", or one of "project", "environment" and "modes", must be given'];
  return hasChoice || kinds !== undefined
    ? ['"services" goes with none of "project", "environment", "modes" and "kinds"']
    : [];
};

/** This rule for a tool, with what its description says of it. */
export const neededChoice = { needsOneOf: ['services', 'project', 'environment', 'modes'], rules: choiceRules };

/** The reads for a choice of services. */
export const readsOfChoice: readonly ReadUse[] = [
  ...readUses(
    'services can be given by list only, not chosen by mode',
    operations.get_organization,
    operations.list_projects,
  ),
  ...readUses(
    'each environment is read by itself, in more requests',
    operations.list_services_of_organization,
    operations.list_environments_of_organization,
  ),
  ...readUses('services can not be chosen by project or mode', operations.list_environments),
  ...readUses('nothing of an environment can be chosen', operations.get_environment, operations.list_services),
  ...readUses('what is down or under way already is not left out', operations.get_environment_status),
  ...readsByKind('configuration', 'the environment'),
];

/** The name of an environment's project, if the platform or the call's arguments show it. */
function projectNameOf(place: Place, { resolved }: ToolContext): string | undefined {
  const { environment } = place;
  const resources = Object.values(resolved);
  const inside = resources.find(
    (one) => one.environment?.id === environment['id'] || (one.kind === 'environment' && one.id === environment['id']),
  );
  return (
    projectNameIn(place) ??
    inside?.project?.name ??
    resources.find(({ kind, id }) => kind === 'project' && id === textAt(environment, 'project.id'))?.name
  );
}

/** What the row of a service in statuses says of it. */
function stateIn(rows: readonly JsonRecord[], id: unknown): Pick<Candidate, 'state' | 'deployed'> {
  const row = rows.find((one) => one['id'] === id);
  return { state: textOf(row, 'state'), deployed: textOf(row, 'service_deployment_status') };
}

/** The statuses of an environment's services, unless their rows have them. */
const statusesOf = async (
  environment_id: string,
  services: readonly JsonRecord[],
  context: ToolContext,
): Promise<JsonRecord | undefined> =>
  services.every(({ status }) => isRecord(status) && textOf(status, 'state') !== undefined)
    ? { services: services.map(({ id, status }) => ({ ...(status as JsonRecord), id })) }
    : context.attempt(operations.get_environment_status, { environment_id });

/** The services of an environment, with their states. @throws CallFailure if they can't be read */
async function candidatesIn(place: Place, context: ToolContext): Promise<readonly Candidate[]> {
  const { environment } = place;
  const environment_id = String(environment['id']);
  const [list, statuses] = place.services
    ? [{ results: place.services }, await statusesOf(environment_id, place.services, context)]
    : await Promise.all([
        context.attempt(operations.list_services, { environment_id }),
        context.attempt(operations.get_environment_status, { environment_id }),
      ]);
  if (!list)
    context.refuse(
      `the services of environment ${environment_id} can't be read here, so it isn't known what is there`,
      'Leave that environment out.',
    );
  const path = joinPath([projectNameOf(place, context), textOf(environment, 'name') ?? environment_id]);
  const states = statusRowsIn(statuses);
  const where = { id: environment_id, path, mode: textOf(environment, 'mode') ?? 'of unknown mode' };
  return rowsIn(list as JsonRecord).map((record) => ({
    id: String(record['id']),
    name: textOf(record, 'name') ?? String(record['id']),
    kind: (textOf(record, 'service_type') ?? 'unknown').toLowerCase(),
    environment: where,
    ...stateIn(states, record['id']),
    record,
  }));
}

const resolvedServices = ({ resolved }: ToolContext): readonly ResolvedResource[] =>
  Object.entries(resolved).flatMap(([argument, resource]) => (argument.startsWith('services[') ? [resource] : []));

/** The environment of a service. @throws CallFailure if that can't be read */
export async function environmentIdOf(
  { kind, id, environment }: ResolvedResource,
  context: ToolContext,
): Promise<string> {
  if (environment?.id !== undefined) return environment.id;
  const read = Object.values(operations).find(({ name }) => name === `get_${kind}`);
  const record = read && (await context.attempt(read, { [`${kind}_id`]: id } as never));
  return (
    textAt(record, 'environment.id') ??
    context.refuse(
      `in which environment ${kind} ${id} lies can't be read here`,
      'Give it by its path: project/environment/name.',
    )
  );
}

/** An environment. What is in it is read at the same time: whatever fails there is told by who needs it. */
async function placeOf(environment_id: string, context: ToolContext): Promise<Place> {
  for (const inside of [operations.list_services, operations.get_environment_status])
    context.attempt(inside, { environment_id }).catch(() => undefined);
  return { environment: await context.read(operations.get_environment, { environment_id }) };
}

/** The environments of listed services, read in bulk if they may be in more than one. */
async function placesOfList(ids: readonly string[], context: ToolContext): Promise<readonly Place[]> {
  const services = resolvedServices(context);
  const known = new Set(services.map(({ environment }) => environment?.id));
  const wide =
    known.size > 1 || (services.length > 1 && known.has(undefined)) ? await placesOfServices(ids, context) : undefined;
  return (
    wide ??
    Promise.all(
      [...new Set(await Promise.all(services.map((service) => environmentIdOf(service, context))))].map((id) =>
        placeOf(id, context),
      ),
    )
  );
}

/** The chosen services of a call, whether they can be changed or not. */
export async function serviceCandidates(choice: Choice, context: ToolContext): Promise<readonly Candidate[]> {
  const { services, environment, modes, kinds } = choice;
  const places = services
    ? await placesOfList(services, context)
    : environment === undefined
      ? await placesWithin(choice, context)
      : [await placeOf(environment, context)];
  const wanted = places.filter(
    (one) => modes === undefined || (modes as readonly unknown[]).includes(one.environment['mode']),
  );
  const all = (await Promise.all(wanted.map((place) => candidatesIn(place, context)))).flat();
  if (services === undefined)
    return all.filter(({ kind }) => kinds === undefined || (kinds as readonly string[]).includes(kind));
  const missing = services.find((id) => !all.some((one) => one.id === id));
  return missing === undefined
    ? all.filter(({ id }) => services.includes(id))
    : context.refuse(
        `the environment of service ${missing} does not list it`,
        naming`Look for it with ${'find_resource'}.`,
      );
}

/**
 * A context that reads what was read before the change again from there. It is for what the change leaves as it was:
 * which services are chosen, their names and their environments.
 */
export const asBefore = (context: ToolContext): ToolContext => ({
  ...context,
  attempt: context.before,
  read: async (operation, input) => (await context.before(operation, input)) ?? context.read(operation, input),
});

/** The statuses of the services of some environments, from the list of the organization if there are several. */
async function statusRows(environmentIds: readonly string[], context: ToolContext): Promise<readonly JsonRecord[]> {
  const wide = environmentIds.length > 1 ? await servicesOfOrganization(context) : undefined;
  const rows = wide
    ?.filter((row) => environmentIds.includes(String(row['environment_id'])))
    .map(({ id, status }) => ({ ...(isRecord(status) ? status : {}), id }));
  if (rows && rows.length > 0 && rows.every((row) => textOf(row, 'state') !== undefined)) return rows;
  const statuses = await fewAtOnce(environmentIds, (environment_id) =>
    context.attempt(operations.get_environment_status, { environment_id }),
  );
  return statuses.flatMap(statusRowsIn);
}

/**
 * Services with their present states, in one request where the platform allows it; without a state where that can't be
 * read.
 */
export async function withPresentStates(
  services: readonly Candidate[],
  context: ToolContext,
): Promise<readonly Candidate[]> {
  const rows = await statusRows([...new Set(services.map(({ environment }) => environment.id))], context);
  return services.map((service) => ({ ...service, ...stateIn(rows, service.id) }));
}

/** Whether a deployment of a service is in progress; also true if its state is an unknown one. */
export const isUnderWay = ({ state }: Pick<Candidate, 'state'>): boolean => state !== undefined && !isAtRest(state);

/** The services by their environments. */
export const byEnvironment = (all: readonly Candidate[]): readonly (readonly Candidate[])[] => [
  ...Map.groupBy(all, ({ environment }) => environment.id).values(),
];

/** The result for a service, or why nothing was done, as a row of a summary. */
export const summaryRow = ({ id, name, kind, environment, state }: Candidate, what: string): JsonRecord =>
  pruneRecord({ service: `${environment.path}/${segmentOf(name)}`, kind, mode: environment.mode, what, state, id });
