import type { Condition } from '../../../src/contract/index.ts';
import { conditionsOf } from '../../../src/platform/engine/running-facts.ts';
import { observedStatusOf } from '../../../src/platform/engine/observed-status.ts';
import type { DockerServiceSpec, DockerTask } from '../../../src/platform/runtime/docker/api/index.ts';
import { runRulesOf } from '../../../src/platform/runtime/docker/jobs/run-rules.ts';
import { changesByHand } from '../../../src/platform/runtime/docker/observation/changed-by-hand.ts';
import { createObserver } from '../../../src/platform/runtime/docker/observation/observer.ts';
import { instanceFailure, unreadiness } from '../../../src/platform/runtime/docker/services/instance-failure.ts';
import { healthProblem } from '../../../src/platform/runtime/docker/services/probes.ts';
import type { Task } from '../../../src/platform/runtime/index.ts';
import { simulateConfigurationFailure } from '../../../src/platform/runtime/simulated/rollout-failures.ts';
import { systemRandom } from '../../../src/platform/common/index.ts';
import {
  contextWith,
  ended,
  exited,
  fails,
  instance,
  looked,
  node,
  service,
  signal,
  since,
  toldEnd,
  version,
} from './fake-swarm.ts';
import { type MadeCondition, read, shown } from './made-condition.ts';

const twoNodes = [node('a', 'ready'), node('b', 'ready')];

/** What the log tells of an instance that ended so, by the state of its container, on an engine that started then. */
const failure = async (task: DockerTask, state: object = {}, engineStart?: string) =>
  toldEnd(
    await instanceFailure(
      await contextWith({
        '/nodes': twoNodes,
        '/containers/c1/json': { State: state },
        ...(engineStart !== undefined && { '/networks/bridge': { Created: engineStart } }),
        '/networks/n1': { Id: '0123456789', Options: { 'com.docker.network.driver.overlay.vxlanid_list': '4097' } },
        '/distribution': fails(404, 'no such manifest'),
      }),
      task,
      signal,
    ),
  );

/** What a health check says of an instance. */
const health = (code: number, said: string): Condition | undefined =>
  healthProblem({ Status: 'starting', FailingStreak: 1, Log: [{ Start: '', End: '', ExitCode: code, Output: said }] })
    ?.condition;

const spec = (image: string, replicas = 1) =>
  ({
    TaskTemplate: { ContainerSpec: { Image: image } },
    Mode: { Replicated: { Replicas: replicas } },
  }) as unknown as DockerServiceSpec;

const changed = changesByHand(spec('web:1'), 1, spec('web:2'));
const seenOnce = observedStatusOf(undefined, 'd', { ...looked, changes: changed })!.row;

const terraform = { service: { kind: 'terraform', spec: { timeout_sec: 60 } } } as unknown as Task;
const probe = { type: { tcp: { port: 8080 } }, failure_threshold: 3, period_seconds: 10, initial_delay_seconds: 5 };

/** Why instances fail, and what is told of those that should run. */
export const ofInstances: readonly MadeCondition[] = [
  read('OUT_OF_MEMORY', 'log', 'out_of_memory', () => failure(ended('failed'), { OOMKilled: true })),
  read('EXITED', 'log', 'app_crashed', () => failure(ended('failed'), { ExitCode: 3 }), { confidence: 'low' }),
  read('EXITED', 'log', 'out_of_memory', () => failure(ended('failed'), { ExitCode: 137 }), { confidence: 'medium' }),
  shown('START_FAILED', 'log', () => failure(ended('rejected', 'invalid mount config'))),
  shown('PULL_FAILED', 'log', () => failure(ended('rejected', 'No such image: web:1'))),
  shown('ENGINE_JUST_STARTED', 'log', () =>
    failure(ended('rejected', 'swarm is not active'), {}, '2026-11-20T10:18:50Z'),
  ),
  shown('ENDED_WITH_ENGINE', 'log', () =>
    failure(ended('failed'), { StartedAt: '2026-11-20T10:18:00Z', ExitCode: 255 }, '2026-11-20T10:18:50Z'),
  ),
  shown('UNHEALTHY', 'log', () => failure(ended('failed', 'unhealthy container'))),
  read('ENDED_BY_ENGINE', 'log', 'liveness_probe_failing', () =>
    failure(ended('failed', 'unhealthy container'), {
      Health: { Log: [{ ExitCode: 1, Output: 'not alive: exit code 3' }] },
    }),
  ),
  shown('NOT_JOINED_TO_NETWORK', 'log', () =>
    failure(
      ended('rejected', 'network sandbox join failed: error creating vxlan interface: file exists', {
        Spec: { Networks: [{ Target: 'n1' }] },
      }),
    ),
  ),
  shown('ENDED', 'log', () => failure(ended('orphaned', 'the node is away'))),
  shown('TERRAFORM_STOPPED', 'log', () => runRulesOf(terraform).cause(exited(82))),
  read('PROBE_FAILED', 'log', 'readiness_probe_failing', () =>
    health(1, 'not ready: port 80: status 503, 3 times in a row'),
  ),
  read('PROBE_FAILED', 'log', 'liveness_probe_failing', () => health(1, 'not alive: exit code 3')),
  shown('HEALTH_CHECK_FAILED', 'log', () => health(1, 'it does not answer')),
  shown('HEALTH_UNKNOWN', 'log', async () => unreadiness(await contextWith({}), instance(), signal)),
  read('PROBE_AT_WRONG_PORT', 'log', 'wrong_port', () => {
    const wrong = { memory: 512, min_running_instances: 1, ports: [{ internal_port: 80 }] };
    const task = { service: { ...service, spec: { ...wrong, healthchecks: { readiness_probe: probe } } } };
    return simulateConfigurationFailure({
      task: { deploymentId: 'd', ...task } as unknown as Task,
      random: systemRandom,
      pod: 'web',
      version: '1',
      seconds: 1,
    })!.condition;
  }),
  read('INSTANCE_FAILED', 'log', 'app_crashed', () => toldEnd(exited(3)), { confidence: 'low' }),
  shown(
    'INSTANCES_MISSING',
    'status',
    () => conditionsOf({ seen: { wanted: 2, running: 1 }, restarts: 0, changes: [] })[0],
  ),
  shown(
    'CRASHED',
    'status',
    () => conditionsOf({ restarts: 2, changes: [], lastEnd: { at: since, why: exited(3) } })[0],
  ),
  shown('UNAVAILABLE', 'log', () => observedStatusOf(undefined, 'd', looked)!.told[0]),
  shown(
    'AVAILABLE',
    'log',
    () => observedStatusOf(seenOnce, 'd', { ...looked, running: 1, changes: changed })!.told[0],
  ),
  read('CHANGED_EXTERNALLY', 'status', 'changed_outside', () => changed[0]),
  read('CHANGED_EXTERNALLY', 'log', 'changed_outside', () => changesByHand(spec('web:1', 2), 2, spec('web:1', 0))[0]),
  read('REMOVED_EXTERNALLY', 'status', 'changed_outside', async () => {
    const record = JSON.stringify({ image: 'web:1', entrypoint: [], command: [], spec: spec('web:1') });
    const found = await createObserver(await contextWith({ '/': [] }))([{ ...version, record }], signal);
    return found[0]!.changes[0];
  }),
  shown('CHANGES_UNDONE', 'log', () => observedStatusOf(seenOnce, 'd', looked)!.told[0]),
];
