import { expect, test } from 'vitest';
import type { Task } from '../../../../src/platform/runtime/index.ts';
import type { DockerContext } from '../../../../src/platform/runtime/docker/docker-context.ts';
import type { DockerService, DockerTask } from '../../../../src/platform/runtime/docker/api/index.ts';
import { engineStart } from '../../../../src/platform/runtime/docker/engine-start.ts';
import { instanceFailure } from '../../../../src/platform/runtime/docker/services/instance-failure.ts';
import { rolloutFailure } from '../../../../src/platform/runtime/docker/services/rollout-failure.ts';
import { startFakeEngine } from './fake-engine.ts';

const { signal } = new AbortController();

/** A moment of the day on which all of this happens. */
const at = (time: string): string => (time.endsWith('Z') ? time : `2026-11-22T21:${time}Z`);
const firstStart = Date.parse(at('28:19.447'));
const secondStart = Date.parse(at('28:57.572'));
const engineStarts = [firstStart, secondStart];

/** An instance that ended, as engines tell it. */
const ended = (created: string, found: string, status: Partial<DockerTask['Status']> = {}): DockerTask =>
  ({
    NodeID: 'n1',
    CreatedAt: at(created),
    DesiredState: 'shutdown',
    Status: {
      State: 'failed',
      Timestamp: at(found),
      Err: 'task: non-zero exit (143)',
      ContainerStatus: { ContainerID: 'c1', ExitCode: 143 },
      ...status,
    },
  }) as unknown as DockerTask;

/** An instance that an engine refused. */
const refused = (found: string): DockerTask =>
  ended('28:58', found, {
    State: 'rejected',
    Err: 'cannot create a swarm scoped network when swarm is not active',
    ContainerStatus: {},
  });

/**
 * A context of an engine whose only container began at a moment.
 * @param bridge when its network was made; undefined if it has none
 * @param end how the container ended
 */
async function contextWith(
  began: string,
  bridge: string | undefined,
  end = { ExitCode: 143, OOMKilled: false },
): Promise<DockerContext> {
  const { docker } = await startFakeEngine((response, { url }) => {
    const isContainer = url.includes('/containers/');
    response.statusCode = isContainer || bridge !== undefined ? 200 : 404;
    response.end(
      JSON.stringify(
        isContainer
          ? { State: { StartedAt: at(began), ...end } }
          : { Created: bridge, message: 'network bridge not found' },
      ),
    );
  });
  return {
    docker,
    nodeEngines: { of: async () => docker },
    clock: { now: () => Date.parse(at('29:00')) },
  } as unknown as DockerContext;
}

/** Why an instance failed whose container began at a moment. */
const cause = async (began: string, instance: DockerTask): Promise<string> =>
  (await instanceFailure(await contextWith(began, at('28:57.572')), instance, signal)).message;

const service = {} as DockerService;
const task = {} as Task;

test('an engine was started when it made its first network; one without it does not tell', async () => {
  expect(await engineStart(await contextWith('28:00', at('28:57.572')), signal)).toBe(secondStart);
  expect(await engineStart(await contextWith('28:00', undefined), signal)).toBeUndefined();
});

test("instances that ended with the engine don't fail a rollout, each time that it was started; others do", async () => {
  const context = await contextWith('28:00', at('28:57.572'));
  const withEngine = [
    ended('28:00.462', '28:19.817'),
    ended('28:00.468', '28:19.815', { State: 'complete', Err: '' }),
    ended('28:20.053', '28:57.861'),
    ended('28:20.053', '28:57.858'),
  ];
  const failure = (mine: readonly DockerTask[], starts: readonly number[] = engineStarts) =>
    rolloutFailure(context, task, service, { mine, engineStarts: starts }, signal).then((why) => why?.message);
  expect(await failure(withEngine)).toBeUndefined();
  expect(await failure(withEngine, [secondStart])).toBeUndefined();
  expect(await failure(withEngine, [])).toMatch(/^4 instances of the new version failed/);
  const byItself = ended('28:20.053', '28:30.000');
  expect(await failure([...withEngine, byItself, byItself])).toBeUndefined();
  expect(await failure([...withEngine, byItself, byItself, byItself])).toMatch(
    /^3 instances of the new version failed/,
  );
});

