import { serviceKinds, type AnyOperation, type ReferenceKind } from '../../../contract/index.ts';
import type { Tool, RuleMatch } from '../../tool/index.ts';
import { targetAndTouched, type Target } from '../../context/index.ts';
import type { Risk } from '../risk/risk.ts';
import { isAtLocation, parseLocation, takesProjectName, type LocationKind } from './locations.ts';
import { conditionOrder, type Conditions } from './rules.ts';

/** A call of an operation, as the input of rules. */
export interface CallSituation {
  readonly tool: Tool;
  /** The operation that the tool is about to execute. */
  readonly operation: AnyOperation;
  readonly risk: Risk;
  readonly target: Target;
  /**
   * By tool name: whether this call is the tool's action, for tools whose action only some calls of the operation are.
   * A missing one is unknown.
   */
  readonly actions?: ReadonlyMap<string, RuleMatch>;
  /** Whether it is uncertain that the call executes it, because that could not be determined. */
  readonly isAssumed?: boolean;
}

const among = <Value>(wanted: readonly Value[] | undefined, value: Value): RuleMatch =>
  !wanted || wanted.includes(value) ? 'yes' : 'no';

/** @param isNew whether the location is about to be created: then it matches no id. */
function amongLocations(
  kind: LocationKind,
  wanted: readonly string[] | undefined,
  target: Target,
  isNew: boolean,
): RuleMatch {
  if (!wanted) return 'yes';
  const matches = wanted.map((one) => isAtLocation(kind, one, target, isNew));
  return any(matches);
}

function amongModes(wanted: Conditions['mode'], mode: Target['mode']): RuleMatch {
  if (!wanted) return 'yes';
  if (mode === 'none') return 'no';
  if (wanted.includes(mode)) return 'yes';
  return mode === 'unknown' ? 'unknown' : 'no';
}

const all = (parts: readonly RuleMatch[]): RuleMatch =>
  parts.includes('no') ? 'no' : parts.includes('unknown') ? 'unknown' : 'yes';

const any = (parts: readonly RuleMatch[]): RuleMatch =>
  parts.includes('yes') ? 'yes' : parts.includes('unknown') ? 'unknown' : 'no';

/**
 * How a rule that names a tool matches. A rule that denies a tool matches its action, whichever tool executes it; a
 * rule that allows a tool matches that tool only.
 */
export type Match = 'action' | 'tool';

type UntargetedCall = Omit<CallSituation, 'target'>;

function isNamed(
  { tool: names, actions = [] }: Conditions,
  { tool, operation, actions: matches }: UntargetedCall,
  match: Match,
): RuleMatch {
  if (!names || names.includes(tool.name)) return 'yes';
  if (match === 'tool') return 'no';
  const possible = actions.filter(({ operations }) => operations.includes(operation.name));
  return names.includes(operation.name)
    ? 'yes'
    : any(possible.map(({ tool: name, isDone }) => (isDone ? (matches?.get(name) ?? 'unknown') : 'yes')));
}

/** Whether a rule's conditions on tool, toolset and tier hold for a call. */
export const holdsForTool = (conditions: Conditions, situation: UntargetedCall, match: Match): RuleMatch =>
  all([
    isNamed(conditions, situation, match),
    among(conditions.toolset, situation.tool.toolset),
    among(conditions.tier, situation.risk),
  ]);

/**
 * The target and everything that is touched. A touched resource without project, environment or mode gets the target's.
 */
const withTargetLocation = (target: Target): readonly Target[] =>
  targetAndTouched(target).map(({ project = target.project, environment = target.environment, mode, ...one }) => ({
    ...one,
    project,
    environment,
    mode: mode === 'none' ? target.mode : mode,
  }));

function holdsAt({ project, environment, mode }: Conditions, target: Target): RuleMatch {
  const isNew = target.kind === 'environment' && target.id === undefined && target.why === undefined;
  return all([
    amongLocations('project', project, target, false),
    amongLocations('environment', environment, target, isNew),
    amongModes(mode, target.mode),
  ]);
}

/** The projects that conditions name, as far as each environment in them is given with its project. */
function projectsIn({ project, environment }: Conditions): readonly string[] | undefined {
  if (project || !environment) return project;
  const named = environment.map((text) => parseLocation(text).project);
  return named.every((one) => one !== undefined) ? named : undefined;
}

