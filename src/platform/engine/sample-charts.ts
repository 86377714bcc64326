import { isRecord, parseJson } from '../../contract/index.ts';
import { type Db, serviceReferences } from '../store/index.ts';

/** A chart of a repository, with its versions in the order of the index. */
export interface Chart {
  readonly chart_name: string;
  readonly versions: string[];
}

/** The version after a chart's: the next minor one. */
const nextVersion = (version: string): string | undefined => {
  const [, major, minor] = /^v?(\d+)\.(\d+)\./.exec(version) ?? [];
  return minor === undefined ? undefined : `${major}.${Number(minor) + 1}.0`;
};

/** Whether the address of a repository is one of examples: hosts below `.example` exist nowhere. */
export const isSample = (url: string | null): boolean =>
  url !== null && URL.parse(url)?.hostname.endsWith('.example') === true;

/**
 * The charts of a repository of the sample organization: those that services use, each with its version and a newer
 * one.
 */
export async function sampleCharts(db: Pick<Db, 'selectFrom' | 'sql'>, repositoryId: string): Promise<Chart[]> {
  const [{ kind, path }] = serviceReferences.helm_repository;
  const rows = await db
    .selectFrom('service')
    .select('spec')
    .where('kind', '=', kind)
    .where(db.sql.member('spec', path), '=', repositoryId)
    .execute();
  const used = new Map<string, Set<string>>();
  for (const { spec } of rows) {
    const parsed = parseJson(spec);
    const source = isRecord(parsed) && isRecord(parsed['source']) ? parsed['source']['repository'] : undefined;
    if (!isRecord(source)) continue;
    const [name, version] = [String(source['chart_name']), String(source['chart_version'])];
    used.set(name, new Set([...(used.get(name) ?? []), ...[nextVersion(version) ?? []].flat(), version]));
  }
  return [...used].map(([name, versions]) => ({ chart_name: name, versions: [...versions] }));
}
