import { operations, type ServiceKind } from '../../src/contract/index.ts';
import { laterFirst } from '../../src/analysis/index.ts';
import {
  readUses,
  rowsIn,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';

const lists = {
  application: operations.list_application_commits,
  helm: operations.list_helm_commits,
  job: operations.list_job_commits,
  terraform: operations.list_terraform_commits,
} as const;

const isListed = (kind: string): kind is keyof typeof lists => kind in lists;

/** The reads for the commits of a service's branch. */
export const readsOfCommits: readonly ReadUse[] = readUses(
  'which commit is the newest is not known, nor whether a commit is one of the branch',
  ...Object.values(lists),
);

/** The newest commits of a branch, newest first. There may be others. */
export interface BranchCommits {
  readonly rows: readonly JsonRecord[];
}

/** Commits by date, newest first; in the platform's order if one has no date. */
const newestFirst = (rows: readonly JsonRecord[]): readonly JsonRecord[] =>
  rows.some((row) => Number.isNaN(Date.parse(textOf(row, 'created_at') ?? '')))
    ? rows
    : rows.toSorted((one, other) => laterFirst(textOf(one, 'created_at'), textOf(other, 'created_at')));

/** The newest commits of a service's branch; undefined if the platform doesn't list them. */
export async function commitsOf(
  { attempt }: Pick<ToolContext, 'attempt'>,
  kind: ServiceKind,
  id: string,
): Promise<BranchCommits | undefined> {
  const answer = isListed(kind) ? await attempt(lists[kind], { [`${kind}_id`]: id } as never) : undefined;
  if (!answer) return undefined;
  const rows = newestFirst(rowsIn(answer).filter((row) => textOf(row, 'git_commit_id') !== undefined));
  return rows.length === 0 ? undefined : { rows };
}

/** The full id of the commit whose id starts with this text; undefined if there is none. */
export const wholeCommit = ({ rows }: BranchCommits, start: string): string | undefined =>
  rows.map((row) => textOf(row, 'git_commit_id')!).find((id) => id.toLowerCase().startsWith(start.toLowerCase()));

/** The id of the newest commit. */
export const newestCommit = ({ rows }: BranchCommits): string => textOf(rows[0], 'git_commit_id')!;
