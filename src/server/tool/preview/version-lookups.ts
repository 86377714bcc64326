import { operations } from '../../../contract/index.ts';
import { originIn, readDeployment, type HistoryItem } from '../../../analysis/index.ts';
import { isPlatformFailure, organizationIdOf, rowsIn, wholeListIn, type Reader } from '../../context/index.ts';
import { type JsonRecord } from '../../json/index.ts';
import { readPresent } from '../present-state.ts';
import { reading, readUses, type ReadUse } from '../reads.ts';
import { readIfPossible } from './optional-read.ts';
import { notAgreedTo, show, textAt, textOf, type PlanLine, type Preview } from './preview.ts';
import { warningText, type PlanWarning } from './warnings.ts';

/** A version of a chart, as a request names it. */
interface ChartVersion {
  /** The id of its repository; undefined if that is not told. */
  readonly repository: string | undefined;
  readonly chart: string;
  readonly version: string;
}

/** Uses of the reads for whether a chart version exists. */
export const chartReads: readonly ReadUse[] = readUses(
  'the plan does not show whether there is this version of the chart',
  operations.get_organization,
  operations.list_helm_charts,
);

/** A look-up that found nothing. The agreement doesn't depend on it: what is published changes by itself. */
const notFound = (warning: PlanWarning): readonly PlanLine[] => [{ text: warningText(warning), agreed: '', warning }];

const notLookedUp = (what: string): readonly PlanLine[] => [notAgreedTo(`Not looked up: whether there is ${what}.`)];

/** Versions that name one release; ranges such as `^1.2` or `1.x` don't. */
const isOneVersion = (version: string): boolean => /^v?\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(version);

const plain = (version: string): string => version.replace(/^v/, '');

/** The organization, or undefined: the look-up is left out then. */
const organizationIn = async (reader: Reader): Promise<string | undefined> =>
  organizationIdOf(reader).catch((error: unknown) =>
    isPlatformFailure(error) ? undefined : Promise.reject(error as Error),
  );

/**
 * The charts of a repository that have this name; undefined if they can't all be listed, such as those of OCI
 * registries.
 */
async function chartsNamed(
  { repository, chart }: ChartVersion,
  reader: Reader,
): Promise<readonly JsonRecord[] | undefined> {
  const organization_id = repository === undefined ? undefined : await organizationIn(reader);
  if (organization_id === undefined) return undefined;
  const input = { organization_id, helm_repository_id: repository, chart_name: chart };
  const answer = await readIfPossible(operations.list_helm_charts, input, reader);
  return wholeListIn(answer)?.filter((row) => row['chart_name'] === chart);
}

/** Whether the repository of a chart lists a version of it: nothing if it does. One request. */
export async function chartLookup(asked: ChartVersion, reader: Reader): Promise<readonly PlanLine[]> {
  const { chart, version } = asked;
  const what = `version ${show(version)} of chart ${show(chart)}`;
  if (!isOneVersion(version)) return notLookedUp(what);
  const rows = await chartsNamed(asked, reader);
  if (!rows) return notLookedUp(what);
  const versions = rows.flatMap((row) => row['versions']).filter((one) => typeof one === 'string');
  if (rows.length > 0 && versions.length === 0) return notLookedUp(what);
  if (versions.some((one) => plain(one) === plain(version))) return [];
  return notFound({
    code: 'CHART_VERSION_NOT_FOUND',
    chart,
    version,
    ...(versions[0] !== undefined && { newest: versions[0] }),
  });
}

const chartIn = (source: unknown): ChartVersion | undefined => {
  const [chart, version, repository] = ['chart_name', 'chart_version', 'repository'].map((name) =>
    textAt({ source }, `source.helm_repository.${name}`),
  );
  return chart === undefined || version === undefined ? undefined : { chart, version, repository };
};

/** Whether the chart version of a new or changed Helm release exists, unless it has it already. */
export const chartOfRelease: Preview = reading(chartReads, async (args, { operation, reader, shownBy }) => {
  const asked = chartIn(args['source']);
  if (!asked) return [];
  const present = operation?.method === 'PUT' ? await readPresent(operation, args, reader, shownBy) : undefined;
  const { name, version, repositoryId } = originIn(present).chart ?? {};
  const isSame = name === asked.chart && version === asked.version && repositoryId === asked.repository;
  return isSame ? [] : chartLookup(asked, reader);
});

/** The same for Helm releases of a list that are deployed at other versions. */
export async function chartsOfReleases(
  services: readonly JsonRecord[],
  versionOf: (service: JsonRecord) => string | undefined,
  reader: Reader,
): Promise<readonly PlanLine[]> {
  const lines = await Promise.all(
    services.map(async (service) => {
      const version = versionOf(service);
      const { name, repositoryId, version: present } = originIn(service).chart ?? {};
      return version === undefined || name === undefined || version === present
        ? []
        : chartLookup({ chart: name, version, repository: repositoryId }, reader);
    }),
  );
  return lines.flat();
}

/** Uses of the reads for whether a commit is known. */
export const commitReads: readonly ReadUse[] = readUses(
  'the plan does not show whether the commit is one of the branch',
  operations.list_application_commits,
);

const isSameCommit = (one: string, other: string): boolean => one.startsWith(other) || other.startsWith(one);

const commitsIn = (history: JsonRecord): readonly string[] =>
  rowsIn(history).flatMap((row) => readDeployment(row as HistoryItem).commit ?? []);

/**
 * Whether a commit of an application is among the newest of its branch, or was deployed before: nothing if it is. One
 * request, unless it isn't listed; none if the call has read a history that has it.
 */
export async function commitLookup(
  application_id: string,
  asked: string,
  reader: Reader,
): Promise<readonly PlanLine[]> {
  const commit = asked.toLowerCase();
  const isAmong = (commits: readonly string[]): boolean => commits.some((one) => isSameCommit(one, commit));
  const before = await reader.answered(operations.list_application_deployments, { application_id });
  if (before.some((history) => isAmong(commitsIn(history)))) return [];
  const answer = await readIfPossible(operations.list_application_commits, { application_id }, reader);
  const listed = answer && rowsIn(answer).flatMap((row) => textOf(row, 'git_commit_id')?.toLowerCase() ?? []);
  if (!listed || listed.length === 0) return notLookedUp(`commit ${commit}`);
  if (isAmong(listed)) return [];
  const history = await readIfPossible(operations.list_application_deployments, { application_id }, reader);
  if (history && isAmong(commitsIn(history))) return [];
  return notFound({ code: 'COMMIT_NOT_LISTED', commit, listed: listed.length });
}
