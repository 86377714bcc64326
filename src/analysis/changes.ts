import type * as z from 'zod';
import type { EnvironmentVariable, ServiceKind } from '../contract/index.ts';
import { clip } from './events.ts';
import { type HistoryItem, type PastDeployment, readDeployment, shortCommit } from './history.ts';
import type { Lenient } from './lenient.ts';
import { howChanged, recordedText, recordsByVariable, type RecordedChange } from './recorded-changes.ts';

/** A variable without its value, so that the analysis can't disclose the value. */
export type VariableKey = Lenient<
  Pick<z.infer<typeof EnvironmentVariable>, 'updated_at' | 'created_at' | 'scope' | 'variable_type'>
> & { readonly key: string };

/** Another service of the same environment. Databases have a host, a port and a type. */
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

/** A change between two points in a service's history. */
export interface ServiceChange {
  readonly kind: 'commit' | 'image' | 'configuration' | 'variable' | 'sibling' | 'deployment';
  readonly text: string;
  /** Key of the variable, for a change of a variable. */
  readonly variable?: string;
  /** The time of the change, if known. */
  readonly at?: string;
}

/** Possible changes besides a service's deployments. */
export interface ChangeContext {
  /** Without stored secrets; absent if they could not be read. */
  readonly variables?: readonly VariableKey[];
  readonly siblings?: readonly Sibling[];
  /** When the service's configuration was last changed. */
  readonly configuredAt?: string | null;
  /** Recorded changes to its configuration and its variables; absent if the platform records none. */
  readonly recorded?: readonly RecordedChange[];
}

/** Whether a time is after `from` and not after `to`; an undefined bound is open. */
export const isWithin = (
  time: string | null | undefined,
  from: string | undefined,
  to: string | undefined,
): time is string => {
  if (!time) return false;
  const at = Date.parse(time);
  // Comparisons with an invalid time are false, as intended.
  return (from === undefined || at > Date.parse(from)) && (to === undefined || at <= Date.parse(to));
};

const commitText = (from: PastDeployment, to: PastDeployment): string => {
  const details = [to.commitMessage && JSON.stringify(to.commitMessage), to.commitAuthor && `by ${to.commitAuthor}`]
    .filter(Boolean)
    .join(' ');
  return `commit ${from.commit ? `${shortCommit(from.commit)} → ` : ''}${shortCommit(to.commit ?? '')}${details ? ` (${details})` : ''}`;
};

const contentChanges = (from: PastDeployment, to: PastDeployment): ServiceChange[] => [
  ...(to.commit && to.commit !== from.commit ? [{ kind: 'commit', text: commitText(from, to) } as const] : []),
  ...(to.image && to.image !== from.image
    ? [{ kind: 'image', text: `image ${from.image ? `${from.image} → ` : ''}${to.image}` } as const]
    : []),
];

const variableText = (
  { key, scope }: { readonly key: string; readonly scope?: string | null },
  what: string,
  kind = 'variable',
): string => `${kind} ${key} ${what}${scope ? ` (${scope.toLowerCase()})` : ''}`;

/** The newest matching record. */
const newest = (
  recorded: readonly RecordedChange[],
  fits: (one: RecordedChange) => boolean,
): RecordedChange | undefined =>
  recorded.filter(fits).toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))[0];

const isOf =
  ({ key, scope }: VariableKey) =>
  (one: RecordedChange): boolean =>
    one.variable === key && (!scope || !one.scope || one.scope === scope);

const variableChanges = (
  variables: readonly VariableKey[],
  recorded: readonly RecordedChange[],
  from?: string,
  to?: string,
): ServiceChange[] =>
  variables
    .filter((variable) => isWithin(variable.updated_at ?? variable.created_at, from, to))
    .map((variable) => ({
      kind: 'variable',
      variable: variable.key,
      text: `${variableText(variable, isWithin(variable.created_at, from, to) ? 'added' : 'changed')}${recordedText(newest(recorded, isOf(variable)) ?? {})}`,
      at: variable.updated_at ?? variable.created_at ?? undefined,
    }));

/**
 * Changes that the list of variables doesn't show: only records show stored secrets, removed variables and, if the list
 * couldn't be read, all others.
 */
