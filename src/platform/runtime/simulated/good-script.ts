import { migrated } from './held-up.ts';
import type { Scene, Script } from './script.ts';
import { chartOf, programOf, releaseOf } from './known.ts';
import type { World } from './world.ts';

/** A scene that takes as long as what it brings needs to be ready. */
export function patient(scene: Scene, world: World): Scene {
  if (scene.task.phase.step !== 'DEPLOYMENT') return scene;
  const needs = chartOf(scene.task.service, world)?.readySeconds ?? programOf(scene, world)?.warmUp?.seconds ?? 0;
  return { ...scene, seconds: Math.max(scene.seconds, needs) };
}

/** What a phase says that goes well, where the world knows more of it than its configuration tells; undefined where it doesn't. */
export function goodScript(scene: Scene, world: World): Script | undefined {
  const migration = releaseOf(scene.task.service, world)?.migration;
  return scene.task.phase.step === 'EXECUTING' && migration ? migrated(scene, migration) : undefined;
}
