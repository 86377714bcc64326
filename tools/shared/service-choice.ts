import * as z from 'zod';
import { EnvironmentMode, isAtRest, operations, reference, serviceKinds, type ServiceKind } from '../../src/contract/index.ts';
import { anyService, isRecord, naming, pruneRecord, readUses, rowsIn, type JsonRecord, type ReadUse, type ResolvedResource, type ToolContext } from '../../src/server/tool/index.ts';
import { readsByKind } from './any-service.ts';

/** A service that a call may change, with its environment. */
export interface Candidate {
  readonly id: string;
  readonly name: string;
  /** Lower case; not one of the known kinds if the platform has others. */
  readonly kind: string;
  readonly environment: { readonly id: string; readonly path: string; readonly mode: string };
  readonly state?: string;
  readonly record: JsonRecord;
}

/** Which services a call is about. */
interface Choice {
  readonly services?: readonly string[];
  readonly project?: string;
  readonly environment?: string;
  readonly modes?: readonly EnvironmentMode[];
  readonly kinds?: readonly ServiceKind[];
}

/** The arguments that choose services. */
export const serviceChoice = {
  services: z.array(anyService()).min(1).optional().describe('These, or all that the following choose.'),
  project: reference('project').optional(),
  environment: reference('environment').optional(),
  modes: z.array(EnvironmentMode).min(1).optional().describe('Not production: DEVELOPMENT, STAGING.'),
  kinds: z.array(z.enum(serviceKinds)).min(1).optional().describe('Only these.'),
};

/** An argument rule: a list of services, or something that chooses them. The whole organization is never meant by saying nothing. */
export const choiceRules = ({ services, project, environment, modes, kinds }: Choice): readonly string[] => {
  const hasChoice = [project, environment, modes].some((one) => one !== undefined);
  if (services === undefined) return hasChoice ? [] : ['"services", or one of "project", "environment" and "modes", must be given'];
  return hasChoice || kinds !== undefined ? ['"services" goes with none of "project", "environment", "modes" and "kinds"'] : [];
};

/** What choosing services reads. */
export const readsOfChoice: readonly ReadUse[] = [
  ...readUses('services can be given by list only, not chosen by mode', operations.get_organization, operations.list_projects),
  ...readUses('services can not be chosen by project or mode', operations.list_environments),
  ...readUses('nothing of an environment can be chosen', operations.get_environment, operations.list_services),
  ...readUses('what is down or under way already is not left out', operations.get_environment_status),
  ...readsByKind('configuration', 'the environment'),
];

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const idIn = (record: JsonRecord | undefined, member: string): string | undefined => (isRecord(record?.[member]) ? text(record[member]['id']) : undefined);

/** The environments that a choice is about, with the names of their projects where they are known. */
async function environmentsOf({ project, environment }: Choice, context: ToolContext): Promise<readonly JsonRecord[]> {
  if (environment !== undefined) return [await context.read(operations.get_environment, { environment_id: environment })];
  const inProject = async (id: string): Promise<readonly JsonRecord[]> => rowsIn(await context.read(operations.list_environments, { project_id: id }));
  if (project !== undefined) return inProject(project);
  const organization_id = text((await context.read(operations.get_organization, {})).id) ?? '';
  const projects = rowsIn(await context.read(operations.list_projects, { organization_id }));
  return (await Promise.all(projects.map(async (one) => (await inProject(String(one['id']))).map((row) => ({ ...row, project_name: one['name'] }))))).flat();
}

/** The name of an environment's project, as far as the platform or the call's arguments tell. */
function projectNameOf(environment: JsonRecord, { resolved }: ToolContext): string | undefined {
  const resources = Object.values(resolved);
  const inside = resources.find((one) => one.environment?.id === environment['id'] || (one.kind === 'environment' && one.id === environment['id']));
  return text(environment['project_name']) ?? inside?.project?.name ?? resources.find(({ kind, id }) => kind === 'project' && id === idIn(environment, 'project'))?.name;
}

