import { defaultPageSizes, type ServiceKind } from '../../src/contract/index.ts';
import {
  madeItRun,
  originIn,
  readDeployment,
  type HistoryItem,
  type PastDeployment,
} from '../../src/analysis/index.ts';
import {
  isPlatformFailure,
  rowsIn,
  show,
  textOf,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { readAspect, readsByKind } from './any-service.ts';

type Reads = Pick<ToolContext, 'attempt'>;

/** The version with which a service is started. */
export interface StartVersion {
  /** The members that name the version; empty if the platform uses the one that it has. */
  readonly input: JsonRecord;
  /** The version and its source, for the plan. */
  readonly note?: string;
}

export const readsOfVersions: readonly ReadUse[] = [
  ...readsByKind('deployments', 'which version ran before'),
  ...readsByKind('configuration', 'which version is configured'),
];

/** Reads optional information. A failed read is treated like one that the platform doesn't offer. */
const tryAspect = (
  context: Reads,
  aspect: 'configuration' | 'deployments',
  kind: ServiceKind,
  id: string,
): Promise<JsonRecord | undefined> =>
  readAspect(context, { kind, id }, aspect).catch((error: unknown) =>
    isPlatformFailure(error) && ['bad_answer', 'not_found', 'server_error'].includes(error.kind)
      ? undefined
      : Promise.reject(error as Error),
  );

/**
 * The last deployment that made a service run: restarts don't change the version, and failed deployments keep the
 * previous one.
 */
async function lastGood(kind: ServiceKind, id: string, reads: Reads): Promise<PastDeployment | undefined> {
  const good = rowsIn(await tryAspect(reads, 'deployments', kind, id))
    .map((row) => readDeployment(row as HistoryItem))
    .filter(madeItRun);
  return good.find(({ action }) => action === 'DEPLOY') ?? good[0];
}

/**
 * Whether the history of a service shows that no deployment ever made it run, as where an environment was stopped as a
 * whole. One that is empty, unreadable or longer than a page shows nothing.
 */
export async function hasNeverRun(kind: ServiceKind, id: string, reads: Reads): Promise<boolean> {
  const history = await tryAspect(reads, 'deployments', kind, id);
  const [rows, pageSize = defaultPageSizes.rows] = [rowsIn(history), history?.['page_size']];
  const isWhole = rows.length > 0 && typeof pageSize === 'number' && rows.length < pageSize;
  return isWhole && !rows.some((row) => madeItRun(readDeployment(row)));
}

const ranBefore = (what: string): string => `${what}, which ran before`;

const notTold = (configured: string | undefined): string =>
  `${configured === undefined ? 'as it is configured' : `${configured}, as it is configured`}, because the history does not tell what ran before`;

/** The text that one version ran and another one is configured. */
const other = (what: string, configured: string): string =>
  `${ranBefore(what)}, and not ${show(configured)}, which is configured now; the platform may configure it so`;

/** The text that a deployment can't name the version that ran. */
const unlike = (ran: string, configured: string): string =>
  `${show(configured)}, as it is configured: before, ${show(ran)} ran, and a start can't name that`;

async function applicationVersion(record: JsonRecord, id: string, reads: Reads): Promise<StartVersion> {
  const commit = originIn(record).git?.deployed ?? (await lastGood('application', id, reads))?.commit;
  return commit === undefined
    ? { input: {}, note: 'the commit that the platform has from before, which it does not tell' }
    : { input: { git_commit_id: commit }, note: ranBefore(`commit ${show(commit)}`) };
}

async function containerVersion(record: JsonRecord, id: string, reads: Reads): Promise<StartVersion> {
  const { tag, image } = (await lastGood('container', id, reads)) ?? {};
  const configured =
    originIn(record).image?.tag === undefined ? await tryAspect(reads, 'configuration', 'container', id) : record;
  const { name, tag: configuredTag } = originIn(configured).image ?? {};
  if (tag === undefined) return { input: {}, note: notTold(configuredTag && `tag ${show(configuredTag)}`) };
  const ranName = image?.slice(0, -tag.length - 1);
  if (name !== undefined && ranName !== undefined && name !== ranName)
    return { input: {}, note: unlike(image!, `${name}:${configuredTag ?? ''}`) };
  return {
    input: { image_tag: tag },
    note:
      configuredTag === undefined || configuredTag === tag
        ? ranBefore(`tag ${show(tag)}`)
        : other(`tag ${show(tag)}`, configuredTag),
  };
}

async function helmVersion(record: JsonRecord, id: string, reads: Reads): Promise<StartVersion> {
  const { chart, chartVersion, commit } = (await lastGood('helm', id, reads)) ?? {};
  const configured = record['source'] === undefined ? await tryAspect(reads, 'configuration', 'helm', id) : record;
  const { git, chart: { name, version } = {} } = originIn(configured);
  const isFromGit = version === undefined && git?.url !== undefined;
  const now = isFromGit ? 'the newest commit of its chart' : version && `chart version ${show(version)}`;
  if (chartVersion !== undefined) {
    const ran = [chart, chartVersion].filter(Boolean).join(' ');
    if (isFromGit || (name !== undefined && chart !== undefined && name !== chart))
      return { input: {}, note: unlike(`chart ${ran}`, isFromGit ? now! : `chart ${name} ${version}`) };
    return {
      input: { chart_version: chartVersion },
      note:
        version === undefined || version === chartVersion
          ? ranBefore(`chart version ${show(chartVersion)}`)
          : other(`chart version ${show(chartVersion)}`, version),
    };
  }
  if (commit === undefined) return { input: {}, note: notTold(now) };
  return version === undefined
    ? { input: { git_commit_id: commit }, note: ranBefore(`commit ${show(commit)} of its chart`) }
    : { input: {}, note: unlike(`commit ${commit} of a chart`, `chart ${name} ${version}`) };
}

const databaseVersion = (record: JsonRecord): StartVersion => {
  const version = textOf(record, 'version');
  return { input: {}, note: version === undefined ? undefined : `version ${show(version)}, as it is configured` };
};

/**
 * The version with which a service is started: the one that ran before, if the platform shows it and a deployment can
 * name it.
 */
export async function versionToStart(record: JsonRecord, reads: Reads): Promise<StartVersion> {
  const id = String(record['id']);
  switch (textOf(record, 'service_type')?.toLowerCase()) {
    case 'application':
      return applicationVersion(record, id, reads);
    case 'container':
      return containerVersion(record, id, reads);
    case 'helm':
      return helmVersion(record, id, reads);
    case 'database':
      return databaseVersion(record);
    default:
      return { input: {} };
  }
}
