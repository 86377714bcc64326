import { parameterKind, type AnyOperation } from '../../../contract/operation.ts';
import type { ReferenceKind } from '../../../contract/primitives.ts';
import { serviceKinds } from '../../../contract/resources/service.ts';
import type { Tool } from '../../tool.ts';
import type { Target } from '../target.ts';
import type { Tier } from '../tier.ts';
import { isAt, takesProjectName, type PlaceKind } from './places.ts';
import { tellingOrder, type Conditions } from './rules.ts';

/** What rules are held against. */
export interface Situation {
  readonly tool: Tool;
  /** What the tool is about to carry out. */
  readonly operation: AnyOperation;
  readonly tier: Tier;
  readonly target: Target;
}

/** Whether a rule holds; unknown where what it asks for could not be found out. */
export type Holding = 'yes' | 'no' | 'unknown';

const among = <Value>(wanted: readonly Value[] | undefined, value: Value): Holding => (!wanted || wanted.includes(value) ? 'yes' : 'no');

/** @param isNew whether the place is about to be created: then no id is its own. */
function amongPlaces(kind: PlaceKind, wanted: readonly string[] | undefined, target: Target, isNew: boolean): Holding {
  if (!wanted) return 'yes';
  const holding = wanted.map((one) => isAt(kind, one, target, isNew));
  return holding.includes('yes') ? 'yes' : holding.includes('unknown') ? 'unknown' : 'no';
}

function amongModes(wanted: Conditions['mode'], mode: Target['mode']): Holding {
  if (!wanted) return 'yes';
  if (mode === 'none') return 'no';
  if (wanted.includes(mode)) return 'yes';
  return mode === 'unknown' ? 'unknown' : 'no';
}

const all = (parts: readonly Holding[]): Holding => (parts.includes('no') ? 'no' : parts.includes('unknown') ? 'unknown' : 'yes');

/**
 * A rule that names a tool: one that denies it means what the tool does, whichever tool does it; one that allows it means
 * that tool.
 */
export type Means = 'deed' | 'tool';

/** Whether conditions hold for a call, as far as they are about the tool, what it carries out, and its tier. */
export function holdsForTool({ tool: tools, toolset, tier: tiers }: Conditions, { tool, operation, tier }: Omit<Situation, 'target'>, means: Means): boolean {
  const named = among(tools, tool.name) === 'yes' || (means === 'deed' && among(tools, operation.name) === 'yes');
  return named && all([among(toolset, tool.toolset), among(tiers, tier)]) === 'yes';
}

/** Whether conditions hold for a call. */
export function holds(conditions: Conditions, situation: Situation, means: Means): Holding {
  const { target } = situation;
  if (!holdsForTool(conditions, situation, means)) return 'no';
  const isNewEnvironment = target.kind === 'environment' && target.id === undefined;
  return all([
    amongPlaces('project', conditions.project, target, false),
    amongPlaces('environment', conditions.environment, target, isNewEnvironment),
    amongModes(conditions.mode, target.mode),
  ]);
}

/** Whether conditions ask for more than the tool and its tier. */
export const asksForPlace = ({ project, environment, mode }: Conditions): boolean => [project, environment, mode].some((wanted) => wanted !== undefined);

/** Whether conditions ask for a project by its name. */
export const asksForProjectName = ({ project, environment }: Conditions): boolean => takesProjectName(project, environment);

const placedKinds: readonly ReferenceKind[] = ['project', 'environment', 'alert_rule', ...serviceKinds];

/** Whether what an operation acts on can be in a project or environment, or have a mode. */
export const mayHavePlace = ({ params }: AnyOperation): boolean =>
  params[0] !== undefined && [...placedKinds, 'cluster'].includes(parameterKind(params[0]));

/** Conditions in words: `tier is destructive, mode is PRODUCTION or unknown`. */
export const conditionText = (conditions: Conditions): string =>
  tellingOrder.flatMap((name) => (conditions[name] ? `${name} is ${conditions[name].join(' or ')}` : [])).join(', ');
