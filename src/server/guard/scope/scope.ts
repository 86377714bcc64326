import * as z from 'zod';
import type { AnyOperation, ReferenceKind } from '../../../contract/index.ts';
import { responseKinds, isOfKind } from '../../resolve/index.ts';
import { pointsAt, type Lookup, type Tool } from '../../tool/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import { targetAndTouched, type Target } from '../../context/index.ts';
import type { Denial } from '../../failure/index.ts';

/** A project or environment from the operator's options. */
export interface ScopeOption {
  /** A name, path or id. */
  readonly name: string;
  /** The option that sets it. */
  readonly setBy: string;
}

/**
 * The project or environment that every call is limited to. At least one is set; the environment is the narrower one.
 */
export interface Scope {
  readonly project?: ScopeOption;
  readonly environment?: ScopeOption;
}

/** A scope with ids. The project is that of the environment, if there is one and its project could be determined. */
export interface ResolvedScope {
  readonly projectId?: string;
  readonly environmentId?: string;
}

type ScopeKind = 'project' | 'environment';

const scopeKinds = ({ environment }: Scope): readonly ScopeKind[] =>
  environment ? ['project', 'environment'] : ['project'];

const pointersOf = ({ input }: Tool) =>
  Object.entries(input).flatMap(([name, schema]) => {
    const kind = pointsAt(schema);
    return kind === undefined ? [] : [{ name, kind }];
  });

const isOptional = ({ input }: Tool, name: string): boolean => input[name]!.safeParse(undefined).success;

/**
 * Whether a tool accepts a project in place of an environment: then it isn't filled in, because that would widen the
 * call.
 */
const isAlternative = (tool: Tool, name: string): boolean =>
  isOptional(tool, name) &&
  pointersOf(tool).some(
    (other) =>
      other.kind === 'environment' &&
      tool.rules({ [name]: '', [other.name]: '' }).length > tool.rules({ [name]: '' }).length,
  );

/**
 * The arguments of a tool that follow from the scope, by name. If a tool accepts two environments, neither is filled
 * in, nor is a project that is an alternative to an environment.
 */
export function argumentsFilledByScope(tool: Tool, scope: Scope | undefined): ReadonlyMap<string, ScopeKind> {
  if (!scope) return new Map();
  const pointers = pointersOf(tool).filter(({ name, kind }) => kind !== 'project' || !isAlternative(tool, name));
  return new Map(
    scopeKinds(scope).flatMap((scopeKind) => {
      const [one, ...others] = pointers.filter(({ kind }) => kind === scopeKind);
      return one && others.length === 0 ? [[one.name, scopeKind] as const] : [];
    }),
  );
}

/**
 * The arguments for which a scope leaves no choice: those that follow from it, and those wider than its environment.
 */
export const argumentsSettledByScope = (tool: Tool, scope: Scope | undefined): readonly string[] => [
  ...argumentsFilledByScope(tool, scope).keys(),
  ...(scope?.environment
    ? pointersOf(tool).flatMap(({ name, kind }) => (kind === 'project' && isAlternative(tool, name) ? [name] : []))
    : []),
];

/**
 * A project that is an alternative to an environment, where a call names no place and is complete without one: it
 * would concern everything, so the project narrows it. A call that lacks a place stays incomplete.
 */
function narrowedToProject(tool: Tool, args: JsonRecord): readonly string[] {
  const pointers = pointersOf(tool);
  const isComplete = (given: JsonRecord): boolean =>
    z.object(tool.input).safeParse(given).success && tool.rules(given).length === 0;
  const projects = pointers.filter(({ name, kind }) => kind === 'project' && isAlternative(tool, name));
  if (projects.length !== 1 || pointers.some(({ name }) => args[name] !== undefined) || !isComplete(args)) return [];
  return projects.flatMap(({ name }) => (tool.rules({ ...args, [name]: '' }).length === 0 ? [name] : []));
}

/**
 * The arguments that are filled in for one call. If a service is given, optional arguments are not filled in: the call
 * concerns the service instead of the scope's environment. Required ones are, and the service is in that environment.
 */
export function argumentsFilledInCall(
  tool: Tool,
  args: JsonRecord,
  scope: Scope | undefined,
): ReadonlyMap<string, ScopeKind> {
  const hasService = pointersOf(tool).some(
    ({ name, kind }) => (kind === 'service' || isOfKind(kind, 'service')) && args[name] !== undefined,
  );
  const filled = [...argumentsFilledByScope(tool, scope)].filter(([name]) => !hasService || !isOptional(tool, name));
  const narrowing = scope && !scope.environment ? narrowedToProject(tool, args) : [];
  return new Map([...filled, ...narrowing.map((name) => [name, 'project'] as const)]);
}

const scopeWords = ({ project, environment }: Scope): { readonly what: string; readonly setBy: string } => ({
  what: environment ? `the environment "${environment.name}"` : `the project "${project?.name}"`,
  setBy: (environment ?? project)!.setBy,
});

