import type { ServiceKind, operations, ValidInputOf } from '../../../contract/index.ts';
import { chartVersionFault, imageTagFault, invalid } from '../../common/index.ts';
import type { RequestContext } from '../handler.ts';
import { findService } from './find.ts';
import { replaceService } from './service-rows.ts';

type DeployServices = ValidInputOf<typeof operations.deploy_services>;

/** A service to deploy, and the requested version. */
export interface WantedService {
  readonly kind: ServiceKind;
  readonly id: string;
  readonly commit?: string | undefined;
  readonly tag?: string | undefined;
  readonly chart?: string | undefined;
  /** The path of its members in the request, with a trailing dot; the list of its kind by default. */
  readonly at?: string;
}

/** The member of the request that lists the services of a kind. */
export const memberOfKind = (kind: ServiceKind): string => `${kind}s`;

/**
 * The services that a request deploys.
 * @throws ApiProblem 400 if it names one twice
 */
export function wantedServices({
  applications = [],
  containers = [],
  databases = [],
  jobs = [],
  helms = [],
  terraforms = [],
}: DeployServices): readonly WantedService[] {
  const wanted: readonly WantedService[] = [
    ...applications.map((one) => ({ kind: 'application' as const, id: one.application_id, commit: one.git_commit_id })),
    ...containers.map((one) => ({ kind: 'container' as const, id: one.id, tag: one.image_tag })),
    ...databases.map((id) => ({ kind: 'database' as const, id })),
    ...jobs.map((one) => ({ kind: 'job' as const, id: one.id, commit: one.git_commit_id, tag: one.image_tag })),
    ...helms.map((one) => ({ kind: 'helm' as const, id: one.id, commit: one.git_commit_id, chart: one.chart_version })),
    ...terraforms.map((one) => ({ kind: 'terraform' as const, id: one.id, commit: one.git_commit_id })),
  ];
  const twice = wanted.find(({ id }, index) => wanted.findIndex((other) => other.id === id) !== index);
  if (twice) throw invalid(memberOfKind(twice.kind), `${twice.id} is named twice`);
  return wanted;
}

/** The path of a version in the request. */
const pathOf = ({ kind, at = `${memberOfKind(kind)}.` }: WantedService, member: string): string => `${at}${member}`;

const refuse = (wanted: WantedService, member: string, why: string) =>
  invalid(pathOf(wanted, member), `${wanted.kind} ${wanted.id} ${why}; leave it out`);

const requireNoFault = (wanted: WantedService, member: string, why: string | undefined): void => {
  if (why !== undefined) throw invalid(pathOf(wanted, member), why);
};

async function setTag(wanted: WantedService, tag: string, context: RequestContext): Promise<void> {
  requireNoFault(wanted, 'image_tag', imageTagFault(tag));
  if (wanted.kind === 'container') {
    const row = await findService(context.db, 'container', wanted.id);
    if (tag !== row.spec.tag) await replaceService(row, row.name, { ...row.spec, tag }, context);
    return;
  }
  const row = await findService(context.db, 'job', wanted.id);
  const { image } = row.spec.source;
  if (!image) throw refuse(wanted, 'image_tag', "isn't made from an image");
  if (tag !== image.tag)
    await replaceService(
      row,
      row.name,
      { ...row.spec, source: { ...row.spec.source, image: { ...image, tag } } },
      context,
    );
}

async function setChart(wanted: WantedService, chart_version: string, context: RequestContext): Promise<void> {
  requireNoFault(wanted, 'chart_version', chartVersionFault(chart_version));
  const row = await findService(context.db, 'helm', wanted.id);
  const { repository } = row.spec.source;
  if (!repository) throw refuse(wanted, 'chart_version', "isn't made from a chart of a repository");
  if (chart_version !== repository.chart_version)
    await replaceService(
      row,
      row.name,
      { ...row.spec, source: { ...row.spec.source, repository: { ...repository, chart_version } } },
      context,
    );
}

/** Whether a service is built from a Git repository, because of its kind or its source. */
async function isFromGit({ kind, id }: WantedService, { db }: RequestContext): Promise<boolean> {
  if (kind === 'job') return (await findService(db, kind, id)).spec.source.docker !== undefined;
  if (kind === 'helm') return (await findService(db, kind, id)).spec.source.git !== undefined;
  return kind === 'application' || kind === 'terraform';
}

async function requireGit(wanted: WantedService, context: RequestContext): Promise<void> {
  if (!(await isFromGit(wanted, context))) throw refuse(wanted, 'git_commit_id', "isn't built from a commit");
}

/**
 * Writes the requested tags and chart versions to the services' configurations, where deployments read them.
 * @returns the requested commits, by the ids of services
 * @throws ApiProblem 400 with the service that can't have such a version
 */
export async function setVersions(
  services: readonly WantedService[],
  context: RequestContext,
): Promise<Readonly<Record<string, string>>> {
  for (const one of services) {
    if (one.commit !== undefined) await requireGit(one, context);
    if (one.tag !== undefined) await setTag(one, one.tag, context);
    if (one.chart !== undefined) await setChart(one, one.chart, context);
  }
  return Object.fromEntries(services.flatMap(({ id, commit }) => (commit === undefined ? [] : [[id, commit]])));
}
