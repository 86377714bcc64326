import { isServiceKind, shortened } from '../../src/contract/index.ts';
import { versionSourceOf } from '../../src/analysis/index.ts';
import {
  jobEffect,
  show,
  terraformEffect,
  textOf,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { commitsOf, newestCommit } from './branch-commits.ts';

const longestMessage = 60;

/**
 * The first line of a commit's message. Always in quotation marks, so that none of it can be mistaken for text of the
 * plan.
 */
const quoted = (row: JsonRecord | undefined): string => {
  const [line = ''] = (textOf(row, 'message') ?? '').split('\n');
  return line === '' ? '' : ` (${JSON.stringify(shortened(line, longestMessage))})`;
};

/**
 * The version that a request deploys for a service, as text.
 * @param effectOfJob what deploying a job does; undefined if that is told elsewhere
 */
export async function versionNote(
  service: JsonRecord,
  asked: JsonRecord,
  reader: Pick<ToolContext, 'attempt'>,
  effectOfJob: (job: JsonRecord) => string | undefined | Promise<string> = (job) => jobEffect(job),
): Promise<string> {
  const kind = (textOf(service, 'service_type') ?? '').toLowerCase();
  const source = versionSourceOf(kind, service);
  const done =
    kind === 'job'
      ? await effectOfJob(service)
      : kind === 'terraform'
        ? await terraformEffect(String(service['id']), reader)
        : undefined;
  const effect = done === undefined ? '' : `; ${done}`;
  if (source?.by !== 'commit') {
    const [now, next] = [
      source?.by === 'none' || source === undefined ? undefined : source.configured,
      textOf(asked, 'image_tag') ?? textOf(asked, 'chart_version'),
    ];
    if (next === undefined)
      return `${now === undefined ? 'as it is configured' : `${source?.by} ${show(now)}, as configured`}${effect}`;
    return `${now === undefined || now === next ? '' : `${source?.by} ${show(now)} → `}${source?.by ?? 'version'} ${show(next)}${effect}`;
  }
  const commit = textOf(asked, 'git_commit_id');
  if (commit === undefined)
    return `commit ${source.deployed ?? 'that was deployed before'} again: which is the newest could not be read${effect}`;
  const commits = isServiceKind(kind) ? await commitsOf(reader, kind, String(service['id'])) : undefined;
  const row = commits?.rows.find((one) => one['git_commit_id'] === commit);
  const isNewest = commits !== undefined && newestCommit(commits) === commit;
  const branch = show(source.branch ?? 'unknown');
  const newest = isNewest
    ? `, the newest of branch ${branch}`
    : commits && !row && commit !== source.deployed
      ? `, which is not among the ${commits.rows.length} newest of branch ${branch} that are listed`
      : '';
  return `${source.deployed === undefined || source.deployed === commit ? '' : `commit ${source.deployed} → `}commit ${commit}${quoted(row)}${newest}${effect}`;
}
