import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { lastPart } from '../../../../contract/index.ts';
import {
  copyToDockerContainer,
  type DockerCall,
  type DockerClient,
  dockerInfo,
  type DockerTask,
  execInDockerContainer,
  ignoring,
  inspectDockerNode,
  inspectDockerService,
  listDockerTasks,
} from '../api/index.ts';
import { isPlatforms } from '../labels.ts';
import { dockerServiceName } from '../names.ts';
import { fileInTar } from '../tar.ts';

/** The first bytes of a dump. */
const signature = 'PGDMP';

/** The time limit for writing or reading a dump, in milliseconds. */
const timeoutMilliseconds = 12 * 3600_000;

/**
 * The container of a PostgreSQL, and how its own tools connect to it there: over its socket, which requires no
 * password.
 */
interface RunningPostgres {
  readonly container: string;
  readonly connection: readonly string[];
}

/** Finds the instance of a database. @throws Error that says why there is none to work with */
async function findPostgres(docker: DockerClient, id: string, call: DockerCall): Promise<RunningPostgres> {
  const service = await inspectDockerService(docker, dockerServiceName({ id }), call).catch(ignoring('not found'));
  if (service === undefined || !isPlatforms(service.Spec.Labels))
    throw new Error(
      `The engine at ${docker.address} runs no service ${id}. Give the id of a database that is deployed there.`,
    );
  const variables = new Map(
    (service.Spec.TaskTemplate.ContainerSpec.Env ?? []).map((text) => text.split(/=(.*)/s, 2) as [string, string]),
  );
  const [name, user] = [variables.get('POSTGRES_DB'), variables.get('POSTGRES_USER')];
  if (name === undefined || user === undefined)
    throw new Error(
      `The service ${id} is not a PostgreSQL of the platform. Only those are backed up and restored here.`,
    );
  const tasks = (await listDockerTasks(docker, { service: [service.ID], 'desired-state': ['running'] }, call)).filter(
    ({ Status }) => Status.State === 'running',
  );
  const {
    Swarm: { NodeID: own },
  } = await dockerInfo(docker, call);
  // Not by labels: containers of builds can have any.
  const container = tasks.find(({ NodeID }) => NodeID === own)?.Status.ContainerStatus?.ContainerID;
  if (container === undefined)
    throw new Error(
      `The database ${id} doesn't run on the engine at ${docker.address}${await whereItRuns(docker, tasks, call)}: deploy it first, or give the address of the engine that has it.`,
    );
  return { container, connection: [`--username=${user}`, `--dbname=${name}`] };
}

/** The node on which the instance of a service runs, as the end of a sentence; empty if it runs on none. */
async function whereItRuns(docker: DockerClient, running: readonly DockerTask[], call: DockerCall): Promise<string> {
  const node = running.find(({ NodeID }) => NodeID !== undefined)?.NodeID;
  return node === undefined
    ? ''
    : `, but on the node ${(await inspectDockerNode(docker, node, call)).Description.Hostname}`;
}

/**
 * Runs a program in a container, and yields its output.
 * @throws Error with the end of its error output, if it fails
 */
async function* outputOf(
  docker: DockerClient,
  container: string,
  command: readonly string[],
  call: DockerCall,
): AsyncGenerator<Buffer, void> {
  const { output, exitCode } = await execInDockerContainer(docker, container, { command, user: '0', ...call });
  let complaint = '';
  for await (const { stream, bytes } of output) {
    if (stream === 'stdout') yield bytes;
    else complaint = lastPart(`${complaint}${bytes.toString('utf8')}`, 2000);
  }
  const code = await exitCode();
  if (code !== 0)
    throw new Error(`${command[0]!} failed with exit code ${code}: ${complaint.trim() || 'no error output'}`);
}

/**
 * Dumps a PostgreSQL with its own pg_dump, in the custom format: one consistent state, while it keeps serving.
 * @param id of the database in the platform
 * @throws Error if it doesn't run there, or if pg_dump fails: the bytes yielded by then are no backup
 */
export async function* dumpDatabase(
  docker: DockerClient,
  id: string,
  call: DockerCall = {},
): AsyncGenerator<Buffer, void> {
  const long = { timeoutMilliseconds, ...call };
  const { container, connection } = await findPostgres(docker, id, call);
  yield* outputOf(docker, container, ['pg_dump', '--format=custom', ...connection], long);
}

/**
 * Restores a dump with the database's own pg_restore: all of it, or nothing. The content of the dump replaces existing
 * content; tables that it doesn't contain stay.
 * @param dump its content; bytes its length
 * @throws Error if it isn't a dump, if the database doesn't run there, or if pg_restore fails: then nothing was changed
 */
export async function restoreDump(
  docker: DockerClient,
  id: string,
  { dump, bytes }: { readonly dump: Readable; readonly bytes: number },
  call: DockerCall = {},
): Promise<void> {
  const long = { timeoutMilliseconds, ...call };
  const { container, connection } = await findPostgres(docker, id, call);
  const file = `infra-restore-${randomUUID()}`;
  try {
    await copyToDockerContainer(docker, container, '/tmp', Readable.from(fileInTar(file, bytes, dump)), long);
    await drained(
      outputOf(
        docker,
        container,
        [
          'pg_restore',
          '--clean',
          '--if-exists',
          '--no-owner',
          '--single-transaction',
          '--exit-on-error',
          ...connection,
          `/tmp/${file}`,
        ],
        long,
      ),
    );
  } finally {
    await drained(outputOf(docker, container, ['rm', '-f', `/tmp/${file}`], call));
  }
}

const drained = async (output: AsyncIterable<Buffer>): Promise<void> => {
  await buffer(output);
};

/** Whether a file starts like a dump. @param start its first bytes */
export const isDump = (start: Buffer): boolean => start.subarray(0, signature.length).toString('latin1') === signature;
