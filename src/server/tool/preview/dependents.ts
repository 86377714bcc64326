import type { ServiceKind } from '../../../contract/index.ts';
import { isRecord, type JsonRecord } from '../../json/index.ts';
import type { Reader } from '../../context/index.ts';
import { showName, textOf } from './preview.ts';
import { namesText, ownVariables, variablesOfService, type DoomedService } from './what-goes.ts';

/** A service that may need one that would be deleted. */
export type Neighbour = Pick<DoomedService, 'kind' | 'id' | 'name'>;

/** Most neighbours whose variables are read: each costs a request. */
export const mostNeighbours = 20;

// What can't be part of a host ends one.
const hostsIn = (value: string): readonly string[] => value.toLowerCase().split(/[^\p{L}\p{N}._-]+/u);

/** Whether a value names a service's host: its own one, or one whose first label is the service's name. */
export function namesHost(value: string, { name, host }: { readonly name: string; readonly host?: string }): boolean {
  const own = [name, host].flatMap((one) => (one === undefined ? [] : [one.toLowerCase()]));
  return hostsIn(value).some((found) => own.includes(found) || own.includes(found.split('.', 1)[0]!));
}

/** The variable that another stands for or overrides. */
const linkedId = (variable: JsonRecord): unknown => [variable['aliased_variable'], variable['overridden_variable']].find(isRecord)?.['id'];

/** What the platform makes of a service is seen by all its neighbours, whether they use it or not. */
const isBuiltIn = (variable: JsonRecord): boolean => variable['scope'] === 'BUILT_IN';

const namesIt = ({ name, record }: DoomedService) => (variable: JsonRecord): boolean => namesHost(textOf(variable, 'value') ?? '', { name, host: textOf(record, 'host') });

/** The keys of variables that name a service's host, or stand for one of its variables. */
const keysThatNeed = (variables: readonly JsonRecord[], service: DoomedService, own: readonly unknown[]): readonly string[] => [
  ...new Set(variables
    .filter((variable) => !isBuiltIn(variable))
    .filter((variable) => own.includes(linkedId(variable)) || namesIt(service)(variable))
    .flatMap((variable) => textOf(variable, 'key') ?? [])),
];

interface Needing {
  readonly neighbour: Neighbour;
  /** Undefined if its variables can't be read. */
  readonly keys?: readonly string[];
  /** Whether it sees a built-in variable that names the service. */
  readonly seesBuiltIn?: boolean;
}

/** Kinds that are configured by variables. */
const configured: readonly ServiceKind[] = ['application', 'container', 'job', 'helm', 'terraform'];

const needingText = ({ neighbour, keys = [] }: Needing): string => `${neighbour.kind} ${showName(neighbour.name)} (${namesText(keys)})`;

/**
 * What depends on a service, one line each: neighbours whose variables name its host or stand for a variable of it; and
 * which could not be looked at.
 * @param neighbours the other services of its environment.
 */
export async function dependentLines(service: DoomedService, neighbours: readonly Neighbour[], reader: Reader): Promise<readonly string[]> {
  const others = neighbours.filter(({ kind }) => configured.includes(kind));
  const searched = others.slice(0, mostNeighbours);
  const seen = await variablesOfService(service, reader);
  const own = ownVariables(seen ?? [], service).map(({ id }) => id);
  const found: readonly Needing[] = await Promise.all(searched.map(async (neighbour) => {
    const variables = await variablesOfService(neighbour, reader);
    return { neighbour, keys: variables && keysThatNeed(variables, service, own), seesBuiltIn: variables?.some((one) => isBuiltIn(one) && namesIt(service)(one)) };
  }));
  const needing = found.filter(({ keys = [] }) => keys.length > 0);
  const unread = [...found.filter(({ keys }) => keys === undefined).map(({ neighbour }) => neighbour.name), ...others.slice(mostNeighbours).map(({ name }) => name)];
  return [
    ...needing.map((one) => `Names it: ${needingText(one)}.`),
    ...(needing.length === 0 && searched.length > 0 && unread.length < others.length ? ['No variable of the other services that could be looked at names it.'] : []),
    ...(found.some(({ seesBuiltIn }) => seesBuiltIn) ? ['Its neighbours see its built-in variables too; whether they use them is not known.'] : []),
    ...(unread.length > 0 ? [`Not known: whether ${namesText(unread)} ${unread.length === 1 ? 'needs' : 'need'} it. Their variables are not read.`] : []),
  ];
}
