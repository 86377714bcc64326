import { describe, expect, test } from 'vitest';
import { diagnose } from '../../src/analysis/diagnosis/diagnose.ts';
import { rules } from '../../src/analysis/diagnosis/rules/rules.ts';
import { type Condition, readCondition, type Reason, storedCondition } from '../../src/contract/index.ts';
import { conditionsOf } from '../../src/platform/engine/running-facts.ts';
import { observedStatusOf } from '../../src/platform/engine/observed-status.ts';
import { conditionBehind } from '../../src/platform/runtime/index.ts';
import type { DockerNode, DockerServiceSpec, DockerTask } from '../../src/platform/runtime/docker/api/index.ts';
import { GitError, gitFailure, parseGitAddress, type GitAddress } from '../../src/platform/runtime/docker/git/index.ts';
import { unschedulable } from '../../src/platform/runtime/docker/nodes/fitting-nodes.ts';
import { lostWithNodes, nodeCondition } from '../../src/platform/runtime/docker/nodes/lost-nodes.ts';
import { placementOf } from '../../src/platform/runtime/docker/nodes/placement.ts';
import { unbegun } from '../../src/platform/runtime/docker/nodes/unbegun-instances.ts';
import { changesByHand } from '../../src/platform/runtime/docker/observation/changed-by-hand.ts';
import { silence } from '../../src/platform/runtime/docker/observation/observer.ts';
import { healthProblem } from '../../src/platform/runtime/docker/services/probes.ts';
import { deploymentLabels } from '../../src/platform/runtime/docker/labels.ts';
import type { RunningVersion } from '../../src/platform/runtime/index.ts';
import { deployment, failedDeployment } from '../analysis/evidence.ts';
import { startFakeEngine } from './runtime/docker/fake-engine.ts';

const { signal } = new AbortController();
const since = Date.parse('2026-11-20T10:20:00Z');
const service = {
  id: '0f7e1a52-91c4-4c39-9a5e-5a0f2b9f8a11',
  name: 'web',
  environmentId: 'e',
  kind: 'container',
  spec: {},
};
const version = { deploymentId: 'd', service, runningSince: 0 } as unknown as RunningVersion;

const node = (id: string, state: string, more: object = {}) =>
  ({
    ID: id,
    UpdatedAt: '2026-11-20T10:20:00.5Z',
    Description: { Hostname: `node-${id}` },
    Spec: { Availability: 'active' },
    Status: { State: state },
    ...more,
  }) as unknown as DockerNode;
const instance = (more: object) =>
  ({
    ID: 'task1',
    Slot: 1,
    NodeID: 'b',
    DesiredState: 'running',
    Spec: { ContainerSpec: { Labels: deploymentLabels('p', version) } },
    Status: { State: 'running', Timestamp: '2026-11-20T10:19:00Z' },
    ...more,
  }) as unknown as DockerTask;
const waiting = (more: object = {}, said = 'no suitable node (insufficient resources on 2 nodes)') =>
  instance({ NodeID: undefined, Status: { State: 'pending', Timestamp: '2026-11-20T10:19:00Z', Err: said }, ...more });
const bound = { Spec: { ContainerSpec: {}, ...placementOf({ boundTo: 'b' }) } };

/** An engine that has these nodes. */
const withNodes = async (...nodes: readonly DockerNode[]) => {
  const { docker } = await startFakeEngine((response) => response.end(JSON.stringify(nodes)));
  return { docker, clock: { now: () => since + 120_000 } };
};

const address = parseGitAddress('https://git.example.test/acme/shop.git') as GitAddress;
const git = (...said: readonly string[]) =>
  conditionBehind(gitFailure(new GitError(said), { address, branch: 'main', commitId: '4f1c9d2ab0' }));
const spec = (image: string, replicas = 1) =>
  ({
    TaskTemplate: { ContainerSpec: { Image: image } },
    Mode: { Replicated: { Replicas: replicas } },
  }) as unknown as DockerServiceSpec;
