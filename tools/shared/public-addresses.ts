import { operations, Uuid, type AnyOperation } from '../../src/contract/index.ts';
import {
  isPlatformFailure,
  readUses,
  rowsIn,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import type { Subject } from './any-service.ts';
import { addressOfDomain, canHaveDomains, checkOf, checkReads, domainsOf, listReads } from './custom-domains.ts';
import { fewAtOnce } from './few-at-once.ts';

const links = {
  application: operations.get_application_links,
  container: operations.get_container_links,
  helm: operations.get_helm_links,
} as const;

type LinkedKind = keyof typeof links;

const isLinked = (kind: string): kind is LinkedKind => kind in links;

const all = [operations.list_links_of_environment, ...Object.values(links)];

/** The reads for public addresses. */
export const readsOfAddresses: readonly ReadUse[] = [
  ...readUses('public addresses are not shown', ...all),
  ...listReads,
  ...checkReads,
];

/** The same for all services of an environment at once. */
export const readsOfAddressesIn: readonly ReadUse[] = readsOfAddresses.filter(
  ({ operation }) => !Object.values<AnyOperation>(links).includes(operation),
);

/** Maximum number of services in an environment whose custom domains are read, because each takes separate requests. */
const mostWithDomains = 8;

/** The addresses of a service: those from the platform, the default one first, and its custom domains. */
interface Reached {
  readonly urls: readonly string[];
  readonly domains: readonly string[];
}

const urls = (rows: readonly JsonRecord[]): readonly string[] =>
  rows
    .toSorted((one, other) => Number(other['is_default'] === true) - Number(one['is_default'] === true))
    .flatMap(({ url }) => (typeof url === 'string' && url !== '' ? [url] : []));

/** The domains of a service, with their problems at the name servers. Both are read at once. */
async function domainsAt(context: ToolContext, kind: string, id: string): Promise<readonly string[] | undefined> {
  if (!canHaveDomains(kind)) return undefined;
  // Nobody needs it of a service without domains, so only who needs it tells that it failed.
  context.read(checkOf(kind), { [`${kind}_id`]: id }).catch(() => undefined);
  return (await domainsOf(context, { kind, id }))?.map(addressOfDomain);
}

/** The links of the services of an environment, by service; undefined if they can't be read. */
async function linksIn(
  context: ToolContext,
  environment_id: string,
): Promise<ReadonlyMap<string, readonly JsonRecord[]> | undefined> {
  const answer = await context.attempt(operations.list_links_of_environment, { environment_id });
  if (!answer) return undefined;
  const rows = Map.groupBy(rowsIn(answer), (row) => Uuid.safeParse(row['service_id']).data);
  const unnamed = (rows.get(undefined) ?? []).length;
  if (unnamed > 0)
    context.leftOut(
      `${unnamed} public ${unnamed === 1 ? 'address is' : 'addresses are'} not shown: the platform does not tell of which service.`,
    );
  return new Map([...rows].flatMap(([id, its]) => (id === undefined ? [] : [[id, its] as const])));
}

/** The public addresses of the selected services of an environment, by service; undefined if they can't be read. */
export async function addressesIn(
  context: ToolContext,
  environment_id: string,
  isMeant: (service: string) => boolean = () => true,
): Promise<ReadonlyMap<string, Reached> | undefined> {
  const found = await linksIn(context, environment_id);
  if (!found) return undefined;
  const services = [...found]
    .filter(([id]) => isMeant(id))
    .map(([id, rows]) => ({ id, rows, kind: String(rows[0]!['service_type']).toLowerCase() }));
  const notAsked = services.length - mostWithDomains;
  if (notAsked > 0) context.leftOut(`The domains of ${notAsked} more services were not read, to spare requests.`);
  const domains = await fewAtOnce(services.slice(0, mostWithDomains), ({ kind, id }) => domainsAt(context, kind, id));
  return new Map(
    services.map(({ id, rows }, index) => [id, { urls: urls(rows), domains: domains[index] ?? [] }] as const),
  );
}

/** The same in one list; undefined if they can't be read. */
export async function reachedIn(
  context: ToolContext,
  environment_id: string,
  isMeant: (service: string) => boolean,
): Promise<readonly string[] | undefined> {
  const found = await addressesIn(context, environment_id, isMeant);
  return found && [...found.values()].flatMap(({ urls: own, domains }) => [...own, ...domains]);
}

/** The links of a service: its own or, if the platform doesn't list these, those in the list of its environment. */
async function linksOf(
  context: ToolContext,
  kind: LinkedKind,
  id: string,
  environmentId: string | undefined,
): Promise<readonly JsonRecord[] | undefined> {
  const [operation, input] = [links[kind], { [`${kind}_id`]: id } as never];
  try {
    return rowsIn(await context.read(operation, input));
  } catch (error) {
    if (isPlatformFailure(error) && error.kind === 'not_offered' && environmentId !== undefined) {
      const found = await linksIn(context, environmentId);
      return found && (found.get(id) ?? []);
    }
    const answer = await context.attempt(operation, input);
    return answer && rowsIn(answer);
  }
}

/**
 * The public addresses of a service, those of the platform first. Undefined for kinds that have none, and if they can't
 * be read.
 */
export async function addressesOf(
  context: ToolContext,
  { kind, id, environmentId }: Subject,
): Promise<readonly string[] | undefined> {
  if (!isLinked(kind)) return undefined;
  const [rows, domains = []] = await Promise.all([
    linksOf(context, kind, id, environmentId),
    domainsAt(context, kind, id),
  ]);
  if (!rows) return domains.length > 0 ? domains : undefined;
  // Without a public port, its domains reach nothing.
  return rows.length === 0 ? [] : [...urls(rows), ...domains];
}

/** Public addresses in an answer: having none is different from not being able to read them. */
export const shownAddresses = (addresses: readonly string[] | undefined): JsonRecord =>
  addresses === undefined ? {} : { public_addresses: addresses.length > 0 ? addresses : 'none' };
