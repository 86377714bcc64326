import { failingBuild, unknownCommit } from './build-failures.ts';
import { branchOf } from './commits.ts';
import { evicted, withoutDatabase, withoutHost, withoutMemory, withoutSchema, withoutVariables } from './crashes.ts';
import { chartTooSlow, chartUnknown, stateLocked, tableLocked } from './held-up.ts';
import { answeredWith, askedElsewhere, warmingUp } from './probe-failures.ts';
import { unmirroredScript, unpulledScript } from './pull-failures.ts';
import type { Scene, Script } from './script.ts';
import { chartOf, commitFactsOf, programOf, readinessOf, releaseOf } from './known.ts';
import type { Trouble } from './trouble.ts';
import type { World } from './world.ts';

type Scripts = { readonly [Kind in Trouble['kind']]: (scene: Scene, trouble: Extract<Trouble, { kind: Kind }>, world: World) => Script };

const unpulled = (scene: Scene, trouble: Extract<Trouble, { reference: string }>): Script =>
  (scene.task.phase.step === 'MIRROR_IMAGE' ? unmirroredScript : unpulledScript)(scene, trouble);

// The facts are there: without them there would be no trouble.
const scripts: Scripts = {
  'commit-unknown': (scene, { commit }) => unknownCommit(scene, commit),
  'build-fails': (scene, _, world) => failingBuild(scene, commitFactsOf(scene, world)!),
  'image-unknown': unpulled,
  'pull-denied': unpulled,
  'disk-full': evicted,
  'variables-missing': (scene, { names }, world) => withoutVariables(scene, programOf(scene, world)!, names),
  'memory-short': (scene, _, world) => withoutMemory(scene, programOf(scene, world)!),
  'host-unknown': (scene, { host }, world) => withoutHost(scene, programOf(scene, world)!, host),
  'database-down': (scene, { host, port }, world) => withoutDatabase(scene, programOf(scene, world)!, host, port),
  'schema-behind': (scene, { has }, world) => withoutSchema(scene, programOf(scene, world)!, has, programOf(scene, world)!.schema!.tag),
  'port-missed': (scene, { listens }, world) => askedElsewhere(scene, programOf(scene, world)!, readinessOf(scene.task.service)!, listens),
  'probe-answered': (scene, { status }, world) => answeredWith(scene, programOf(scene, world)!, readinessOf(scene.task.service)!, status),
  'warm-up-too-long': (scene, _, world) => warmingUp(scene, programOf(scene, world)!, readinessOf(scene.task.service)!),
  'state-locked': (scene, { who, since }, world) => stateLocked(scene, world.repositories[branchOf(scene.task.service)!.url]!.state!.path, who, since),
  'table-locked': (scene, _, world) => tableLocked(scene, releaseOf(scene.task.service, world)!.migration!),
  'chart-unknown': chartUnknown,
  'chart-too-slow': (scene, _, world) => chartTooSlow(scene, chartOf(scene.task.service, world)!),
};

/** What a phase says, and how it ends, with that trouble in its way. */
export const troubleScript = (scene: Scene, trouble: Trouble, world: World): Script =>
  (scripts[trouble.kind] as (scene: Scene, trouble: Trouble, world: World) => Script)(scene, trouble, world);