const health = (code: number, said: string) =>
  healthProblem({ Status: 'starting', FailingStreak: 1, Log: [{ Start: '', End: '', ExitCode: code, Output: said }] })
    ?.condition;
const lost = async (...constraints: readonly string[]) => {
  const task = instance({
    DesiredState: 'shutdown',
    Spec: { ContainerSpec: { Labels: deploymentLabels('p', version) }, Placement: { Constraints: constraints } },
  });
  const ends = await lostWithNodes(await withNodes(node('b', 'down')), version, [task], [], signal);
  return observedStatusOf(undefined, 'd', { serviceId: 's', wanted: 1, running: 0, ends, changes: [] })!.lines[0]!
    .condition;
};

/** What somebody sees of a service: a line of its log, or what its status says of what runs. */
type Place = 'log' | 'status';
type Row = readonly [
  reason: Reason,
  place: Place,
  code: string,
  produce: () => Promise<Condition | undefined> | Condition | undefined,
];

const rows: readonly Row[] = [
  ['CHANGED_EXTERNALLY', 'status', 'changed_outside', () => changesByHand(spec('web:1', 2), 2, spec('web:2', 2))[0]],
  ['CHANGED_EXTERNALLY', 'log', 'changed_outside', () => changesByHand(spec('web:1', 2), 2, spec('web:1', 0))[0]],
  [
    'CLUSTER_UNREACHABLE',
    'status',
    'cluster_unreachable',
    () =>
      conditionsOf({ restarts: 0, changes: [], unreachable: { since, reason: 'GET /services: nothing listens' } })[0],
  ],
  [
    'NODE_UNREACHABLE',
    'status',
    'node_unreachable',
    () => silence(version.service, [instance({})], new Map([['b', { name: 'node-b', since }]])),
  ],
  [
    'WAITING_FOR_NODE',
    'status',
    'node_lost',
    async () => nodeCondition(await withNodes(node('b', 'down')), [waiting(bound)], signal),
  ],
  [
    'NODE_LOST',
    'status',
    'node_lost',
    async () => nodeCondition(await withNodes(node('b', 'down')), [instance({ DesiredState: 'shutdown' })], signal),
  ],
  [
    'NODE_GONE',
    'status',
    'storage_node_gone',
    async () => nodeCondition(await withNodes(node('a', 'ready')), [waiting(bound)], signal),
  ],
  ['INSTANCE_LOST', 'log', 'node_lost', () => lost()],
  ['INSTANCE_LOST', 'log', 'node_lost', () => lost('node.id==b')],
  [
    'INSUFFICIENT_RESOURCES',
    'status',
    'insufficient_resources',
    async () => unschedulable(await withNodes(node('a', 'ready')), 'an instance', [waiting()], signal),
  ],
  [
    'NODES_CLOSED',
    'log',
    'insufficient_resources',
    async () =>
      unschedulable(
        await withNodes(node('a', 'ready', { Spec: { Availability: 'drain' } })),
        'an instance',
        [waiting({}, 'no suitable node (1 node not available for new tasks)')],
        signal,
      ),
  ],
  [
    'NO_MATCHING_NODE',
    'log',
    'no_fitting_node',
    async () =>
      unschedulable(
        await withNodes(node('a', 'ready')),
        'an instance',
        [waiting({ Spec: placementOf({ constraints: ['node.labels.disk==ssd'] }) })],
        signal,
      ),
  ],
  [
    'INSTANCE_NOT_BEGUN',
    'log',
    'instance_not_begun',
    async () =>
      unbegun(
        await withNodes(node('a', 'ready'), node('b', 'ready')),
        'An instance',
        [instance({ Status: { State: 'accepted', Timestamp: '2026-11-20T10:20:00Z' } })],
        0,
        signal,
      ),
  ],
  [
    'PROBE_FAILED',
    'log',
    'readiness_probe_failing',
    () => health(1, 'not ready: port 80: status 503, 3 times in a row'),
  ],
  ['PROBE_FAILED', 'log', 'liveness_probe_failing', () => health(1, 'not alive: exit code 3')],
  ['GIT_UNREACHABLE', 'log', 'git_unreachable', () => git('fatal: unable to access: Connection refused')],
  ['GIT_SERVER_FAILED', 'log', 'git_unreachable', () => git('fatal: The requested URL returned error: 502')],
  ['GIT_CONNECTION_BROKEN', 'log', 'git_unreachable', () => git('fatal: early EOF')],
  ['GIT_ACCESS_DENIED', 'log', 'git_clone_denied', () => git('remote: Authentication failed')],
  [
    'GIT_CREDENTIALS_MISSING',
    'log',
    'git_clone_denied',
    () => git('fatal: could not read Username: terminal prompts disabled'),
  ],
  ['REPOSITORY_NOT_FOUND', 'log', 'git_clone_denied', () => git('remote: Repository not found.')],
  ['GIT_HOST_UNKNOWN', 'log', 'git_clone_denied', () => git('Host key verification failed.')],
  ['GIT_HOST_CHANGED', 'log', 'git_clone_denied', () => git('REMOTE HOST IDENTIFICATION HAS CHANGED')],
  ['GIT_KEY_UNUSABLE', 'log', 'git_clone_denied', () => git('UNPROTECTED PRIVATE KEY FILE')],
  ['BRANCH_NOT_FOUND', 'log', 'git_branch_not_found', () => git("fatal: couldn't find remote ref refs/heads/main")],
  ['COMMIT_NOT_FOUND', 'log', 'git_branch_not_found', () => git('upload-pack: not our ref')],
];

