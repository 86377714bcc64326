import type { Condition } from '../../../src/contract/index.ts';
import { beginBuild, observeBuild } from '../../../src/platform/runtime/docker/builds/build.ts';
import { createBuildLog } from '../../../src/platform/runtime/docker/builds/build-log.ts';
import type { DockerContext } from '../../../src/platform/runtime/docker/docker-context.ts';
import { DockerError } from '../../../src/platform/runtime/docker/api/index.ts';
import { beginPull, observePull } from '../../../src/platform/runtime/docker/services/pull.ts';
import { conditionBehind, type Observation, type RuntimeCall, type Task } from '../../../src/platform/runtime/index.ts';
import { eventually } from '../../support/eventually.ts';
import { contextWith, fails, service, signal, silence } from './fake-swarm.ts';
import { type MadeCondition, read, shown } from './made-condition.ts';

const call = { inputs: async () => ({ variables: [] }), signal } as unknown as RuntimeCall;
const taskOf = (kind: string, spec: object) =>
  ({ deploymentId: 'd', beganAt: 0, service: { ...service, kind, spec } }) as unknown as Task;

/** What is told when a phase has failed. */
const toldAtEnd = (observe: () => Promise<Observation>): Promise<Condition | undefined> =>
  eventually(async () => {
    const { outcome, lines } = await observe();
    if (outcome !== 'failed') throw new Error(`It is ${outcome}.`);
    return lines.at(-1)!.condition;
  });

/** Why an image is not pulled whose registry, as the engine says, answers so. */
async function notPulled(answer: unknown): Promise<Condition | undefined> {
  const task = taskOf('container', { image_name: 'acme/web', tag: '1' });
  const context = await contextWith({ '/distribution': answer });
  await beginPull(context, task, call);
  return toldAtEnd(() => observePull(context, task, null, call));
}

const commit = { git_commit_id: '4f1c9d2ab04f1c9d2ab04f1c9d2ab04f1c9d2ab0', message: 'First' };
const repository = {
  fileAt: async () => 'FROM scratch\n',
  archive: async function* () {
    yield Buffer.alloc(1000);
  },
};

/** Why an image is not built from source that was fetched, by an engine that answers so. */
async function notBuilt(answers: Readonly<Record<string, unknown>>, builds: object): Promise<Condition | undefined> {
  const task = taskOf('application', {});
  const context = await contextWith(answers, {
    builds: { sourceBytes: 2 ** 20, buildMilliseconds: 60_000, ...builds },
  });
  const fetched = { repository, commit, root: '', dockerfile: 'Dockerfile' };
  const { work } = context;
  const afterFetch: DockerContext = {
    ...context,
    work: {
      ...work,
      progressOf: (key) =>
        key.startsWith('fetch/') ? { run: 'r', since: 0, lines: [], end: { result: fetched } } : work.progressOf(key),
    },
  };
  await beginBuild(afterFetch, task, call);
  return toldAtEnd(() => observeBuild(afterFetch, task, null, call));
}

/** What the log of a build means that ended so. @param line what it said last */
function endOfBuild(line: string | undefined, said: string, code?: number): Condition | undefined {
  const log = createBuildLog(() => undefined);
  if (line !== undefined) log.read({ stream: `${line}\n` });
  return conditionBehind(log.failure(new DockerError('failed', said, undefined, code === undefined ? {} : { code })));
}
const base = 'Step 1/3 : FROM acme/base:1';

/** Why images can't be had. */
export const ofImages: readonly MadeCondition[] = [
  read('IMAGE_NOT_FOUND', 'log', 'image_tag_not_found', () => notPulled(fails(404, 'no such manifest'))),
  read('PULL_DENIED', 'log', 'image_pull_denied', () => notPulled(fails(403, 'no'))),
  shown('IMAGE_NOT_PULLED', 'log', () => notPulled(fails(500, 'it is broken'))),
  shown('BASE_IMAGE_NOT_FOUND', 'log', () => endOfBuild(base, 'it does not exist')),
  shown('BASE_IMAGE_DENIED', 'log', () => endOfBuild(base, 'access denied')),
  shown('BASE_IMAGE_UNREACHABLE', 'log', () => endOfBuild(base, 'i/o timeout')),
  shown('BASE_IMAGE_UNUSABLE', 'log', () => endOfBuild(base, 'something else')),
  shown('DOCKERFILE_UNREADABLE', 'log', () => endOfBuild(undefined, 'the Dockerfile is empty')),
  shown('BUILD_NOT_BEGUN', 'log', () => endOfBuild(undefined, 'something else')),
  read('BUILD_STEP_FAILED', 'log', 'out_of_memory', () => endOfBuild('Step 2/3 : RUN make', 'it ended', 137), {
    confidence: 'medium',
  }),
  shown('SOURCE_TOO_LARGE', 'log', () => notBuilt({ '/build': silence }, { sourceBytes: 10 })),
  shown('BUILD_OVERDUE', 'log', () => notBuilt({ '/build': silence }, { buildMilliseconds: 20 })),
  shown('PUSH_FAILED', 'log', () =>
    notBuilt({ '/push': fails(500, 'no space left'), '/images': { Id: 'i' } }, { registry: 'registry.example.test' }),
  ),
];
