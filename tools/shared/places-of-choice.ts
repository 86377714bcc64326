import { operations, type AnyOperation } from '../../src/contract/index.ts';
import {
  isPlatformFailure,
  rowsIn,
  textAt,
  textOf,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';

/** An environment, with the parts that were read. */
export interface Place {
  readonly environment: JsonRecord;
  /** All its services, if a wider list contained them. */
  readonly services?: readonly JsonRecord[];
}

const failsForGood = ['not_offered', 'forbidden', 'not_found', 'invalid_input', 'bad_answer', 'server_error'];

/**
 * The rows of a wide list; undefined if the platform doesn't serve it, or the policy doesn't allow the call such a wide
 * read.
 */
async function wideRows(
  context: ToolContext,
  operation: AnyOperation,
  input: JsonRecord,
): Promise<readonly JsonRecord[] | undefined> {
  const answer = await (context.read(operation, input) as Promise<JsonRecord>).catch((error: unknown) => {
    if (context.isDenied(error) || (isPlatformFailure(error) && failsForGood.includes(error.kind))) return undefined;
    throw error;
  });
  return Array.isArray(answer?.['results']) ? rowsIn(answer) : undefined;
}

/**
 * The services of an organization or of one project, by their environments; undefined if they can't be read at once.
 */
async function servicesByEnvironment(
  context: ToolContext,
  organization_id: string | undefined,
  project?: string,
): Promise<ReadonlyMap<unknown, readonly JsonRecord[]> | undefined> {
  const rows =
    organization_id === undefined
      ? undefined
      : await wideRows(context, operations.list_services_of_organization, {
          organization_id,
          ...(project !== undefined && { project_id: project }),
        });
  return rows?.every((row) => textOf(row, 'environment_id') !== undefined)
    ? Map.groupBy(rows, (row) => row['environment_id'])
    : undefined;
}

/** The id of the organization, which no change of a call makes another. */
const organizationId = async (context: ToolContext): Promise<string | undefined> =>
  textOf(await context.before(operations.get_organization, {}), 'id');

/** The services of the organization; undefined if they can't be read at once. */
export async function servicesOfOrganization(context: ToolContext): Promise<readonly JsonRecord[] | undefined> {
  const organization_id = await organizationId(context);
  return organization_id === undefined
    ? undefined
    : wideRows(context, operations.list_services_of_organization, { organization_id });
}

async function environmentsIn(context: ToolContext, project: JsonRecord): Promise<readonly JsonRecord[]> {
  return rowsIn(await context.read(operations.list_environments, { project_id: String(project['id']) })).map((row) => ({
    ...row,
    ...(textOf(project, 'name') !== undefined && { project_name: project['name'] }),
  }));
}

const projectIdIn = (environment: JsonRecord): string | undefined => textAt(environment, 'project.id');

/** Every environment of the organization or of one project, from one list or project by project. */
async function environmentsOf(
  context: ToolContext,
  organization_id: string | undefined,
  project: string | undefined,
): Promise<readonly JsonRecord[]> {
  const wide =
    organization_id === undefined
      ? undefined
      : await wideRows(context, operations.list_environments_of_organization, { organization_id });
  if (wide?.every((row) => textOf(row, 'mode') !== undefined && projectIdIn(row) !== undefined))
    return wide.filter((row) => project === undefined || projectIdIn(row) === project);
  if (project !== undefined) return environmentsIn(context, { id: project });
  const projects = rowsIn(await context.read(operations.list_projects, { organization_id: organization_id ?? '' }));
  return (await Promise.all(projects.map((one) => environmentsIn(context, one)))).flat();
}

const withServices = (
  environments: readonly JsonRecord[],
  services: ReadonlyMap<unknown, readonly JsonRecord[]> | undefined,
): readonly Place[] =>
  environments.map((environment) => ({
    environment,
    ...(services && { services: services.get(environment['id']) ?? [] }),
  }));

/** The environments of a project, or of the whole organization, in as few requests as the platform allows. */
export async function placesWithin(
  { project }: { readonly project?: string },
  context: ToolContext,
): Promise<readonly Place[]> {
  const organization_id = await organizationId(context);
  const [environments, services] = await Promise.all([
    environmentsOf(context, organization_id, project),
    servicesByEnvironment(context, organization_id, project),
  ]);
  return withServices(environments, services);
}

/** The environments of these services; undefined if the wide lists don't show them, so that each must be looked up. */
export async function placesOfServices(
  ids: readonly string[],
  context: ToolContext,
): Promise<readonly Place[] | undefined> {
  const organization_id = await organizationId(context);
  if (organization_id === undefined) return undefined;
  const [environments, services] = await Promise.all([
    wideRows(context, operations.list_environments_of_organization, { organization_id }),
    servicesByEnvironment(context, organization_id),
  ]);
  const wanted = ids.map((id) => [...(services ?? [])].find(([, rows]) => rows.some((row) => row['id'] === id))?.[0]);
  const found = environments?.filter(({ id }) => wanted.includes(id)) ?? [];
  return wanted.every((id) => found.some((one) => one['id'] === id)) ? withServices(found, services) : undefined;
}

/** The name of an environment's project, if its row or those of its services contain it. */
export const projectNameIn = ({ environment, services }: Place): string | undefined =>
  textOf(environment, 'project_name') ?? textAt(environment, 'project.name') ?? textOf(services?.[0], 'project_name');
