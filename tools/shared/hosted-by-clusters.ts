import { isProduction, joinPath, operations } from '../../src/contract/index.ts';
import {
  readUses,
  rowsIn,
  textAt,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { unlessFailing } from './places.ts';

/** The reads for what clusters host. */
export const readsOfHosted: readonly ReadUse[] = [
  ...readUses('what each cluster hosts is not shown', operations.list_environments_of_organization),
  ...readUses('the services of what a cluster hosts are not counted', operations.list_services_of_organization),
];

interface Hosted {
  readonly path: string;
  readonly mode: string | undefined;
  readonly clusterId: string | undefined;
  /** Undefined if its services can't be listed. */
  readonly services: number | undefined;
}

const mostNamed = 5;

const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const hostedText = ({ path, mode, services }: Hosted): string => {
  const facts = [mode, services === undefined ? undefined : countText(services, 'service')].filter(Boolean);
  return `${path}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
};

/** The environments of a cluster, production first: some by name, then how many more. */
function textOfAll(hosted: readonly Hosted[]): string {
  const sorted = hosted.toSorted((one, other) => Number(isProduction(other.mode)) - Number(isProduction(one.mode)));
  const [named, others] = [sorted.slice(0, mostNamed), sorted.slice(mostNamed)];
  const production = others.filter(({ mode }) => isProduction(mode)).length;
  const services = others.reduce((sum, one) => sum + (one.services ?? 0), 0);
  const facts = [
    production > 0 ? `${production} of them PRODUCTION` : undefined,
    others.every((one) => one.services !== undefined) ? countText(services, 'service') : undefined,
  ].filter(Boolean);
  const more =
    others.length === 0
      ? []
      : [`and ${countText(others.length, 'more environment')}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`];
  return [...named.map(hostedText), ...more].join(', ');
}

/**
 * What each of some clusters hosts, in words, by id; undefined if it can't be read. The answer says what that lacks.
 * @throws ApiError if the platform fails as a whole
 */
export async function hostedByClusters(
  organization_id: string,
  context: ToolContext,
): Promise<((clusterId: string) => string) | undefined> {
  const [environments, services] = await Promise.all([
    unlessFailing(context.attempt(operations.list_environments_of_organization, { organization_id })),
    unlessFailing(context.attempt(operations.list_services_of_organization, { organization_id })),
  ]);
  if (!environments) {
    context.leftOut('What each cluster hosts is not shown, because the environments could not be listed at once.');
    return undefined;
  }
  const by = services && Map.groupBy(rowsIn(services), (row) => row['environment_id']);
  const hosted = rowsIn(environments).map((row: JsonRecord): Hosted => {
    const own = by?.get(row['id']);
    const project = textAt(row, 'project.name') ?? textAt(own?.[0], 'project_name') ?? textAt(row, 'project.id');
    return {
      path: joinPath([project, textAt(row, 'name') ?? textAt(row, 'id')]),
      mode: textAt(row, 'mode'),
      clusterId: textAt(row, 'cluster_id') ?? textAt(own?.[0], 'cluster_id'),
      services: by && (own?.length ?? 0),
    };
  });
  const homeless = hosted.filter(({ clusterId }) => clusterId === undefined).map(({ path }) => path);
  if (homeless.length > 0)
    context.leftOut(`Which cluster hosts it is not known of ${countText(homeless.length, 'environment')}.`);
  return (clusterId) => {
    const own = hosted.filter((one) => one.clusterId === clusterId);
    if (own.length > 0) return textOfAll(own);
    return homeless.length > 0 ? 'nothing that is known' : 'nothing';
  };
}
