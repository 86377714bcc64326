import type * as z from 'zod';
import type { EnvironmentVariable } from '../contract/resources/variable.ts';
import type { ServiceKind } from '../contract/resources/service.ts';
import { type HistoryItem, type PastDeployment, readDeployment, shortCommit } from './history.ts';
import type { Lenient } from './lenient.ts';

/** A variable without its value: what reads one here must not be able to show it. */
export type VariableKey = Lenient<Pick<z.infer<typeof EnvironmentVariable>, 'updated_at' | 'created_at' | 'scope' | 'variable_type'>> & { readonly key: string };

/** Another service of the same environment; databases have a host, a port and a type. */
export interface Sibling {
  readonly kind: ServiceKind;
  readonly id: string;
  readonly name: string;
  readonly state?: string | null;
  readonly host?: string | null;
  readonly port?: number | null;
  /** POSTGRESQL, REDIS and so on. */
  readonly type?: string | null;
  readonly last_deployment_date?: string | null;
}

/** A difference between two points of a service's life. */
export interface ServiceChange {
  readonly kind: 'commit' | 'image' | 'configuration' | 'variable' | 'sibling' | 'deployment';
  readonly text: string;
  /** The variable's key, where it is one. */
  readonly variable?: string;
  /** When it was made, where that is known. */
  readonly at?: string;
}

/** What stands around a service's deployments. */
export interface ChangeContext {
  readonly variables?: readonly VariableKey[];
  readonly siblings?: readonly Sibling[];
  /** When the service's configuration was last changed. */
  readonly configuredAt?: string | null;
}

/** Whether a time lies after the first and not after the second; each is open where left out. */
export const isWithin = (time: string | null | undefined, from: string | undefined, to: string | undefined): time is string => {
  if (!time) return false;
  const at = Date.parse(time);
  // Comparisons with what isn't a time are false, as they should be.
  return (from === undefined || at > Date.parse(from)) && (to === undefined || at <= Date.parse(to));
};

const commitText = (from: PastDeployment, to: PastDeployment): string => {
  const said = [to.commitMessage && JSON.stringify(to.commitMessage), to.commitAuthor && `by ${to.commitAuthor}`].filter(Boolean).join(' ');
  return `commit ${from.commit ? `${shortCommit(from.commit)} → ` : ''}${shortCommit(to.commit ?? '')}${said ? ` (${said})` : ''}`;
};

const contentChanges = (from: PastDeployment, to: PastDeployment): ServiceChange[] => [
  ...(to.commit && to.commit !== from.commit ? [{ kind: 'commit', text: commitText(from, to) } as const] : []),
  ...(to.image && to.image !== from.image ? [{ kind: 'image', text: `image ${from.image ? `${from.image} → ` : ''}${to.image}` } as const] : []),
];

const variableChanges = (variables: readonly VariableKey[], from?: string, to?: string): ServiceChange[] =>
  variables
    .filter((variable) => isWithin(variable.updated_at ?? variable.created_at, from, to))
    .map(({ key, scope, created_at: created, updated_at: updated }) => ({
      kind: 'variable',
      variable: key,
      text: `variable ${key} ${isWithin(created, from, to) ? 'added' : 'changed'}${scope ? ` (${scope.toLowerCase()})` : ''}`,
      at: updated ?? created ?? undefined,
    }));

const contextChanges = ({ variables = [], siblings = [], configuredAt }: ChangeContext, from?: string, to?: string): ServiceChange[] => [
  ...(isWithin(configuredAt, from, to) ? [{ kind: 'configuration', text: 'its configuration was changed', at: configuredAt } as const] : []),
  ...variableChanges(variables, from, to),
  ...siblings
    .filter(({ last_deployment_date: at }) => isWithin(at, from, to))
    .map(({ kind, name, state, last_deployment_date: at }) => ({
      kind: 'sibling', text: `${kind} ${name} was deployed${state ? `, is ${state}` : ''}`, at: at ?? undefined,
    } as const)),
];

/**
 * What changed from one deployment of a service to a later one: commit, image, and what was changed around it after
 * the first began and before the second did. Variables that were removed leave no trace, so none is told of.
 */
export function changesBetween(from: HistoryItem, to: HistoryItem, surroundings: ChangeContext = {}): ServiceChange[] {
  const [first, second] = [readDeployment(from), readDeployment(to)];
  const content = contentChanges(first, second);
  // Another image is another configuration: that says it already.
  const configuredAt = content.some(({ kind }) => kind === 'image') ? undefined : surroundings.configuredAt;
  return [...content, ...contextChanges({ ...surroundings, configuredAt }, first.startedAt, second.startedAt)];
}

const deploymentText = ({ action, state, triggeredBy, commit, image }: PastDeployment): string =>
  [
    `${action.toLowerCase()} ended as ${state ?? 'unknown'}`,
    commit && `commit ${shortCommit(commit)}`, image && `image ${image}`, triggeredBy && `by ${triggeredBy}`,
  ].filter(Boolean).join(', ');

/**
 * What changed for a service since a time, newest first: its deployments and what was changed around it.
 * @param history the service's deployments, newest first
 * @param since an ISO timestamp
 */
export function changesSince(history: readonly HistoryItem[], since: string, surroundings: ChangeContext = {}): ServiceChange[] {
  const deployments = history
    .map(readDeployment)
    .filter(({ startedAt }) => isWithin(startedAt, since, undefined))
    .map((past): ServiceChange => ({ kind: 'deployment', text: deploymentText(past), at: past.startedAt }));
  const time = ({ at }: ServiceChange): number => (at === undefined ? 0 : Date.parse(at));
  return [...deployments, ...contextChanges(surroundings, since)].toSorted((one, other) => time(other) - time(one));
}
