import { clusterLog, event, times } from './events.ts';
import { conclusion, podOf, rollingOut } from './failures.ts';
import { between, colored, digest, type Scene, type Script, slug } from './script.ts';
import { voices } from './voices.ts';
import type { Program } from './world.ts';

const starts = 4;

/** An address inside the cluster, the same for the same name. */
export const clusterAddress = (name: string): string => {
  const number = Number.parseInt(digest(name, 6), 16);
  return `10.43.${number % 250}.${(number >> 8) % 250}`;
};

/** Lines that other parts of the cluster put into the log of every rollout. */
const chatter = ({ task }: Scene): string[] => [
  clusterLog('I', task.beganAt + 1482, 'reflector.go:376', 'Caches populated for *v1.ConfigMap from k8s.io/client-go/informers/factory.go:160'),
  clusterLog('W', task.beganAt + 2019, 'warnings.go:70', 'spec.template.spec.containers[0].env[6]: hides previous definition of "TZ", which may be dropped when using apply'),
];

/** What a crash is: what is said before the end, and how the end is reported. */
interface Crash {
  /** Asked for every time it ends. */
  readonly lastWords: () => readonly string[];
  readonly exitCode: number;
  readonly reason: 'Error' | 'OOMKilled';
}

/** Instances that start, end, and are started again with longer and longer pauses, until the rollout is given up. */
export function crashLoop(scene: Scene, program: Program, { lastWords, exitCode, reason }: Crash): Script {
  const pod = podOf(scene);
  const name = slug(scene.task.service.name);
  const boot = voices[program.language].boot(scene);
  const rounds = Array.from({ length: starts }, (_, index) => index + 1).flatMap((count) => [
    ...(count === 1 ? [] : [event('Normal', 'Started', times(count, 1, count * 12), 'kubelet', `Started container ${name}`)]),
    ...boot,
    ...lastWords(),
    `Last State:     Terminated\n  Reason:       ${reason}\n  Exit Code:    ${exitCode}\n  Restart Count:  ${count - 1}`,
    event('Warning', 'BackOff', times(count * 2, 0, count * 13), 'kubelet', `Back-off restarting failed container ${name} in pod ${pod}_${digest(scene.task.service.environmentId, 8)}`),
  ]);
  const failure = `${pod} keeps ending with exit code ${exitCode} (CrashLoopBackOff)`;
  return { seconds: between(scene.random, 48, 70), lines: [...rollingOut(scene), ...chatter(scene), ...rounds, ...conclusion(failure)], failure };
}

const crashed = (lastWords: readonly string[]): Crash => ({ lastWords: () => lastWords, exitCode: 1, reason: 'Error' });

/** A program that ends because variables it needs are not there. */
export const withoutVariables = (scene: Scene, program: Program, names: readonly string[]): Script =>
  crashLoop(scene, program, crashed(voices[program.language].variableMissing(names)));

/** A program that ends because a host it was told of is not there. */
export const withoutHost = (scene: Scene, program: Program, host: string): Script =>
  crashLoop(scene, program, crashed(voices[program.language].hostUnknown(host)));

/** A program that ends because nobody answers at its database's address. */
export const withoutDatabase = (scene: Scene, program: Program, host: string, port: number): Script =>
  crashLoop(scene, program, crashed(voices[program.language].databaseDown(host, clusterAddress(`${scene.task.service.environmentId}/${host}`), port)));

/** A program that ends because its database has not been migrated. */
export const withoutSchema = (scene: Scene, program: Program, has: string, needs: string): Script =>
  crashLoop(scene, program, crashed(voices[program.language].schemaBehind(has, needs)));

/** A program that is killed for using more memory than it may. */
export function withoutMemory(scene: Scene, program: Program): Script {
  const { service } = scene.task;
  const limit = service.kind === 'application' || service.kind === 'container' ? service.spec.memory : 0;
  return crashLoop(scene, program, {
    lastWords: () => [
      ...voices[program.language].memoryShort(limit, scene.random),
      `[${between(scene.random, 70_000, 99_000)}.${between(scene.random, 100_000, 999_999)}] Memory cgroup out of memory: Killed process ${between(scene.random, 8_000, 32_000)} (${program.language}) total-vm:${program.memory! * 3 * 1024}kB, anon-rss:${limit * 1024 - 2_312}kB, file-rss:0kB, oom_score_adj:${between(scene.random, 940, 999)}`,
    ],
    exitCode: 137, reason: 'OOMKilled',
  });
}

/** Pods that are evicted from nodes whose disk is full. */
export function evicted(scene: Scene): Script {
  const pod = podOf(scene);
  const nodes = [1, 4, 2].map((node) => `node-${node}`);
  const rounds = nodes.flatMap((node, index) => [
    event('Normal', 'Scheduled', '0s', 'default-scheduler', `Successfully assigned ${pod} to ${node}`),
    event('Warning', 'Evicted', '0s', 'kubelet', `The node was low on resource: ephemeral-storage. Threshold quantity: 10%, available: ${6 - index}%. Container ${slug(scene.task.service.name)} was using 84Ki, request is 0, has larger consumption of ephemeral-storage.`),
    event('Warning', 'FreeDiskSpaceFailed', '3s', 'kubelet', `Failed to garbage collect required amount of images. Attempted to free ${between(scene.random, 4, 9)}81231872 bytes, but only found 0 bytes eligible to free.`),
  ]);
  const failure = `${pod} could not be placed`;
  return {
    seconds: between(scene.random, 80, 110),
    lines: [
      `Rolling out ${slug(scene.task.service.name)}:${scene.version}`,
      ...chatter(scene),
      ...rounds,
      event('Warning', 'FailedScheduling', times(6, 2, 74), 'default-scheduler', '0/6 nodes are available: 6 node(s) had untolerated taint {node.kubernetes.io/disk-pressure: }. preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling.'),
      'Conditions:\n  Type             Status  Reason\n  MemoryPressure   False   KubeletHasSufficientMemory\n  DiskPressure     True    KubeletHasDiskPressure\n  PIDPressure      False   KubeletHasSufficientPID\n  Ready            True    KubeletReady',
      colored.yellow('warning: rollout has not progressed for 60s'),
      ...conclusion(failure),
    ],
    failure,
  };
}