/** One sentence about the scope, for the model. */
export const scopeText = (scope: Scope): string =>
  `This server is kept to ${scopeWords(scope).what}: tools don't ask for it.`;

/** The note for a name that isn't found in the scope. */
export const outsideScopeText = (scope: Scope): string =>
  `This server is kept to ${scopeWords(scope).what} (${scopeWords(scope).setBy}): nothing is looked for outside it.`;

const denial = (scope: Scope): Denial => ({
  rule: `this server is kept to ${scopeWords(scope).what}, and this lies outside, or where it lies could not be found out`,
  setBy: scopeWords(scope).setBy,
  instead: 'What lies in it can be read and changed, and what belongs to no project can be read.',
});

// Lists of these belong to the organization, but their rows belong to projects.
const projectKinds: readonly ReferenceKind[] = ['project', 'environment', 'alert_rule'];

/** Whether an operation lists resources of all projects. */
const listsOtherProjects = (operation: AnyOperation): boolean => {
  const { kinds, list } = responseKinds(operation);
  return list && kinds.some((kind) => projectKinds.includes(kind));
};

const canBeInScope = (kind: ReferenceKind, scope: Scope): boolean =>
  isOfKind(kind, 'service') ||
  kind === 'environment' ||
  kind === 'alert_rule' ||
  (kind === 'project' && !scope.environment);

/**
 * Whether no target of an operation can be in scope.
 * @param isMainOperation whether the tool plans it, rather than reads with it.
 */
function isNeverInScope(operation: AnyOperation, scope: Scope, isMainOperation: boolean): boolean {
  if (canBeInScope(operation.target, scope)) return false;
  if (operation.showsEnvironments) return true;
  return (
    operation.effect !== 'read' || operation.target === 'project' || (isMainOperation && listsOtherProjects(operation))
  );
}

/** Why the scope forbids every call of a tool; undefined if it doesn't. */
export const denialByScope = ({ operations, expand }: Tool, scope: Scope | undefined): Denial | undefined =>
  scope && operations.every((operation) => isNeverInScope(operation, scope, expand !== undefined))
    ? denial(scope)
    : undefined;

const isSame = (id: string | undefined, scopeId: string): boolean => id?.toLowerCase() === scopeId;

/** Whether a resource with these ids is in scope. */
export const isPlaceInScope = (
  { environment, project }: { readonly environment?: string; readonly project?: string },
  { projectId, environmentId }: ResolvedScope,
): boolean =>
  environmentId !== undefined
    ? isSame(environment, environmentId)
    : projectId !== undefined && isSame(project, projectId);

const isInScope = ({ project, environment }: Target, scope: ResolvedScope): boolean =>
  isPlaceInScope({ environment: environment?.id, project: project?.id }, scope);

// A cluster belongs to no project, whatever it hosts.
const areAllInScope = (target: Target, resolvedScope: ResolvedScope): boolean =>
  isInScope(target, resolvedScope) &&
  targetAndTouched(target).every((one) => one.kind === 'cluster' || isInScope(one, resolvedScope));

const hasNoLocation = ({ project, environment }: Target): boolean => project === undefined && environment === undefined;

/** An operation with its target. */
interface ScopedOperation {
  readonly operation: AnyOperation;
  readonly target: Target;
  /** Whether the call planned it, as opposed to a read that the tool performs during the call. */
  readonly isMainOperation: boolean;
}

/** Why the scope forbids an operation on this target; undefined if it doesn't. In doubt it does. */
export function denialOutsideScope(
  scope: Scope,
  resolvedScope: ResolvedScope,
  { operation, target, isMainOperation }: ScopedOperation,
): Denial | undefined {
  const mayBeRead =
    operation.effect === 'read' &&
    !operation.showsEnvironments &&
    hasNoLocation(target) &&
    !(isMainOperation && listsOtherProjects(operation));
  return areAllInScope(target, resolvedScope) || mayBeRead ? undefined : denial(scope);
}

/**
 * The same for a resource that an argument refers to. The project that contains a scope's environment may be named: it
 * only narrows a search.
 */
export function denialOfArgument(scope: Scope, resolvedScope: ResolvedScope, target: Target): Denial | undefined {
  const isScopeProject =
    target.kind === 'project' && resolvedScope.projectId !== undefined && isSame(target.id, resolvedScope.projectId);
  return isInScope(target, resolvedScope) || hasNoLocation(target) || isScopeProject ? undefined : denial(scope);
}

/** Resolves the scope, once for each principal. */
export interface ScopeResolver {
  /**
   * @throws CallFailure if the operator's names don't refer to exactly one project or environment; ApiError if the
   * platform fails.
   */
  resolve(lookup: Lookup): Promise<ResolvedScope>;
}