/** The diagnosis of a service of which this is known. @param told as it was sent or stored */
const diagnosed = (place: Place, told: Condition, code: string) =>
  place === 'log'
    ? diagnose(failedDeployment({ state: code.startsWith('git') ? 'BUILD_ERROR' : 'DEPLOYMENT_ERROR', lines: [told] }))
    : diagnose({
        ...failedDeployment(),
        history: [
          deployment({
            id: 'good',
            minute: 10,
            status: 'DEPLOYED',
            status_details: { action: 'DEPLOY', status: 'SUCCESS' },
          }),
        ],
        status: {
          deployment_request_id: 'good',
          state: 'UNAVAILABLE',
          running: { warnings: [told.message], conditions: [told] },
        },
      });

describe('a condition is read by its reason and its data', () => {
  test.each(rows)('%s, in the %s: %s', async (reason, place, code, produce) => {
    const produced = await produce();
    const stored = readCondition(storedCondition(produced!));
    expect(stored).toEqual(produced);
    expect(stored.reason).toBe(reason);
    const { cause, next } = diagnosed(place, stored, code);
    expect([cause.code, cause.confidence]).toEqual([code, 'high']);
    // Whatever its sentence is.
    const reworded = diagnosed(place, { ...stored, message: 'x' }, code);
    expect([reworded.cause, reworded.next]).toEqual([cause, next]);
  });

  test('those that rules read and that are not made here by what makes them', () => {
    const read = new Set(rules.flatMap(({ conditions = [] }) => conditions.map(({ reason }) => reason)));
    const made = new Set(rows.map(([reason]) => reason));
    expect([...read].filter((reason) => !made.has(reason)).toSorted()).toEqual([
      'BUILD_STEP_FAILED',
      'COMMIT_NOT_AMONG_NEWEST',
      'COMMIT_NOT_IN_HISTORY',
      'DOCKERFILE_NOT_FOUND',
      'EXITED',
      'FOLDER_NOT_FOUND',
      'GIT_HOST_NOT_ALLOWED',
      'HISTORY_TOO_LARGE',
      'IMAGE_NOT_FOUND',
      'INSTANCES_FAILED',
      'LOST_WITH_NODE',
      'OUT_OF_MEMORY',
      'PROBE_AT_WRONG_PORT',
      'PROGRAM_NOT_STARTED',
      'PULL_DENIED',
      'REMOVED_EXTERNALLY',
      'RUN_FAILED',
      'STORAGE_NOT_FOUND',
      'TIME_LIMIT_EXCEEDED',
    ]);
  });
});
