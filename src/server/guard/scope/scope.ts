import type { AnyOperation } from '../../../contract/operation.ts';
import type { ReferenceKind } from '../../../contract/primitives.ts';
import { responseKinds, isOfKind } from '../../resolve/resource-hierarchy.ts';
import { pointsAt } from '../../tool/references.ts';
import type { Tool } from '../../tool/tool.ts';
import type { JsonRecord } from '../../json/values.ts';
import { targetAndTouched, type Target } from '../../context/target.ts';
import type { Denial } from '../../failure/failure.ts';
import type { Lookup } from '../../tool/name-resolver.ts';

/** A place that the operator wrote down. */
export interface ScopeOption {
  /** A name, path or id. */
  readonly name: string;
  /** The option that says so. */
  readonly setBy: string;
}

/** What every call is kept to. At least one of both; the environment is the narrower. */
export interface Scope {
  readonly project?: ScopeOption;
  readonly environment?: ScopeOption;
}

/** The same once it was looked up. The project is that of the environment, as far as it could be found out. */
export interface ResolvedScope {
  readonly projectId?: string;
  readonly environmentId?: string;
}

type ScopeKind = 'project' | 'environment';

const scopeKinds = ({ environment }: Scope): readonly ScopeKind[] => (environment ? ['project', 'environment'] : ['project']);

const pointersOf = ({ input }: Tool) => Object.entries(input).flatMap(([name, schema]) => {
  const kind = pointsAt(schema);
  return kind === undefined ? [] : [{ name, kind }];
});

/** The arguments of a tool that a pin answers, by name. Of two environments, it answers neither. */
export function argumentsFilledByScope(tool: Tool, pin: Scope | undefined): ReadonlyMap<string, ScopeKind> {
  if (!pin) return new Map();
  const pointers = pointersOf(tool);
  return new Map(
    scopeKinds(pin).flatMap((pinned) => {
      const [one, ...others] = pointers.filter(({ kind }) => kind === pinned);
      return one && others.length === 0 ? [[one.name, pinned] as const] : [];
    }),
  );
}

/**
 * The same for one call: a tool that is about a service or an environment is about the pinned one where no service is
 * given. With both required, the service lies in it.
 */
export function argumentsFilledInCall(tool: Tool, args: JsonRecord, pin: Scope | undefined): ReadonlyMap<string, ScopeKind> {
  const hasService = pointersOf(tool).some(({ name, kind }) => (kind === 'service' || isOfKind(kind, 'service')) && args[name] !== undefined);
  const isChoice = (name: string): boolean => tool.input[name]!.safeParse(undefined).success;
  return new Map([...argumentsFilledByScope(tool, pin)].filter(([name]) => !hasService || !isChoice(name)));
}

const scopeWords = ({ project, environment }: Scope): { readonly what: string; readonly setBy: string } => ({
  what: environment ? `the environment "${environment.name}"` : `the project "${project?.name}"`,
  setBy: (environment ?? project)!.setBy,
});

/** One sentence for whoever calls. */
export const scopeText = (pin: Scope): string =>
  `This server is kept to ${scopeWords(pin).what}: tools don't ask for it, and in it a bare name will do.`;

/** What to tell whoever looks for something that isn't there. */
export const outsideScopeText = (pin: Scope): string => `This server is kept to ${scopeWords(pin).what} (${scopeWords(pin).setBy}): nothing is looked for outside it.`;

const denial = (pin: Scope): Denial => ({
  rule: `this server is kept to ${scopeWords(pin).what}, and this lies outside, or where it lies could not be found out`,
  setBy: scopeWords(pin).setBy,
  instead: 'What lies in it can be read and changed, and what belongs to no project can be read.',
});

// Their rows belong to projects, although the organization lists them.
const projectKinds: readonly ReferenceKind[] = ['project', 'environment', 'alert_rule'];

/** Whether what an operation lists of the organization tells of other projects. */
const listsOtherProjects = (operation: AnyOperation): boolean => {
  const { kinds, list } = responseKinds(operation);
  return list && kinds.some((kind) => projectKinds.includes(kind));
};

const canBeInside = (kind: ReferenceKind, pin: Scope): boolean =>
  isOfKind(kind, 'service') || kind === 'environment' || kind === 'alert_rule' || (kind === 'project' && !pin.environment);

/** Whether nothing that an operation can act on lies inside. @param isAct whether it is what a tool is for. */
function isNeverInScope(operation: AnyOperation, pin: Scope, isAct: boolean): boolean {
  if (canBeInside(operation.target, pin)) return false;
  return operation.effect !== 'read' || operation.target === 'project' || (isAct && listsOtherProjects(operation));
}

/** Why a pin forbids every call of a tool; undefined where it doesn't. */
export const denialByScope = ({ operations, expand: acts }: Tool, pin: Scope | undefined): Denial | undefined =>
  pin && operations.every((operation) => isNeverInScope(operation, pin, acts !== undefined)) ? denial(pin) : undefined;

const isSame = (id: string | undefined, pinned: string): boolean => id?.toLowerCase() === pinned;

const isInScope = ({ project, environment }: Target, { projectId, environmentId }: ResolvedScope): boolean =>
  environmentId !== undefined ? isSame(environment?.id, environmentId) : projectId !== undefined && isSame(project?.id, projectId);

// A cluster belongs to no project: what runs on it decides its risk, not its place.
const areAllInScope = (target: Target, place: ResolvedScope): boolean =>
  isInScope(target, place) && targetAndTouched(target).every((one) => one.kind === 'cluster' || isInScope(one, place));

const hasNoLocation = ({ project, environment }: Target): boolean => project === undefined && environment === undefined;

/** What an operation acts on. */
interface ScopedOperation {
  readonly operation: AnyOperation;
  readonly target: Target;
  /** Whether it is what the call is for, and not a read on the way to it. */
  readonly isMainOperation: boolean;
}

/** Why a pin forbids an operation on this target; undefined where it doesn't. In doubt it does. */
export function denialOutsideScope(pin: Scope, place: ResolvedScope, { operation, target, isMainOperation: isAct }: ScopedOperation): Denial | undefined {
  const mayBeRead = operation.effect === 'read' && hasNoLocation(target) && !(isAct && listsOtherProjects(operation));
  return areAllInScope(target, place) || mayBeRead ? undefined : denial(pin);
}

/** The same for something that an argument points at. The project around the place narrows what is looked at, and may be named. */
export function denialOfArgument(pin: Scope, place: ResolvedScope, target: Target): Denial | undefined {
  const narrows = target.kind === 'project' && place.projectId !== undefined && isSame(target.id, place.projectId);
  return isInScope(target, place) || hasNoLocation(target) || narrows ? undefined : denial(pin);
}

/** Finds the place that calls are kept to, once for each principal. */
export interface ScopeResolver {
  /** @throws CallFailure where what the operator wrote stands for nothing that can be used; ApiError as the platform fails. */
  resolve(look: Lookup): Promise<ResolvedScope>;
}