/** Whether conditions hold for one place; for a project, whether they may hold for an environment in it. */
const holdsIn = (conditions: Conditions, target: Target): RuleMatch =>
  target.environment === undefined
    ? amongLocations('project', projectsIn(conditions), target, false)
    : holdsAt(conditions, target);

const isPlace = ({ project, environment }: Target): boolean => project !== undefined || environment !== undefined;

/** Whether a target, or anything that is touched with it, is in a project or environment. */
export const hasPlace = (target: Target): boolean => targetAndTouched(target).some(isPlace);

/**
 * Whether every place that a target is in, and all that is touched with it, is one for which one of the conditions
 * holds. In doubt it isn't; what is in no place is.
 */
export const isWithin = (places: readonly Conditions[], target: Target): boolean =>
  withTargetLocation(target)
    .filter(isPlace)
    .every((one) => places.some((conditions) => holdsIn(conditions, one) === 'yes'));

/** Whether a rule has conditions on project or environment. */
export const asksForLocation = ({ project, environment }: Conditions): boolean =>
  project !== undefined || environment !== undefined;

/**
 * Whether a rule's conditions hold for a call. A rule that denies holds if anything that the call touches matches; a
 * rule that allows holds if everything does. Only conditions on project or environment match the environments of a
 * cluster one by one; for other conditions, the cluster's mode covers them.
 */
export function holds(conditions: Conditions, situation: CallSituation, match: Match): RuleMatch {
  const matches = withTargetLocation(situation.target)
    .filter(({ why }) => why !== 'hosted' || asksForLocation(conditions))
    .map((target) => holdsAt(conditions, target));
  return all([holdsForTool(conditions, situation, match), match === 'action' ? any(matches) : all(matches)]);
}

/** Whether a rule has conditions on project, environment or mode. */
export const dependsOnLocation = ({ project, environment, mode }: Conditions): boolean =>
  [project, environment, mode].some((wanted) => wanted !== undefined);

/** Whether a rule has conditions that name a project, rather than give its id. */
export const dependsOnProjectName = ({ project, environment }: Conditions): boolean =>
  takesProjectName(project, environment);

const locatedKinds: readonly ReferenceKind[] = ['project', 'environment', 'alert_rule', ...serviceKinds];

/** Whether an operation's target can be in a project or environment, or have a mode. */
export const mayHaveLocation = ({ target }: AnyOperation): boolean => [...locatedKinds, 'cluster'].includes(target);

/** Conditions as text, for the operator who wrote them: `tier is destructive, mode is PRODUCTION or unknown`. */
export const conditionText = (conditions: Conditions): string =>
  conditionOrder.flatMap((name) => (conditions[name] ? `${name} is ${conditions[name].join(' or ')}` : [])).join(', ');

/** Whether a rule that denies hides its project or environment from all reads, whichever tool reads. */
const keepsFromReading = (conditions: Conditions): boolean =>
  asksForLocation(conditions) && !conditions.tool && !conditions.toolset && (conditions.tier?.includes('read') ?? true);

/** The innermost places that conditions name, in a normalized form. */
const placesIn = ({ project = [], environment }: Conditions): readonly string[] => {
  const around = project.map((text) => parseLocation(text).own).join(' or ');
  const paths =
    environment?.map((text) => parseLocation(text)).map(({ own, project: named = around }) => `${named}/${own}`) ??
    project.map((text) => parseLocation(text).own);
  return paths.map((path) => path.toLowerCase());
};

/** The places that denying rules hide from reads. */
export const unreadPlaces = (denying: readonly Conditions[]): ReadonlySet<string> =>
  new Set(denying.filter(keepsFromReading).flatMap(placesIn));

/**
 * Conditions of a rule as text for callers: places that they may not read, because of this rule or another one, aren't
 * named.
 * @param unread the places that may not be read
 */
export const shownConditionText = (conditions: Conditions, unread: ReadonlySet<string>): string => {
  if (!placesIn(conditions).some((name) => unread.has(name))) return conditionText(conditions);
  const { project, environment, ...others } = conditions;
  return [
    conditionText(environment ? { ...others, project } : others),
    `the ${environment ? 'environment' : 'project'} may not be read`,
  ]
    .filter(Boolean)
    .join(', ');
};