test("an instance that a starting engine refuses doesn't fail a rollout, unless the engine goes on refusing", async () => {
  const context = await contextWith('28:00', at('28:57.572'));
  const failure = (mine: readonly DockerTask[]) =>
    rolloutFailure(context, task, service, { mine, engineStarts }, signal).then((why) => why?.message);
  expect(await failure(['28:58.1', '28:58.7', '28:59'].map(refused))).toBeUndefined();
  const inItsWay =
    'network sandbox join failed: subnet sandbox join failed for "10.0.2.0/24": vxlan interface creation failed for subnet "10.0.2.0/24": failed to set namespace on link "vx-001002-k3x1q": invalid argument';
  expect(
    await rolloutFailure(
      context,
      task,
      { UpdateStatus: { State: 'paused' } } as DockerService,
      { mine: [ended('28:58', '28:59', { Err: inItsWay, ContainerStatus: {} })], engineStarts },
      signal,
    ),
  ).toBeUndefined();
  expect(await failure(['40:00', '40:01', '40:02'].map(refused))).toMatch(/swarm is not active/);
});

test("the cause of an end is the engine's where the instance ran before its start", async () => {
  expect(await cause('28:21', ended('28:20', '28:57.861'))).toBe(
    'it ended because the engine did, which has been started again',
  );
  expect(await cause('28:58', ended('28:20', '28:59'))).toBe('it was ended by SIGTERM (exit code 143)');
  const neverBegan = '0001-01-01T00:00:00Z';
  expect(await cause(neverBegan, ended('28:20', '28:57.861', { Err: 'task: non-zero exit (128)' }))).toBe(
    'it ended because the engine did, which has been started again',
  );
  expect(await cause(neverBegan, ended('28:20', '28:57.861', { Err: 'starting container failed: no such file' }))).toBe(
    'it could not be started: starting container failed: no such file',
  );
  expect(await cause('28:21', ended('28:20', '28:30'))).toBe('it was ended by SIGTERM (exit code 143)');
});

test('the start of another engine has nothing to do with the end of an instance', async () => {
  const [asked, other] = [await contextWith('28:21', at('28:57.572')), await contextWith('28:21', at('20:00'))];
  const docker = { ...asked.docker, engines: [asked.docker, other.docker] };
  const context = { ...asked, docker, nodeEngines: { of: async () => other.docker } } as unknown as DockerContext;
  expect((await instanceFailure(context, ended('28:20', '28:57.861'), signal)).message).toBe(
    'it was ended by SIGTERM (exit code 143)',
  );
  expect((await instanceFailure(context, refused('28:58'), signal)).message).toMatch(
    /^it could not be started.*swarm is not active/,
  );
});

const endedWith = (Err: string, ExitCode: number): DockerTask =>
  ended('28:20', '28:57.861', { Err, ContainerStatus: { ContainerID: 'c1', ExitCode } });

test("of an instance on a node that nobody can ask, what can't be seen is said, with why", async () => {
  const context = {
    ...(await contextWith('28:00', at('28:57.572'))),
    nodeEngines: { of: async () => undefined },
    whyNoAgent: async () => 'the cluster has no agent',
  };
  const because = "because the engine of its node can't be asked: the cluster has no agent";
  expect((await instanceFailure(context, endedWith('task: non-zero exit (137)', 137), signal)).message).toBe(
    `it was ended by SIGKILL (exit code 137); whether it exceeded its memory can't be seen, ${because}`,
  );
  expect(
    (
      await instanceFailure(
        context,
        endedWith('task: non-zero exit (143): dockerexec: unhealthy container', 143),
        signal,
      )
    ).message,
  ).toBe(`its health check failed; what it said can't be seen, ${because}`);
  // What the exit code says needs no container.
  expect((await instanceFailure(context, endedWith('task: non-zero exit (3)', 3), signal)).message).toBe(
    'it ended with exit code 3',
  );
});

/** Why an instance was ended by force. @param OOMKilled whether its engine saw that it exceeded its memory */
const causeOfForce = async (OOMKilled: boolean): Promise<string> => {
  const context = await contextWith('28:58', at('28:57.572'), { ExitCode: 137, OOMKilled });
  return (await instanceFailure(context, endedWith('task: non-zero exit (137)', 137), signal)).message;
};

test('of an instance that was ended by force, it is said that it exceeded its memory: for certain where the engine saw it, else as what is likely', async () => {
  expect(await causeOfForce(true)).toBe('OOMKilled: it needed more memory than its limit');
  expect(await causeOfForce(false)).toBe(
    'it was ended by SIGKILL (exit code 137), probably because it needed more memory than its limit: its engine told no other reason',
  );
});
