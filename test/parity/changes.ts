import { setTimeout } from 'node:timers/promises';
import { request } from 'undici';
import { createKnownIds } from '../../src/cli/doctor/tools-on-platform/try-reads.ts';
import { isRecord, type JsonRecord, gitProviders, type AnyOperation, operations } from '../../src/contract/index.ts';
import { exchange, sendRaw, type ComparedPlatform, type Exchange } from './exchanges.ts';
import { shapeOf } from './shape.ts';

/** The changes that were compared, and what they left behind. */
export interface ComparedChanges {
  readonly exchanges: readonly Exchange[];
  /** The name of the project that could not be removed; undefined if nothing is left. */
  readonly leftOver?: string;
}

const idIn = (body: unknown): string | undefined =>
  isRecord(body) && typeof body['id'] === 'string' ? body['id'] : undefined;

/** Removes a resource, with a route that the contract doesn't have. @returns whether it is gone. */
async function remove({ url, authorization }: ComparedPlatform, path: string): Promise<boolean> {
  const { statusCode, body } = await request(url + path, { method: 'DELETE', headers: { authorization } });
  await body.dump();
  return statusCode < 300;
}

/** Times that a project is tried to be removed: what lies in it may take a while to go. */
const tries = 4;

/** Removes a project after the environment in it. @returns whether it is gone. */
async function removeProject(
  platform: ComparedPlatform,
  project: string,
  environment: string | undefined,
): Promise<boolean> {
  if (await remove(platform, `/project/${project}`)) return true;
  if (environment === undefined || !(await remove(platform, `/environment/${environment}`))) return false;
  for (let time = 0; time < tries; time += 1) {
    if (await remove(platform, `/project/${project}`)) return true;
    await setTimeout(2_000 * time);
  }
  return false;
}

const rowsOf = async (
  platform: ComparedPlatform,
  operation: AnyOperation,
  input: JsonRecord,
): Promise<readonly JsonRecord[]> => rowsIn((await sendRaw(platform, operation, input)).body);

const rowsIn = (body: unknown): readonly JsonRecord[] =>
  isRecord(body) && Array.isArray(body['results']) ? body['results'].filter(isRecord) : [];

/** A word that a platform has for a git provider, as one of its services has it; else one that is usual. */
async function providerOn(platform: ComparedPlatform, organization_id: string): Promise<string> {
  for (const project of await rowsOf(platform, operations.list_projects, { organization_id })) {
    // Up to the first that tells.
    for (const environment of await rowsOf(platform, operations.list_environments, { project_id: project['id'] })) {
      const application = (
        await rowsOf(platform, operations.list_services, { environment_id: environment['id'] })
      ).find(({ service_type: type }) => String(type).toUpperCase() === 'APPLICATION');
      const { body } = application
        ? await sendRaw(platform, operations.get_application, { application_id: application['id'] })
        : {};
      const git = isRecord(body) ? body['git_repository'] : undefined;
      if (isRecord(git) && typeof git['provider'] === 'string') return git['provider'];
    }
  }
  return gitProviders[0];
}

/**
 * Makes a project with an environment, an application and its variables, and reads them back. Changes nothing outside
 * of that project, and removes it if the platform can.
 * @param name of the project
 */
export async function changeEverything(platform: ComparedPlatform, name: string): Promise<ComparedChanges> {
  const ids = createKnownIds();
  const exchanges: Exchange[] = [];
  /** Sends a change. @param strict the body for platforms that refuse members which they don't know, or want more */
  const send = async (
    operation: AnyOperation,
    input: JsonRecord,
    strict?: (body: unknown) => unknown,
  ): Promise<string | undefined> => {
    const first = await sendRaw(platform, operation, input);
    const { status, body } =
      first.status === 400 && strict !== undefined ? await sendRaw(platform, operation, input, strict) : first;
    exchanges.push({
      operation: operation.name,
      path: `${operation.method} ${operation.path}`,
      status,
      shape: shapeOf(body),
    });
    return status < 300 ? idIn(body) : undefined;
  };
  await exchange(platform, operations.get_organization, {}, ids);
  const [organization_id] = ids.of('organization');
  if (organization_id === undefined) return { exchanges };
  await exchange(platform, operations.list_clusters, { organization_id }, ids);
  const [cluster_id] = ids.of('cluster');
  const project_id = await send(operations.create_project, {
    organization_id,
    name,
    description: 'Made to compare platforms; may be removed.',
  });
  if (project_id === undefined) return { exchanges };
  const environment_id =
    cluster_id === undefined
      ? undefined
      : await send(
          operations.create_environment,
          { project_id, name: 'parity', mode: 'DEVELOPMENT', cluster_id },
          () => ({ name: 'parity', mode: 'DEVELOPMENT', cluster: cluster_id }),
        );
  // Some platforms require the provider, which the address doesn't tell, and some its owner and name.
  const git_repository = {
    url: 'https://git.example/parity/app.git',
    branch: 'main',
    provider: await providerOn(platform, organization_id),
  };
  const application_id =
    environment_id === undefined
      ? undefined
      : await send(
          operations.create_application,
          { environment_id, name: 'parity', healthchecks: {}, git_repository },
          (body) => ({ ...(body as JsonRecord), git_repository: { ...git_repository, owner: 'parity', name: 'app' } }),
        );
  if (application_id !== undefined) {
    await send(operations.create_environment_variable, { application_id, key: 'PARITY', value: 'x' });
    await send(operations.create_secret, { application_id, key: 'PARITY_SECRET', value: 'x' });
    await send(operations.get_application_status, { application_id });
  }
  return { exchanges, ...(!(await removeProject(platform, project_id, environment_id)) && { leftOver: name }) };
}
