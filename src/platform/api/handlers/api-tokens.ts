import { invalid, isoNow, notFound } from '../../common/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import { addTokenWithId } from '../tokens.ts';
import { findById, requireReferences } from './find.ts';
import { pageOf } from './page.ts';
import { withoutNulls } from './rows.ts';

/** Revokes the tokens of a member. */
export async function revokeTokensOf(memberId: string, { db, clock }: RequestContext): Promise<void> {
  await db
    .updateTable('api_token')
    .set({ revoked_at: isoNow(clock) })
    .where('member_id', '=', memberId)
    .where('revoked_at', 'is', null)
    .execute();
}

const columns = ['id', 'created_at', 'name', 'permission', 'expires_at', 'last_used_at', 'member_id'] as const;

export const apiTokenHandlers = {
  list_api_tokens: async (input, { db, principal }) => {
    await findById(db, 'organization', input.organization_id);
    const live = db.selectFrom('api_token').where('revoked_at', 'is', null);
    return pageOf(
      {
        rows: live.select(columns).orderBy('created_at').orderBy('id'),
        total: async () =>
          (await live.select((row) => row.fn.countAll<number>().as('total')).executeTakeFirstOrThrow()).total,
      },
      input,
      async (rows) => {
        const owners = rows.flatMap(({ member_id: member }) => (member === null ? [] : [member]));
        const members =
          owners.length === 0
            ? []
            : await db.selectFrom('member').select(['id', 'name']).where('id', 'in', owners).execute();
        const names = new Map(members.map(({ id, name }) => [id, name]));
        return rows.map((row) => ({
          ...withoutNulls(row),
          member_name: names.get(row.member_id ?? ''),
          is_current: row.id === principal.id,
        }));
      },
    );
  },
  create_api_token: async ({ organization_id, name, permission, expires_at, member_id }, context) => {
    const { db, clock } = context;
    await findById(db, 'organization', organization_id);
    const ttlSeconds = expires_at === undefined ? undefined : (Date.parse(expires_at) - clock.now()) / 1000;
    if (ttlSeconds !== undefined && ttlSeconds <= 0)
      throw invalid('expires_at', `must be later than now, ${isoNow(clock)}`);
    if (member_id !== undefined) await requireReferences(db, 'member', organization_id, 'member_id', [member_id]);
    const member = member_id === undefined ? undefined : await findById(db, 'member', member_id);
    const { id, value } = await addTokenWithId(
      db,
      { name, permission, ...(ttlSeconds !== undefined && { ttlSeconds }), memberId: member?.id },
      context,
    );
    const row = await db.selectFrom('api_token').select(columns).where('id', '=', id).executeTakeFirstOrThrow();
    return { ...withoutNulls(row), member_name: member?.name, token: value };
  },
  revoke_api_token: async ({ organization_id, api_token_id }, { db, clock }) => {
    await findById(db, 'organization', organization_id);
    const { numUpdatedRows } = await db
      .updateTable('api_token')
      .set({ revoked_at: isoNow(clock) })
      .where('id', '=', api_token_id)
      .where('revoked_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw notFound('api_token', api_token_id);
    return undefined;
  },
} satisfies Partial<OperationHandlers<'list_api_tokens' | 'create_api_token' | 'revoke_api_token'>>;
