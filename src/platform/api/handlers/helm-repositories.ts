import { type Selectable, sql } from 'kysely';
import type * as z from 'zod';
import { hiddenSecret, isVisibleCredential, type operations } from '../../../contract/index.ts';
import { isoNow } from '../../common/index.ts';
import type { OperationHandlers } from '../handler.ts';
import type { Db, HelmRepositoryTable, Vault } from '../../store/index.ts';
import { findById, findInOrganization } from './find.ts';
import { pageOf } from './page.ts';
import { ownedBy, requireFreeName, withoutNulls } from './rows.ts';
import { helmRepositoryPath, requireUnused, usesOf } from './uses.ts';

const repositoryAnswer = async (db: Db, row: Selectable<HelmRepositoryTable>) => {
  const { total } = await db
    .selectFrom('service')
    .select((select) => select.fn.countAll<number>().as('total'))
    .where('kind', '=', sql.lit('helm'))
    .where(db.sql.member('spec', helmRepositoryPath), '=', row.id)
    .executeTakeFirstOrThrow();
  return {
    ...withoutNulls(row),
    skip_tls_verification: row.skip_tls_verification === 1,
    config: JSON.parse(row.config) as Record<string, string>,
    associated_services_count: total,
  };
};

type Config = Readonly<Record<string, string | undefined>>;

const pickMembers = (config: Config, keep: (name: string, value: string) => boolean): Record<string, string> =>
  Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) =>
      value !== undefined && keep(name, value) ? [[name, value] as const] : [],
    ),
  );

/**
 * The columns of credentials. A secret that isn't given, or is given as it is shown, stays as it is stored, because it
 * can't be read; one that is given as an empty text is removed.
 */
function credentialColumns(config: Config, vault: Vault, sealed: string | null = null) {
  const visible = { config: JSON.stringify(pickMembers(config, isVisibleCredential)) };
  const stored = sealed === null ? {} : (JSON.parse(vault.open(sealed)) as Config);
  const given = pickMembers(config, (name, value) => !isVisibleCredential(name) && value !== hiddenSecret);
  if (Object.keys(given).length === 0) return { ...visible, sealed_config: sealed };
  const secrets = pickMembers({ ...stored, ...given }, (_, value) => value !== '');
  return { ...visible, sealed_config: Object.keys(secrets).length === 0 ? null : vault.seal(JSON.stringify(secrets)) };
}

type Request = z.output<typeof operations.create_helm_repository.body>;

/** The columns that a request sets, save for the credentials. */
const columnsOf = ({ name, kind, url, description, skip_tls_verification: skips }: Omit<Request, 'config'>) => ({
  name,
  kind,
  url: url ?? null,
  description: description ?? null,
  skip_tls_verification: skips ? (1 as const) : (0 as const),
});

export const helmRepositoryHandlers = {
  create_helm_repository: async ({ organization_id, config, ...repository }, { db, clock, random, vault }) => {
    await findById(db, 'organization', organization_id);
    await requireFreeName(db, 'helm_repository', organization_id, repository.name);
    const now = isoNow(clock);
    const row = await db
      .insertInto('helm_repository')
      .values({
        id: random.uuid(),
        created_at: now,
        updated_at: now,
        organization_id,
        ...columnsOf(repository),
        ...credentialColumns(config, vault),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return repositoryAnswer(db, row);
  },
  get_helm_repository: async ({ organization_id, helm_repository_id }, { db }) =>
    repositoryAnswer(db, await findInOrganization(db, 'helm_repository', organization_id, helm_repository_id)),
  update_helm_repository: async (
    { organization_id, helm_repository_id, config, ...repository },
    { db, clock, vault },
  ) => {
    const stored = await findInOrganization(db, 'helm_repository', organization_id, helm_repository_id);
    await requireFreeName(db, 'helm_repository', organization_id, repository.name, stored.id);
    const row = await db
      .updateTable('helm_repository')
      .set({
        ...columnsOf(repository),
        ...credentialColumns(config, vault, stored.sealed_config),
        updated_at: isoNow(clock),
      })
      .where('id', '=', stored.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return repositoryAnswer(db, row);
  },
  delete_helm_repository: async ({ organization_id, helm_repository_id: id }, { db }) => {
    await requireUnused('helm_repository', organization_id, id, db);
    await db.deleteFrom('helm_repository').where('id', '=', id).execute();
    return undefined;
  },
  list_services_of_helm_repository: async ({ organization_id, helm_repository_id }, { db }) => ({
    results: await usesOf('helm_repository', organization_id, helm_repository_id, db),
  }),
  list_helm_repositories: async (input, context) =>
    pageOf(await ownedBy(context, 'helm_repository', input.organization_id), input, (rows) =>
      Promise.all(rows.map((row) => repositoryAnswer(context.db, row))),
    ),
} satisfies Partial<
  OperationHandlers<
    | `${'create' | 'get' | 'update' | 'delete'}_helm_repository`
    | 'list_services_of_helm_repository'
    | 'list_helm_repositories'
  >
>;
