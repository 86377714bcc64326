import { type Condition, condition } from '../../../src/contract/index.ts';
import { observedStatusOf } from '../../../src/platform/engine/observed-status.ts';
import { conditionBehind, type RunningService, type RunningVersion } from '../../../src/platform/runtime/index.ts';
import { createBackgroundWork, type DockerContext } from '../../../src/platform/runtime/docker/docker-context.ts';
import type { DockerNode, DockerTask } from '../../../src/platform/runtime/docker/api/index.ts';
import { deploymentLabels, engineTaskLabel } from '../../../src/platform/runtime/docker/labels.ts';
import { rejectionOf, startFakeEngine } from '../runtime/docker/fake-engine.ts';

export const { signal } = new AbortController();
export const since = Date.parse('2026-11-20T10:20:00Z');
/** Two minutes later. */
export const now = since + 120_000;

export const service = {
  id: '0f7e1a52-91c4-4c39-9a5e-5a0f2b9f8a11',
  name: 'web',
  environmentId: '52a1b1f0-1f0e-4d3c-8f0e-1d2f3a4b5c6d',
  kind: 'container',
  spec: {},
};
export const version = { deploymentId: 'd', service, runningSince: 0 } as unknown as RunningVersion;

/** The labels of what the version runs as. */
export const labels = deploymentLabels('p', version);

/** A node. @param id its name is made from that */
export const node = (id: string, state: string, more: object = {}): DockerNode =>
  ({
    ID: id,
    UpdatedAt: '2026-11-20T10:20:00.5Z',
    Description: { Hostname: `node-${id}`, Platform: { Architecture: 'x86_64' }, Resources: { MemoryBytes: 2 ** 30 } },
    Spec: { Availability: 'active' },
    Status: { State: state },
    ...more,
  }) as unknown as DockerNode;

/** An instance of the version, on the node b. */
export const instance = (more: object = {}): DockerTask =>
  ({
    ID: 'task1',
    Slot: 1,
    NodeID: 'b',
    CreatedAt: '2026-11-20T10:18:00Z',
    DesiredState: 'running',
    Spec: { ContainerSpec: { Image: 'registry.example.test/web:1', Labels: labels } },
    Status: { State: 'running', Timestamp: '2026-11-20T10:19:00Z' },
    ...more,
  }) as unknown as DockerTask;

/** An instance that has ended. @param said by the engine */
export const ended = (state: string, said = '', more: object = {}): DockerTask =>
  instance({
    DesiredState: 'shutdown',
    Status: { State: state, Timestamp: '2026-11-20T10:19:00Z', Err: said, ContainerStatus: { ContainerID: 'c1' } },
    ...more,
  });

/** An instance that no node takes. @param said by the engine */
export const waiting = (more: object = {}, said = 'no suitable node (insufficient resources on 2 nodes)'): DockerTask =>
  instance({ NodeID: undefined, Status: { State: 'pending', Timestamp: '2026-11-20T10:19:00Z', Err: said }, ...more });

/** A request that the engine doesn't carry out. */
export const fails = (status: number, message: string): { readonly status: number; readonly message: string } => ({
  status,
  message,
});

/** A request that the engine never answers. */
export const silence = Symbol('no answer');

const isFailure = (answer: unknown): answer is ReturnType<typeof fails> =>
  typeof answer === 'object' && answer !== null && 'status' in answer;

/**
 * What a runtime works with on an engine that answers so.
 * @param answers by parts of paths, such as `/nodes`; the first counts, and what isn't there is not found
 */
export async function contextWith(
  answers: Readonly<Record<string, unknown>>,
  more: object = {},
): Promise<DockerContext> {
  const { docker } = await startFakeEngine((response, { url }) => {
    const path = url.replace(/^\/v[\d.]+/, '');
    const found = Object.entries(answers).find(([part]) => path.includes(part));
    const answer = found ? found[1] : fails(404, 'not found');
    if (answer === silence) return;
    if (isFailure(answer)) response.statusCode = answer.status;
    response.end(Buffer.isBuffer(answer) ? answer : JSON.stringify(answer));
  });
  const clock = { now: () => now };
  return {
    docker,
    clock,
    platformId: 'p',
    builds: { git: {}, sourceBytes: 2 ** 20, buildMilliseconds: 60_000 },
    work: createBackgroundWork(clock),
    credentialsFor: () => undefined,
    nodeEngines: { of: async () => docker },
    whyNoAgent: async () => undefined,
    leftLinks: { removeFor: async () => undefined },
    ...more,
  } as unknown as DockerContext;
}

/** The same on one that has these nodes. */
export const withNodes = (...nodes: readonly DockerNode[]): Promise<DockerContext> => contextWith({ '/nodes': nodes });

/** What a rejection says as data. */
export const conditionOf = async (promise: Promise<unknown>): Promise<Condition | undefined> =>
  conditionBehind(await rejectionOf(promise));

/** A look at a service, of which one instance should run and none does. */
export const looked: RunningService = { serviceId: 's', wanted: 1, running: 0, ends: [], changes: [] };

/** What the log of a service tells of the end of an instance. */
export const toldEnd = (why: Condition, more: object = {}): Condition | undefined =>
  observedStatusOf(undefined, 'd', {
    ...looked,
    ends: [{ id: 'e', pod: 'web-1', at: since, why, lines: [], ...more }],
  })!.lines[0]!.condition;

/** The program of an instance, ended with a code. */
export const exited = (code: number): Condition => condition('EXITED', { code });

/** A line that an instance logged, as engines send it. */
export function frame(text: string): Buffer {
  const line = Buffer.from(`2026-11-20T10:20:00.000000001Z ${engineTaskLabel}=task1 ${text}\n`);
  const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(line.length, 4);
  return Buffer.concat([header, line]);
}
