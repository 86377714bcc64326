import type { AnyOperation } from '../../../contract/operation.ts';
import type { ReferenceKind } from '../../../contract/primitives.ts';
import { serviceKinds } from '../../../contract/resources/service.ts';
import type { Tool, Holding } from '../../tool/tool.ts';
import { allTouched, type Target } from '../../context/target.ts';
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
  /** Whether it is what a tool does that does it only by some calls of the operation, by the tool's name. What is missing is unknown. */
  readonly deeds?: ReadonlyMap<string, Holding>;
  /** Whether it is something that the call may carry out, and nobody could see whether it does. */
  readonly isGuess?: boolean;
}

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

const any = (parts: readonly Holding[]): Holding => (parts.includes('yes') ? 'yes' : parts.includes('unknown') ? 'unknown' : 'no');

/**
 * A rule that names a tool: one that denies it means what the tool does, whichever tool does it; one that allows it means
 * that tool.
 */
export type Means = 'deed' | 'tool';

type OfTool = Omit<Situation, 'target'>;

function isNamed({ tool: names, deeds = [] }: Conditions, { tool, operation, deeds: done }: OfTool, means: Means): Holding {
  if (!names || names.includes(tool.name)) return 'yes';
  if (means === 'tool') return 'no';
  const same = deeds.filter(({ operations }) => operations.includes(operation.name));
  return names.includes(operation.name) ? 'yes' : any(same.map(({ tool: name, isDone }) => (isDone ? (done?.get(name) ?? 'unknown') : 'yes')));
}

/** Whether conditions hold for a call, as far as they are about the tool, what it carries out, and its tier. */
export const holdsForTool = (conditions: Conditions, situation: OfTool, means: Means): Holding =>
  all([isNamed(conditions, situation, means), among(conditions.toolset, situation.tool.toolset), among(conditions.tier, situation.tier)]);

/** What is touched, each where it is judged: what has no place or mode of its own has the target's. */
const judged = (target: Target): readonly Target[] =>
  allTouched(target).map(({ project = target.project, environment = target.environment, mode, ...one }) => ({ ...one, project, environment, mode: mode === 'none' ? target.mode : mode }));

function holdsAt({ project, environment, mode }: Conditions, target: Target): Holding {
  const isNew = target.kind === 'environment' && target.id === undefined && target.why === undefined;
  return all([amongPlaces('project', project, target, false), amongPlaces('environment', environment, target, isNew), amongModes(mode, target.mode)]);
}

/** Whether conditions ask for a project or an environment. */
export const asksWhere = ({ project, environment }: Conditions): boolean => project !== undefined || environment !== undefined;

/** Whether conditions hold for a call: a rule that denies for anything that it touches, one that allows for all of it. The mode of a cluster stands for what it hosts, unless they ask where. */
export function holds(conditions: Conditions, situation: Situation, means: Means): Holding {
  const places = judged(situation.target).filter(({ why }) => why !== 'hosted' || asksWhere(conditions)).map((target) => holdsAt(conditions, target));
  return all([holdsForTool(conditions, situation, means), means === 'deed' ? any(places) : all(places)]);
}

/** Whether conditions ask for more than the tool and its tier. */
export const asksForPlace = ({ project, environment, mode }: Conditions): boolean => [project, environment, mode].some((wanted) => wanted !== undefined);

/** Whether conditions ask for a project by its name. */
export const asksForProjectName = ({ project, environment }: Conditions): boolean => takesProjectName(project, environment);

const placedKinds: readonly ReferenceKind[] = ['project', 'environment', 'alert_rule', ...serviceKinds];

/** Whether what an operation acts on can be in a project or environment, or have a mode. */
export const mayHavePlace = ({ target }: AnyOperation): boolean => [...placedKinds, 'cluster'].includes(target);

/** Conditions in words: `tier is destructive, mode is PRODUCTION or unknown`. */
export const conditionText = (conditions: Conditions): string =>
  tellingOrder.flatMap((name) => (conditions[name] ? `${name} is ${conditions[name].join(' or ')}` : [])).join(', ');
