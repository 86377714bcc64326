import { gitTokenHost, isRecord, readGitAddress, type ServiceKind } from '../../../contract/index.ts';
import { invalid, type ServiceSpecs } from '../../common/index.ts';
import { type Db, referencesIn } from '../../store/index.ts';
import type { OperationHandlers } from '../handler.ts';
import { findById, requireReferences } from './find.ts';
import { organizationResources } from './organization-resources.ts';
import { withoutNulls } from './rows.ts';
import { countUses } from './uses.ts';

interface Request {
  readonly type: string;
  readonly token?: string | undefined;
  readonly description?: string | undefined;
  readonly expired_at?: string | undefined;
  readonly git_api_url?: string | undefined;
}

const tokens = organizationResources('git_token', {
  columns: ({ type, token, description, expired_at, git_api_url: url }: Request, { vault }, stored) => {
    const host = gitTokenHost({ type, git_api_url: url });
    if (host === undefined)
      throw invalid('git_api_url', `is required for the type ${type}: a token is sent to its own server only`);
    if (token === undefined && stored !== undefined && gitTokenHost(stored) !== host)
      throw invalid('token', `is required with another server: the stored token was not given for ${host}`);
    return {
      type,
      description: description ?? null,
      git_api_url: url ?? null,
      expired_at: expired_at === undefined ? null : new Date(expired_at).toISOString(),
      // A request without a token keeps the stored one, because it can't be read. A new one always has one.
      sealed_token: token === undefined ? stored!.sealed_token : vault.seal(token),
    };
  },
  answer: async (row, db) => ({
    ...withoutNulls(row),
    associated_services_count: await countUses('git_token', row.id, db),
  }),
});

export const gitTokenHandlers = {
  list_git_tokens: tokens.list,
  create_git_token: tokens.create,
  get_git_token: ({ organization_id, git_token_id }, context) => tokens.get(organization_id, git_token_id, context),
  update_git_token: ({ git_token_id, ...token }, context) => tokens.update(git_token_id, token, context),
  delete_git_token: ({ organization_id, git_token_id }, context) =>
    tokens.remove(organization_id, git_token_id, context),
  list_services_of_git_token: ({ organization_id, git_token_id }, context) =>
    tokens.uses(organization_id, git_token_id, context),
} satisfies Partial<
  OperationHandlers<`${'create' | 'get' | 'update' | 'delete' | 'list_services_of'}_git_token` | 'list_git_tokens'>
>;

/** The member of a configuration at a path. */
const at = (spec: object, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), spec);

/**
 * Refuses git tokens that the organization doesn't have, or that are for another server than that of the repository.
 * References that stay as they were pass.
 * @param previous the configuration to replace; absent for a new service
 * @throws ApiProblem 400 with the member
 */
export async function requireGitTokens<Kind extends ServiceKind>(
  db: Db,
  environmentId: string,
  kind: Kind,
  spec: ServiceSpecs[Kind],
  previous?: ServiceSpecs[Kind],
): Promise<void> {
  for (const { path, id } of referencesIn('git_token', kind, spec)) {
    const repository = path.slice(0, -1);
    const url = String(at(spec, [...repository, 'url']));
    if (previous && at(previous, path) === id && at(previous, [...repository, 'url']) === url) continue;
    const { organization_id: organizationId } = await db
      .selectFrom('environment')
      .innerJoin('project', 'project.id', 'environment.project_id')
      .select('project.organization_id')
      .where('environment.id', '=', environmentId)
      .executeTakeFirstOrThrow();
    const member = path.join('.');
    await requireReferences(db, 'git_token', organizationId, member, [id]);
    const token = await findById(db, 'git_token', id);
    const address = readGitAddress(url);
    const host = gitTokenHost(token);
    if (typeof address !== 'string' && address.scheme !== 'ssh' && address.host !== host)
      throw invalid(member, `the git token ${token.name} is for ${host ?? 'no known server'}, not for ${address.host}`);
  }
}
