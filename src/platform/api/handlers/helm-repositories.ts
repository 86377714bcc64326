import { type Selectable, sql } from 'kysely';
import { isVisibleCredential } from '../../../contract/index.ts';
import { isoNow } from '../../common/index.ts';
import type { OperationHandlers } from '../handler.ts';
import type { Db, HelmRepositoryTable } from '../../store/index.ts';
import { findById } from './find.ts';
import { pageOf } from './page.ts';
import { ownedBy, requireFreeName, withoutNulls } from './rows.ts';

// There is an index on this member.
const usedRepository = ['source', 'repository', 'repository', 'id'];

const repositoryAnswer = async (db: Db, row: Selectable<HelmRepositoryTable>) => {
  const { total } = await db
    .selectFrom('service')
    .select((select) => select.fn.countAll<number>().as('total'))
    .where('kind', '=', sql.lit('helm'))
    .where(db.sql.member('spec', usedRepository), '=', row.id)
    .executeTakeFirstOrThrow();
  return {
    ...withoutNulls(row),
    skip_tls_verification: row.skip_tls_verification === 1,
    config: JSON.parse(row.config) as Record<string, string>,
    associated_services_count: total,
  };
};

const pickMembers = (config: Record<string, string | undefined>, keep: (name: string) => boolean) =>
  Object.fromEntries(Object.entries(config).filter(([name, value]) => value !== undefined && keep(name)));

export const helmRepositoryHandlers = {
  create_helm_repository: async ({ organization_id, config, ...repository }, { db, clock, random, vault }) => {
    await findById(db, 'organization', organization_id);
    await requireFreeName(db, 'helm_repository', organization_id, repository.name);
    const secrets = pickMembers(config, (name) => !isVisibleCredential(name));
    const now = isoNow(clock);
    const row = await db
      .insertInto('helm_repository')
      .values({
        id: random.uuid(),
        created_at: now,
        updated_at: now,
        organization_id,
        name: repository.name,
        kind: repository.kind,
        url: repository.url ?? null,
        description: repository.description ?? null,
        skip_tls_verification: repository.skip_tls_verification ? 1 : 0,
        config: JSON.stringify(pickMembers(config, isVisibleCredential)),
        sealed_config: Object.keys(secrets).length === 0 ? null : vault.seal(JSON.stringify(secrets)),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    return repositoryAnswer(db, row);
  },
  list_helm_repositories: async (input, context) =>
    pageOf(await ownedBy(context, 'helm_repository', input.organization_id), input, (rows) =>
      Promise.all(rows.map((row) => repositoryAnswer(context.db, row))),
    ),
} satisfies Partial<OperationHandlers<'create_helm_repository' | 'list_helm_repositories'>>;
