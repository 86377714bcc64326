import { isServiceKind, operations } from '../../contract/index.ts';
import { environmentIn, readById, servicesIn } from '../context/index.ts';
import { assertNotLocked, noOpOf, readForPlan } from '../guard/index.ts';
import type { ResourceKind } from '../tool/index.ts';
import { isOfKind } from '../resolve/index.ts';
import type { AssessedCall, Call } from './call.ts';
import { previewReader } from './tool-context.ts';

/** Whether requests of the tool may be about a resource of this kind. */
const actsOn = ({ tool }: Call, kind: ResourceKind): boolean => tool.operations.some(({ target }) => target === kind);

/**
 * Starts to read what a change is about and the environment that this lies in: its risk depends on both, whatever is
 * planned. Failures are those of the stage that needs the answer.
 */
export function readSubjectsAhead(call: Call): void {
  const { tool, resolved, reader } = call;
  if (tool.operation.effect === 'read') return;
  for (const [argument, { kind, id, environment }] of Object.entries(resolved)) {
    // Several at once are read in lists.
    if (argument.includes('[')) continue;
    const environmentId = kind === 'environment' ? id : isOfKind(kind, 'service') ? environment?.id : undefined;
    if (environmentId !== undefined) environmentIn(environmentId, 'mode', reader).catch(() => undefined);
    if (isServiceKind(kind) && actsOn(call, kind)) readById(kind, id, reader).catch(() => undefined);
    if (kind === 'project' && tool.operations.some((one) => one.reachesEnvironments && one.target === kind))
      reader.attempt(operations.list_environments, { project_id: id }).catch(() => undefined);
    // What is carried out for each service is judged by each.
    if (kind === 'environment' && tool.operations.some((one) => one.carriesOut && one.target === kind))
      servicesIn(id, reader).catch(() => undefined);
  }
}

/**
 * Reads for the checks before a plan and for the plan itself at the same time. Each of them finds its answers read, and
 * meets the same failures.
 */
export async function readPlanAhead(call: AssessedCall): Promise<void> {
  await Promise.allSettled([
    noOpOf(call, call.redactor),
    assertNotLocked(call, call.operations),
    readForPlan({ ...call, reader: previewReader(call).reader, now: call.context.clock.now() }),
  ]);
}
