import { gitTokenHost, isRecord, parseJson } from '../../contract/index.ts';
import type { GitTokenInput, RegistryInput, ServiceToRun } from '../runtime/index.ts';
import { type Db, referencesIn } from '../store/index.ts';
import type { EngineContext } from './context.ts';

const memberIn = (json: string | null, name: string): unknown => {
  const members = json === null ? undefined : parseJson(json);
  return isRecord(members) ? members[name] : undefined;
};

/** The user name and password in stored credentials; undefined if they hold none. */
export function basicCredentials(
  { config, sealed_config: sealed }: { readonly config: string | null; readonly sealed_config: string | null },
  openSecret: EngineContext['openSecret'],
): { readonly username: string; readonly password: string } | undefined {
  const username = memberIn(config, 'username');
  const password = sealed === null ? undefined : memberIn(openSecret(sealed), 'password');
  return typeof username === 'string' && typeof password === 'string' ? { username, password } : undefined;
}

/** The registry of the image that a service names, with the credentials that are stored with it. */
export async function registryOf(
  db: Pick<Db, 'selectFrom'>,
  service: ServiceToRun,
  openSecret: EngineContext['openSecret'],
): Promise<RegistryInput | undefined> {
  const [reference] = referencesIn('registry', service.kind, service.spec);
  if (reference === undefined) return undefined;
  const row = await db
    .selectFrom('registry')
    .select(['name', 'kind', 'url', 'config', 'sealed_config'])
    .where('id', '=', reference.id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { name, kind, url } = row;
  const credentials = basicCredentials(row, openSecret);
  return { name, kind, url, ...(credentials && { credentials }) };
}

/** The git token that the configuration of a service's source names; undefined if there is none. */
export async function gitTokenOf(
  db: Pick<Db, 'selectFrom'>,
  service: ServiceToRun,
  openSecret: EngineContext['openSecret'],
): Promise<GitTokenInput | undefined> {
  const [reference] = referencesIn('git_token', service.kind, service.spec);
  if (reference === undefined) return undefined;
  const row = await db
    .selectFrom('git_token')
    .select(['name', 'type', 'git_api_url', 'sealed_token'])
    .where('id', '=', reference.id)
    .executeTakeFirst();
  const host = row && gitTokenHost(row);
  return row && host !== undefined ? { name: row.name, host, token: openSecret(row.sealed_token) } : undefined;
}