const unlistedChanges = (variables: readonly VariableKey[], recorded: readonly RecordedChange[]): ServiceChange[] =>
  [...recordsByVariable(recorded).values()].flatMap((records): ServiceChange[] => {
    const [first, last] = [records[0]!, records.at(-1)!];
    const { variable: key = '', scope, isSecret = false, by, at, values, changes } = last;
    const how = howChanged({ wasThere: first.isAddition !== true, isThere: !last.isRemoval, isSecret });
    if (how === undefined || variables.some((variable) => isOf(variable)(last))) return [];
    const was = last.isRemoval ? values?.before && `was ${clip(values.before)}` : isSecret ? undefined : changes;
    return [
      {
        kind: 'variable',
        variable: key,
        text: `${variableText({ key, scope }, how, isSecret ? 'secret' : 'variable')}${recordedText({ by, changes: was })}`,
        at,
      },
    ];
  });

function configurationChanges(
  recorded: readonly RecordedChange[],
  configuredAt: string | null | undefined,
  from?: string,
  to?: string,
): ServiceChange[] {
  const own = recorded.filter(({ variable }) => variable === undefined);
  if (own.length > 0)
    return own.map((one) => ({
      kind: 'configuration',
      text: `its configuration was changed${recordedText(one)}`,
      at: one.at,
    }));
  return isWithin(configuredAt, from, to)
    ? [{ kind: 'configuration', text: 'its configuration was changed', at: configuredAt }]
    : [];
}

const siblingChanges = (siblings: readonly Sibling[], from?: string, to?: string): ServiceChange[] =>
  siblings
    .filter(({ last_deployment_date: at }) => isWithin(at, from, to))
    .map(
      ({ kind, name, state, last_deployment_date: at }) =>
        ({
          kind: 'sibling',
          text: `${kind} ${name} was deployed${state ? `, is ${state}` : ''}`,
          at: at ?? undefined,
        }) as const,
    );

const contextChanges = (
  { variables = [], siblings = [], configuredAt, recorded: all = [] }: ChangeContext,
  from?: string,
  to?: string,
): ServiceChange[] => {
  const recorded = all.filter(({ at }) => isWithin(at, from, to));
  return [
    ...configurationChanges(recorded, configuredAt, from, to),
    ...variableChanges(variables, recorded, from, to),
    ...unlistedChanges(variables, recorded),
    ...siblingChanges(siblings, from, to),
  ];
};

/**
 * The changes from one deployment of a service to a later one: commit, image, and other changes between the starts of
 * the two. Removed variables appear only in the platform's records.
 */
export function changesBetween(from: HistoryItem, to: HistoryItem, context: ChangeContext = {}): ServiceChange[] {
  const [first, second] = [readDeployment(from), readDeployment(to)];
  const content = contentChanges(first, second);
  // A new image is a configuration change, and is reported already.
  const configuredAt = content.some(({ kind }) => kind === 'image') ? undefined : context.configuredAt;
  return [...content, ...contextChanges({ ...context, configuredAt }, first.startedAt, second.startedAt)];
}

const deploymentText = ({ action, state, triggeredBy, commit, image }: PastDeployment): string =>
  [
    `${action.toLowerCase()} ended as ${state ?? 'unknown'}`,
    commit && `commit ${shortCommit(commit)}`,
    image && `image ${image}`,
    triggeredBy && `by ${triggeredBy}`,
  ]
    .filter(Boolean)
    .join(', ');

/**
 * The changes for a service since a time, newest first: its deployments, and other changes.
 * @param history the service's deployments, newest first
 * @param since an ISO timestamp
 */
export function changesSince(
  history: readonly HistoryItem[],
  since: string,
  context: ChangeContext = {},
): ServiceChange[] {
  const deployments = history
    .map(readDeployment)
    .filter(({ startedAt }) => isWithin(startedAt, since, undefined))
    .map((past): ServiceChange => ({ kind: 'deployment', text: deploymentText(past), at: past.startedAt }));
  const time = ({ at }: ServiceChange): number => (at === undefined ? 0 : Date.parse(at));
  return [...deployments, ...contextChanges(context, since)].toSorted((one, other) => time(other) - time(one));
}
