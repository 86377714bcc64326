import type { AnyOperation } from '../../../contract/operation.ts';
import type { ReferenceKind } from '../../../contract/primitives.ts';
import { serviceKinds } from '../../../contract/resources/service.ts';
import type { Tool, RuleMatch } from '../../tool/tool.ts';
import { targetAndTouched, type Target } from '../../context/target.ts';
import type { Risk } from '../risk/risk.ts';
import { isAtLocation, takesProjectName, type LocationKind } from './places.ts';
import { conditionOrder, type Conditions } from './rules.ts';

/** What rules are held against. */
export interface CallSituation {
  readonly tool: Tool;
  /** What the tool is about to carry out. */
  readonly operation: AnyOperation;
  readonly risk: Risk;
  readonly target: Target;
  /** Whether it is what a tool does that does it only by some calls of the operation, by the tool's name. What is missing is unknown. */
  readonly actions?: ReadonlyMap<string, RuleMatch>;
  /** Whether it is something that the call may carry out, and nobody could see whether it does. */
  readonly isAssumed?: boolean;
}

const among = <Value>(wanted: readonly Value[] | undefined, value: Value): RuleMatch => (!wanted || wanted.includes(value) ? 'yes' : 'no');

/** @param isNew whether the place is about to be created: then no id is its own. */
function amongPlaces(kind: LocationKind, wanted: readonly string[] | undefined, target: Target, isNew: boolean): RuleMatch {
  if (!wanted) return 'yes';
  const holding = wanted.map((one) => isAtLocation(kind, one, target, isNew));
  return holding.includes('yes') ? 'yes' : holding.includes('unknown') ? 'unknown' : 'no';
}

function amongModes(wanted: Conditions['mode'], mode: Target['mode']): RuleMatch {
  if (!wanted) return 'yes';
  if (mode === 'none') return 'no';
  if (wanted.includes(mode)) return 'yes';
  return mode === 'unknown' ? 'unknown' : 'no';
}

const all = (parts: readonly RuleMatch[]): RuleMatch => (parts.includes('no') ? 'no' : parts.includes('unknown') ? 'unknown' : 'yes');

const any = (parts: readonly RuleMatch[]): RuleMatch => (parts.includes('yes') ? 'yes' : parts.includes('unknown') ? 'unknown' : 'no');

/**
 * A rule that names a tool: one that denies it means what the tool does, whichever tool does it; one that allows it means
 * that tool.
 */
export type Match = 'deed' | 'tool';

type OfTool = Omit<CallSituation, 'target'>;

function isNamed({ tool: names, actions: deeds = [] }: Conditions, { tool, operation, actions: done }: OfTool, means: Match): RuleMatch {
  if (!names || names.includes(tool.name)) return 'yes';
  if (means === 'tool') return 'no';
  const same = deeds.filter(({ operations }) => operations.includes(operation.name));
  return names.includes(operation.name) ? 'yes' : any(same.map(({ tool: name, isDone }) => (isDone ? (done?.get(name) ?? 'unknown') : 'yes')));
}

/** Whether conditions hold for a call, as far as they are about the tool, what it carries out, and its tier. */
export const holdsForTool = (conditions: Conditions, situation: OfTool, means: Match): RuleMatch =>
  all([isNamed(conditions, situation, means), among(conditions.toolset, situation.tool.toolset), among(conditions.tier, situation.risk)]);

/** What is touched, each where it is judged: what has no place or mode of its own has the target's. */
const judged = (target: Target): readonly Target[] =>
  targetAndTouched(target).map(({ project = target.project, environment = target.environment, mode, ...one }) => ({ ...one, project, environment, mode: mode === 'none' ? target.mode : mode }));

function holdsAt({ project, environment, mode }: Conditions, target: Target): RuleMatch {
  const isNew = target.kind === 'environment' && target.id === undefined && target.why === undefined;
  return all([amongPlaces('project', project, target, false), amongPlaces('environment', environment, target, isNew), amongModes(mode, target.mode)]);
}

/** Whether conditions ask for a project or an environment. */
export const asksForLocation = ({ project, environment }: Conditions): boolean => project !== undefined || environment !== undefined;

/** Whether conditions hold for a call: a rule that denies for anything that it touches, one that allows for all of it. The mode of a cluster stands for what it hosts, unless they ask where. */
export function holds(conditions: Conditions, situation: CallSituation, means: Match): RuleMatch {
  const places = judged(situation.target).filter(({ why }) => why !== 'hosted' || asksForLocation(conditions)).map((target) => holdsAt(conditions, target));
  return all([holdsForTool(conditions, situation, means), means === 'deed' ? any(places) : all(places)]);
}

/** Whether conditions ask for more than the tool and its tier. */
export const dependsOnLocation = ({ project, environment, mode }: Conditions): boolean => [project, environment, mode].some((wanted) => wanted !== undefined);

/** Whether conditions ask for a project by its name. */
export const dependsOnProjectName = ({ project, environment }: Conditions): boolean => takesProjectName(project, environment);

const placedKinds: readonly ReferenceKind[] = ['project', 'environment', 'alert_rule', ...serviceKinds];

/** Whether what an operation acts on can be in a project or environment, or have a mode. */
export const mayHaveLocation = ({ target }: AnyOperation): boolean => [...placedKinds, 'cluster'].includes(target);

/** Conditions in words: `tier is destructive, mode is PRODUCTION or unknown`. */
export const conditionText = (conditions: Conditions): string =>
  conditionOrder.flatMap((name) => (conditions[name] ? `${name} is ${conditions[name].join(' or ')}` : [])).join(', ');
