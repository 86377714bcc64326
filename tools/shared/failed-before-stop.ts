import { operations } from '../../src/contract/index.ts';
import { deploymentsOf, stoppedBy } from '../../src/analysis/index.ts';
import { readUses, show, type ReadUse, type ToolContext } from '../../src/server/tool/index.ts';
import { readEnvironmentHistory } from './diagnosis-evidence.ts';
import { ifPossible } from './if-possible.ts';
import type { ObservedService } from './observed-services.ts';

/** The read for deployments that failed before a stop. */
export const readsOfFailedBefore: readonly ReadUse[] = readUses(
  'how the last deployment ended of what was stopped is not shown',
  operations.list_environment_deployments,
);

/**
 * How the last deployment of those stopped services failed of which it did, as the end of a reason, by their ids: their
 * statuses are about the stop. Reads the history of the environment once, and only if something is stopped.
 */
export async function failedBeforeStop(
  context: ToolContext,
  environmentId: string,
  services: readonly ObservedService[],
): Promise<ReadonlyMap<string, string>> {
  const stopped = services.filter(({ status }) => status?.state === 'STOPPED');
  if (stopped.length === 0) return new Map();
  const history = await ifPossible(context, 'How the last deployment ended of what was stopped', () =>
    readEnvironmentHistory(context, environmentId),
  );
  return new Map(
    stopped.flatMap(({ id, kind }) => {
      const { before } = stoppedBy(deploymentsOf(id, history ?? [])) ?? {};
      if (before?.end !== 'bad') return [];
      const what = kind === 'job' ? 'deployment or run' : 'deployment';
      const time = before.startedAt ?? 'a time that is not told';
      return [[id, `; its last ${what}, at ${time}, ended as ${show(before.state)}`] as const];
    }),
  );
}
