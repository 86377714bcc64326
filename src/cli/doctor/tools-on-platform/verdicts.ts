import { includesPermission, type AnyOperation, type PermissionLevel } from '../../../contract/index.ts';
import { permissionOf, type ReadUse, type Tool } from '../../../server/tool/index.ts';
import { readsOfTool } from './reads-of-tool.ts';
import type { ReadResult } from './try-reads.ts';

/** Whether a tool works on a platform, as far as reads can show. */
export type VerdictState = 'works' | 'works_with_less' | 'does_not_work' | 'not_tried';

/** The verdict on one tool. Its reasons name operations, but no resources. */
export interface ToolVerdict {
  readonly tool: string;
  readonly state: VerdictState;
  /** The reasons for what is missing; empty if everything was tried and works. */
  readonly why: readonly string[];
}

/** The known facts about a platform. */
export interface PlatformFacts {
  readonly results: ReadonlyMap<AnyOperation, ReadResult>;
  /** The permission of the token, if it contains one. */
  readonly permission?: PermissionLevel;
  readonly reportsBudget: boolean;
}

const whyOf = (result: ReadResult | undefined): string => result?.why ?? 'it was not read';

const listed = (uses: readonly ReadUse[], results: PlatformFacts['results']): string =>
  uses.map(({ operation }) => `${operation.name}: ${whyOf(results.get(operation))}`).join('; ');

/** Reasons, grouped by consequence. */
const reasons = (uses: readonly ReadUse[], results: PlatformFacts['results']): readonly string[] =>
  [...Map.groupBy(uses, ({ without }) => without)].map(([without, group]) => `${without} (${listed(group, results)})`);

/** Why a change isn't possible with this token; undefined if it may be, or the token contains no permission. */
const refusedPermission = (tool: Tool, permission: PermissionLevel | undefined): string | undefined => {
  const needed = permissionOf(tool);
  return permission === undefined || includesPermission(permission, needed)
    ? undefined
    : `the token has the permission ${permission}, and ${needed} is needed`;
};

/** The verdict on a tool, from the results of its reads. Its changes are never tried. */
export function verdictOf(tool: Tool, { results, permission, reportsBudget }: PlatformFacts): ToolVerdict {
  const uses = readsOfTool(tool);
  const stateOf = (operation: AnyOperation): ReadResult['state'] => results.get(operation)?.state ?? 'not_tried';
  const inState = (state: ReadResult['state']): readonly ReadUse[] =>
    uses.filter(({ operation }) => stateOf(operation) === state);
  const every = ({ operation, instead = [] }: ReadUse, state: ReadResult['state']): boolean =>
    [operation, ...instead].every((one) => stateOf(one) === state);
  const isToldOtherwise = ({ operation, same }: ReadUse): boolean => {
    const result = results.get(operation);
    return (
      result?.state === 'failed' &&
      (same?.after.includes(result.kind) ?? false) &&
      (same?.reads ?? []).some((one) => stateOf(one) === 'answered')
    );
  };
  const failed = inState('failed').filter((use) => !isToldOtherwise(use));
  const partial = [
    ...new Map(
      inState('answered').flatMap((use) =>
        results.get(use.operation)?.why === undefined
          ? []
          : [[use.operation, { ...use, without: 'parts of answers are not read' }] as const],
      ),
    ).values(),
  ];
  const needed = uses.filter(({ isNeeded }) => isNeeded);
  // Alternatives fail together if none of them was answered, and at least one was tried.
  const fatal = failed.filter(
    (use) => use.isNeeded && ![use.operation, ...(use.instead ?? [])].some((one) => stateOf(one) === 'answered'),
  );
  const refused = refusedPermission(tool, permission);
  const changes = tool.operations.some(({ method }) => method !== 'GET');
  const verdict = (state: VerdictState, ...why: readonly string[]): ToolVerdict => ({ tool: tool.name, state, why });

  if (refused !== undefined) return verdict('does_not_work', refused);
  if (fatal.length > 0) return verdict('does_not_work', ...reasons(fatal, results));
  if (tool.needsBudget && !reportsBudget)
    return verdict('does_not_work', 'the platform does not report how many requests are left');
  const untried = changes
    ? [`its reads work; the change itself would change something, and needs the permission ${permissionOf(tool)}`]
    : needed.filter((use) => every(use, 'not_tried')).map(({ operation }) => whyOf(results.get(operation)));
  const lacking = [...failed, ...partial];
  if (lacking.length > 0)
    return verdict(
      'works_with_less',
      ...reasons(lacking, results),
      ...(changes ? ['the change itself was not tried'] : []),
    );
  return untried.length > 0 ? verdict('not_tried', ...new Set(untried)) : verdict('works');
}