const stateIn = (statuses: JsonRecord | undefined, id: unknown): string | undefined =>
  text(Object.values(statuses ?? {}).flatMap((list) => rowsIn({ results: list })).find((row) => row['id'] === id)?.['state']);

/** The services of an environment, with their states. @throws CallFailure if they can't be read */
async function candidatesIn(environment: JsonRecord, context: ToolContext): Promise<readonly Candidate[]> {
  const environment_id = String(environment['id']);
  const [services, statuses] = await Promise.all([context.attempt(operations.list_services, { environment_id }), context.attempt(operations.get_environment_status, { environment_id })]);
  if (!services) context.refuse(`the services of environment ${environment_id} can't be read here, so it isn't known what is there`, 'Leave that environment out.');
  const path = [projectNameOf(environment, context), text(environment['name']) ?? environment_id].filter(Boolean).join('/');
  const place = { id: environment_id, path, mode: text(environment['mode']) ?? 'of unknown mode' };
  return rowsIn(services).map((record) => ({
    id: String(record['id']), name: text(record['name']) ?? String(record['id']), kind: (text(record['service_type']) ?? 'unknown').toLowerCase(), environment: place,
    state: stateIn(statuses, record['id']), record,
  }));
}

const resolvedServices = ({ resolved }: ToolContext): readonly ResolvedResource[] => Object.entries(resolved).flatMap(([argument, resource]) => (argument.startsWith('services[') ? [resource] : []));

async function environmentIdOf({ kind, id, environment }: ResolvedResource, context: ToolContext): Promise<string> {
  if (environment?.id !== undefined) return environment.id;
  const read = Object.values(operations).find(({ name }) => name === `get_${kind}`);
  const record = read && (await context.attempt(read, { [`${kind}_id`]: id } as never));
  return idIn(record, 'environment') ?? context.refuse(`in which environment ${kind} ${id} lies can't be read here`, 'Give it by its path: project/environment/name.');
}

/** The services that a call is about, whether they can be changed or not. */
export async function serviceCandidates(choice: Choice, context: ToolContext): Promise<readonly Candidate[]> {
  if (choice.services !== undefined) {
    const ids = new Set(await Promise.all(resolvedServices(context).map((service) => environmentIdOf(service, context))));
    const environments = await Promise.all([...ids].map((environment_id) => context.read(operations.get_environment, { environment_id })));
    const all = (await Promise.all(environments.map((environment) => candidatesIn(environment, context)))).flat();
    const missing = choice.services.find((id) => !all.some((one) => one.id === id));
    return missing === undefined ? all.filter(({ id }) => choice.services!.includes(id)) : context.refuse(`service ${missing} is not among those of its environment`, naming`Look for it with ${'find_resource'}.`);
  }
  const { modes, kinds } = choice;
  const environments = (await environmentsOf(choice, context)).filter(({ mode }) => modes === undefined || (modes as readonly unknown[]).includes(mode));
  const all = (await Promise.all(environments.map((environment) => candidatesIn(environment, context)))).flat();
  return all.filter(({ kind }) => kinds === undefined || (kinds as readonly string[]).includes(kind));
}

/** Whether a deployment of a service is under way; also where its state is unknown to us. */
export const isUnderWay = ({ state }: Candidate): boolean => state !== undefined && !isAtRest(state);

/** The services by their environments. */
export const byEnvironment = (all: readonly Candidate[]): readonly (readonly Candidate[])[] => [...Map.groupBy(all, ({ environment }) => environment.id).values()];

/** What was done with a service, or why nothing was, as a row of a summary. */
export const summaryRow = ({ id, name, kind, environment, state }: Candidate, what: string): JsonRecord =>
  pruneRecord({ service: `${environment.path}/${name}`, kind, mode: environment.mode, what, state, id });
