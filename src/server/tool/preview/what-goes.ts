import { allOperations, variableList, type AnyOperation, type ServiceKind } from '../../../contract/index.ts';
import { isRecord, recordsIn, type JsonRecord } from '../../json/index.ts';
import { readBothVariableLists, readVariableList, wholeListIn, type Reader } from '../../context/index.ts';
import { readUses, type ReadUse } from '../reads.ts';
import { show, showName, textOf } from './preview.ts';
import { isNeverApplied } from './terraform-state.ts';

/** A service that would be deleted. */
export interface DoomedService {
  readonly kind: ServiceKind;
  readonly id: string;
  readonly name: string;
  /** The platform's record of it; undefined if it can't be read. */
  readonly record?: JsonRecord;
  readonly state?: string;
  /** Whether nothing of it was ever deployed, nor tried to be. */
  readonly isNeverDeployed?: boolean;
}

/** Lists that belong to a service. Not every kind has each of them. */
const listings = ['variables', 'secrets', 'domains'] as const;
type Listed = (typeof listings)[number];

/** The list of this type for services of a kind, and its input; undefined if there is none. */
function listOf(
  what: Listed,
  kind: ServiceKind,
): { readonly operation: AnyOperation; readonly inputFor: (id: string) => JsonRecord } | undefined {
  if (what !== 'domains') return kind === 'database' ? undefined : variableList(what, kind);
  const operation = allOperations.find(({ name }) => name === `list_${kind}_domains`);
  return operation && { operation, inputFor: (id) => ({ [`${kind}_id`]: id }) };
}

/** The reads that find what is deleted with a service of these kinds. */
export const readsOfWhatGoes = (kinds: readonly ServiceKind[]): readonly ReadUse[] =>
  listings.flatMap((what) =>
    readUses(
      `the plan does not show all ${what} that go with a service`,
      ...new Set(kinds.flatMap((kind) => listOf(what, kind)?.operation ?? [])),
    ),
  );

/** The domains of a service; undefined if not all of them can be read. */
async function domainsOf(
  { kind, id }: Pick<DoomedService, 'kind' | 'id'>,
  reader: Reader,
): Promise<readonly JsonRecord[] | undefined> {
  const list = listOf('domains', kind);
  return list && wholeListIn(await reader.attempt(list.operation, list.inputFor(id)));
}

/** The variables and the secrets that a service sees; undefined where not all of them can be read. */
export async function bothListsOf(
  { kind, id }: Pick<DoomedService, 'kind' | 'id'>,
  reader: Reader,
): Promise<Partial<Record<'variables' | 'secrets', readonly JsonRecord[] | undefined>>> {
  if (kind === 'database') return {};
  const { variables, secrets } = await readBothVariableLists({ kind, id }, reader);
  return { variables: wholeListIn(variables), secrets: wholeListIn(secrets) };
}

/** The variables that a service sees, of every scope; undefined if they can't be read. */
export const variablesOfService = async (
  { kind, id }: Pick<DoomedService, 'kind' | 'id'>,
  reader: Reader,
): Promise<readonly JsonRecord[] | undefined> =>
  kind === 'database' ? undefined : wholeListIn(await readVariableList('variables', { kind, id }, reader));

const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** Names as text, in order. */
export const namesText = (names: readonly string[]): string => list.format(names.map(showName));

const keysOf = (variables: readonly JsonRecord[]): string[] =>
  variables.flatMap((variable) => textOf(variable, 'key') ?? []);

/** The own variables of a service among those that it sees. */
export const ownVariables = (
  seen: readonly JsonRecord[],
  { kind }: Pick<DoomedService, 'kind'>,
): readonly JsonRecord[] => seen.filter(({ scope }) => String(scope).toLowerCase() === kind);

const kindsWithVolumes: readonly ServiceKind[] = ['application', 'container'];

/**
 * Whether a service was never deployed, by its status. After a first deployment that failed, or was stopped, there may
 * be a disk with data.
 */
