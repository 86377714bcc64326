import {
  deleteDockerService,
  ignoring,
  type DockerService,
  listDockerTasks,
  readDockerServiceLogs,
} from '../api/index.ts';
import { bytesText } from '../../../../contract/index.ts';
import { registryFiles } from './registry-files.ts';
import { applyDraft, cleanerDraft, type RegistryEngine } from './registry-services.ts';
import type { RegistryServices } from './registry-state.ts';
import { hasEnded } from '../instance-states.ts';

/** Whether the registry's only instance is a read-only one. */
async function isQuiet(
  { docker, ...parts }: RegistryEngine,
  registry: DockerService,
  signal: AbortSignal,
): Promise<boolean> {
  const alive = (await listDockerTasks(docker, { service: [registry.ID] }, { signal })).filter(
    (task) => !hasEnded(task),
  );
  const [{ name }] = registryFiles(parts, true);
  return (
    alive.length === 1 &&
    alive[0]!.Status.State === 'running' &&
    alive[0]!.Spec.ContainerSpec.Secrets?.some(({ SecretName }) => SecretName === name) === true
  );
}

/**
 * Returns the result of a cleaning, from the output of the registry's program.
 * @param sizes of deleted images' parts, as far as they are known
 */
function resultText(lines: readonly string[], sizes: Map<string, number>): string {
  const freed = new Set(
    lines.flatMap((line) => /^blob eligible for deletion: (sha256:[0-9a-f]{64})/.exec(line)?.[1] ?? []),
  );
  const known = [...freed].filter((digest) => sizes.has(digest));
  const bytes = known.reduce((sum, digest) => sum + sizes.get(digest)!, 0);
  for (const digest of known) sizes.delete(digest);
  if (freed.size === 0) return 'The registry of the cluster was cleaned: there was nothing to delete.';
  return `The registry of the cluster was cleaned: ${freed.size} parts of images were deleted, ${known.length < freed.size ? 'at least ' : ''}${bytesText(bytes)}.`;
}

/** The outcome of a cleaning, as a sentence. */
export interface CleaningEnd {
  readonly text: string;
  readonly hasFailed: boolean;
}

/**
 * Performs the next step of a cleaning. The registry has to be read-only already.
 * @returns the outcome; undefined while the cleaning is under way
 */
export async function cleanRegistry(
  engine: RegistryEngine,
  { registry, cleaner }: RegistryServices,
  nodeId: string,
  sizes: Map<string, number>,
  signal: AbortSignal,
): Promise<CleaningEnd | undefined> {
  const { docker } = engine;
  if (cleaner === undefined) {
    if (registry !== undefined && (await isQuiet(engine, registry, signal)))
      await applyDraft(engine, undefined, cleanerDraft(engine, nodeId), { isReadOnly: true, cleanedAt: 0 }, signal);
    return undefined;
  }
  const tasks = await listDockerTasks(docker, { service: [cleaner.ID] }, { signal });
  if (tasks.length === 0 || !tasks.every(hasEnded)) return undefined;
  const lines: string[] = [];
  for await (const { text } of readDockerServiceLogs(docker, cleaner.ID, { signal })) lines.push(text.trim());
  await deleteDockerService(docker, cleaner.ID, { signal }).catch(ignoring('not found'));
  const said = lines.findLast((line) => line !== '') ?? tasks[0]!.Status.Err ?? 'it gave no reason';
  // The folders don't exist before the first image.
  const hasFailed =
    !tasks.some(({ Status }) => Status.State === 'complete') &&
    !/Path not found: \/docker\/registry\/v2\/(?:blobs|repositories)/.test(said);
  return {
    hasFailed,
    text: hasFailed
      ? `The registry of the cluster could not be cleaned, and the cleaning is tried again later: ${said}`
      : resultText(lines, sizes),
  };
}
