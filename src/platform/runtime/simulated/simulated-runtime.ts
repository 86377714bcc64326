import type { StepName } from '../../../contract/resources/deployment.ts';
import type { Clock } from '../../clock.ts';
import { secondsBetween } from '../../engine/context.ts';
import { seededRandom } from '../../random.ts';
import { buildPod } from '../pods.ts';
import type { Line, Observation, Runtime, Task } from '../runtime.ts';
import { buildScript, cloneScript, mirrorScript } from './build.ts';
import { rolloutFault } from './checks.ts';
import { findCommit } from './commits.ts';
import { databaseScript } from './database.ts';
import { helmScript } from './helm.ts';
import { instanceName } from './instances.ts';
import { jobScript } from './job.ts';
import { fromCursor, type Memory, toCursor } from './memory.ts';
import { restartScript, rolloutScript, routerScript, stopScript } from './rollout.ts';
import type { Scene, Script } from './script.ts';
import { goodScript, patient } from './good-script.ts';
import { terraformScript } from './terraform.ts';
import { trafficOf } from './traffic.ts';
import { findTrouble } from './trouble.ts';
import { troubleScript } from './trouble-script.ts';
import { versionOf } from './version.ts';
import type { Nature } from './world.ts';

/** Makes a phase go otherwise than it would by itself; undefined leaves it alone. */
export type Fault = (scene: Scene) => Script | undefined;

export interface SimulationOptions {
  readonly clock: Clock;
  /** Multiplies how long things take. */
  readonly timeScale: number;
  /** How far apart the bundles are in which lines come, in milliseconds; default a second. Infinity: with the end of each phase. */
  readonly linesEvery?: number;
  /** What is known of the world around services; without it, only a service's own configuration can be wrong. */
  readonly nature?: Nature;
  /** What is made to go wrong beside what the configuration itself gets wrong. */
  readonly faults?: Fault;
}

const rollouts: Partial<Record<Task['service']['kind'], (scene: Scene) => Script>> = { database: databaseScript, helm: helmScript };
const executions: Partial<Record<Task['service']['kind'], (scene: Scene) => Script>> = { job: jobScript, terraform: terraformScript };

const deploymentScript = (scene: Scene): Script => (rollouts[scene.task.service.kind] ?? ((each) => rolloutFault(each) ?? rolloutScript(each)))(scene);
const silence = ({ seconds }: Scene): Script => ({ seconds, lines: [] });

const scripts: Readonly<Record<StepName, (scene: Scene) => Script>> = {
  REGISTRY_CREATE_REPOSITORY: silence,
  GIT_CLONE: cloneScript,
  BUILD: buildScript,
  MIRROR_IMAGE: mirrorScript,
  DEPLOYMENT_QUEUEING: silence,
  DEPLOYMENT: deploymentScript,
  ROUTER_DEPLOYMENT: routerScript,
  EXECUTING: (scene) => (executions[scene.task.service.kind] ?? silence)(scene),
  RESTART: (scene) => rolloutFault(scene) ?? restartScript(scene),
  STOP: stopScript,
};

const sceneOf = async (task: Task, nature: Nature | undefined): Promise<Scene> => {
  const { service, phase, deploymentId } = task;
  const seed = `${deploymentId}/${service.id}/${phase.step}`;
  const commit = await findCommit(service, task.commitId, task.beganAt, nature);
  const version = versionOf(service, commit?.git_commit_id);
  const scene = {
    task,
    random: seededRandom(seed),
    pod: phase.work === 'prepare' ? buildPod(deploymentId) : instanceName(service, version, deploymentId),
    version,
    ...(commit && { commit }),
    seconds: secondsBetween(phase.takes, seed),
  };
  return nature ? patient(scene, nature.world) : scene;
};

/** Lines spread over the time a script takes, each at its moment. */
const timed = ({ pod, version, task }: Scene, script: Script, milliseconds: number): Line[] =>
  script.lines.map((message, index) => ({
    at: Math.round(task.beganAt + (milliseconds * (index + 1)) / (script.lines.length + 1)), message, pod, version,
  }));

/** How a task fares at a moment. */
const observe = (scene: Scene, script: Script, { said, trouble }: Memory, { clock, timeScale, linesEvery = 1000 }: SimulationOptions): Observation => {
  const now = clock.now();
  const milliseconds = script.seconds * 1000 * timeScale;
  const endsAt = scene.task.beganAt + milliseconds;
  const all = timed(scene, script, milliseconds);
  const ended = now >= endsAt;
  const until = ended ? all.length : all.filter((line) => line.at <= now).length;
  const seen = { lines: all.slice(said, until), cursor: toCursor({ said: Math.max(said, until), ...(trouble && { trouble }) }), ...(scene.commit && { commit: scene.commit }) };
  if (!ended) return { ...seen, outcome: 'ongoing', lookAgainAt: Math.ceil(Math.min(endsAt, Math.max(all[until]?.at ?? endsAt, now + linesEvery))) };
  return script.failure === undefined ? { ...seen, outcome: 'succeeded' } : { ...seen, outcome: 'failed', reason: script.failure };
};

const nothing = async (): Promise<void> => undefined;

/** What stands in the way is looked for once, when a phase begins: what changes around it later is for the next. */
const recall = async (scene: Scene, cursor: string | null, nature: Nature | undefined): Promise<Memory> => {
  const memory = fromCursor(cursor);
  if (memory) return memory;
  const trouble = nature && (await findTrouble(scene, nature));
  return { said: 0, ...(trouble && { trouble }) };
};

/**
 * A runtime that runs nothing. It tells what a real one would, from the service's configuration, the deployment's id and
 * what is around the service when a phase begins: reading on after a crash needs nothing but the cursor.
 */
export function createSimulatedRuntime(options: SimulationOptions): Runtime {
  const { clock, faults, nature } = options;
  return {
    prepare: nothing,
    start: nothing,
    stop: nothing,
    observe: async (task, cursor) => {
      const scene = await sceneOf(task, nature);
      const memory = await recall(scene, cursor, nature);
      const natural = nature && (memory.trouble ? troubleScript(scene, memory.trouble, nature.world) : goodScript(scene, nature.world));
      const script = faults?.(scene) ?? natural ?? scripts[task.phase.step](scene);
      return observe(scene, script, memory, options);
    },
    logs: async (version, limit) => trafficOf(version, clock.now(), limit),
  };
}