export const isNeverDeployed = (status: JsonRecord | undefined): boolean =>
  textOf(status, 'state') === 'READY' &&
  [undefined, 'NEVER_DEPLOYED'].includes(textOf(status, 'service_deployment_status'));

/** The disks of a service, as text; undefined if it has none. */
function disksText({ kind, record }: DoomedService): string | undefined {
  if (kind === 'database')
    return typeof record?.['storage'] === 'number'
      ? `its disk of ${show(record['storage'])} GB and all data on it`
      : 'its disk and all data on it';
  if (!kindsWithVolumes.includes(kind)) return undefined;
  if (!Array.isArray(record?.['storage'])) return 'volumes that can not be looked up';
  const volumes = recordsIn(record['storage']).map(
    (volume) => `${show(volume['mount_point'])} (${show(volume['size'])} GB)`,
  );
  if (volumes.length === 0) return undefined;
  return volumes.length === 1
    ? `its volume ${volumes[0]} and all data on it`
    : `its volumes ${list.format(volumes)} and all data on them`;
}

/** The data of a service that goes: its disks, or what Terraform made. */
function dataText(service: DoomedService): string | undefined {
  if (service.kind === 'terraform')
    return isNeverApplied(service.state) ? undefined : 'what it made, in the cloud account too';
  return service.isNeverDeployed === true ? undefined : disksText(service);
}

/** Why nothing is lost with a service that would have data; empty where that doesn't hold. */
export function nothingLostText(service: DoomedService): string {
  if (service.kind === 'terraform')
    return isNeverApplied(service.state) ? '; this platform never applied it, so it made nothing itself' : '';
  return service.isNeverDeployed === true && disksText(service) !== undefined
    ? '; it was never deployed, so it has no data'
    : '';
}

function publicText({ record }: DoomedService): string | undefined {
  const ports = recordsIn(record?.['ports']).filter((port) => port['publicly_accessible'] === true);
  const isPublic = ports.length > 0 || record?.['accessibility'] === 'PUBLIC';
  return isPublic ? 'its public address' : undefined;
}

function domainsText(service: DoomedService, domains: readonly JsonRecord[] | undefined): string | undefined {
  if (listOf('domains', service.kind) === undefined) return undefined;
  if (domains === undefined) return 'custom domains that can not be looked up';
  const names = domains.flatMap((domain) => textOf(domain, 'domain') ?? []);
  return names.length === 0 ? undefined : `the custom domain${names.length === 1 ? '' : 's'} ${namesText(names)}`;
}

/** The own variables or secrets of a service among those that it sees, by key. */
function keysText(
  what: 'variable' | 'secret',
  service: DoomedService,
  seen: readonly JsonRecord[] | undefined,
): string | undefined {
  if (seen === undefined) return service.kind === 'database' ? undefined : `${what}s that can not be looked up`;
  const keys = keysOf(ownVariables(seen, service));
  return keys.length === 0 ? undefined : `the ${what}${keys.length === 1 ? '' : 's'} ${namesText(keys)}`;
}

/** Everything that is deleted with a service, as the parts of a sentence. */
export async function whatGoesWith(service: DoomedService, reader: Reader): Promise<readonly string[]> {
  const [{ variables, secrets }, domains] = await Promise.all([
    bothListsOf(service, reader),
    domainsOf(service, reader),
  ]);
  return [
    dataText(service),
    publicText(service),
    domainsText(service, domains),
    keysText('variable', service, variables),
    keysText('secret', service, secrets),
  ].filter((part) => part !== undefined);
}

/** The rules in a list of alert rules that watch one of these resources. */
export const rulesWatching = (rules: readonly JsonRecord[], ids: readonly string[]): readonly string[] =>
  rules
    .filter(({ target }) => isRecord(target) && ids.includes(String(target['target_id'])))
    .map((rule) => textOf(rule, 'name') ?? String(rule['id']));
