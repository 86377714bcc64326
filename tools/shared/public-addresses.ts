import { operations } from '../../src/contract/index.ts';
import { isPlatformFailure, readUses, rowsIn, type JsonRecord, type ReadUse, type ToolContext } from '../../src/server/tool/index.ts';
import type { Subject } from './any-service.ts';

const links = { application: operations.get_application_links, container: operations.get_container_links, helm: operations.get_helm_links } as const;

type LinkedKind = keyof typeof links;

const isLinked = (kind: string): kind is LinkedKind => kind in links;

const all = [operations.list_links_of_environment, ...Object.values(links)];

/** What public addresses are read from. */
export const readsOfAddresses: readonly ReadUse[] = readUses('public addresses are not shown', ...all);

const urls = (rows: readonly JsonRecord[]): readonly string[] =>
  rows.toSorted((one, other) => Number(other['is_default'] === true) - Number(one['is_default'] === true)).flatMap(({ url }) => (typeof url === 'string' && url !== '' ? [url] : []));

/** The public addresses of the services of an environment, by service; undefined if they can't be read. */
export async function addressesIn(context: ToolContext, environment_id: string): Promise<ReadonlyMap<string, readonly string[]> | undefined> {
  const answer = await context.attempt(operations.list_links_of_environment, { environment_id });
  return answer && new Map([...Map.groupBy(rowsIn(answer), (row) => String(row['service_id']))].map(([id, rows]) => [id, urls(rows)]));
}

const ownIn = (addresses: ReadonlyMap<string, readonly string[]> | undefined, id: string): readonly string[] | undefined => addresses && (addresses.get(id) ?? []);

/**
 * The public addresses of a service, the default one first: its own or, where the platform doesn't list these, those in the
 * list of its environment. Undefined for kinds that have none, and where they can't be read.
 */
export async function addressesOf(context: ToolContext, { kind, id, environmentId }: Subject): Promise<readonly string[] | undefined> {
  if (!isLinked(kind)) return undefined;
  const [operation, input] = [links[kind], { [`${kind}_id`]: id } as never];
  try {
    return urls(rowsIn(await context.read(operation, input)));
  } catch (error) {
    if (isPlatformFailure(error) && error.kind === 'not_offered' && environmentId !== undefined) return ownIn(await addressesIn(context, environmentId), id);
    const answer = await context.attempt(operation, input);
    return answer && urls(rowsIn(answer));
  }
}

/** Public addresses in an answer: that there is none is said, that they could not be read is not the same. */
export const shownAddresses = (addresses: readonly string[] | undefined): JsonRecord =>
  addresses === undefined ? {} : { public_addresses: addresses.length > 0 ? addresses : 'none' };
