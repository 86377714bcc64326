import { isProduction, joinPath, operations, productionFirst } from '../../src/contract/index.ts';
import {
  notKnown,
  organizationOf,
  reading,
  readUses,
  rowsIn,
  textAt,
  type JsonRecord,
  type Preview,
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
  const sorted = hosted.toSorted(productionFirst);
  const [named, others] = [sorted.slice(0, mostNamed), sorted.slice(mostNamed)];
  const production = others.filter(({ mode }) => isProduction(mode)).length;
  const services = others.reduce((sum, one) => sum + (one.services ?? 0), 0);
  const facts = [
    production > 0
      ? `${production} of them PRODUCTION`
      : others.every(({ mode }) => mode !== undefined)
        ? 'none of them PRODUCTION'
        : undefined,
    others.every((one) => one.services !== undefined) ? countText(services, 'service') : undefined,
  ].filter(Boolean);
  const more =
    others.length === 0
      ? []
      : [`and ${countText(others.length, 'more environment')}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`];
  return [...named.map(hostedText), ...more].join(', ');
}

/** What is hosted where, of an organization. */
interface HostedEverywhere {
  readonly hosted: readonly Hosted[];
  /** In words; says nothing definite where the cluster of some environments isn't known. */
  readonly textOf: (clusterId: string) => string;
}

/** Reads what clusters host; undefined if it can't be read. @throws ApiError if the platform fails as a whole */
async function readHosted(
  organization_id: string,
  reader: Pick<ToolContext, 'attempt'>,
): Promise<HostedEverywhere | undefined> {
  const [environments, services] = await Promise.all([
    unlessFailing(reader.attempt(operations.list_environments_of_organization, { organization_id })),
    unlessFailing(reader.attempt(operations.list_services_of_organization, { organization_id })),
  ]);
  if (!environments) return undefined;
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
  const isHomeless = hosted.some(({ clusterId }) => clusterId === undefined);
  return {
    hosted,
    textOf: (clusterId) => {
      const own = hosted.filter((one) => one.clusterId === clusterId);
      if (own.length > 0) return textOfAll(own);
      return isHomeless ? 'nothing that is known' : 'nothing';
    },
  };
}

/**
 * What each of some clusters hosts, in words, by id; undefined if it can't be read. The answer says what that lacks.
 * @throws ApiError if the platform fails as a whole
 */
export async function hostedByClusters(
  organization_id: string,
  context: ToolContext,
): Promise<((clusterId: string) => string) | undefined> {
  const read = await readHosted(organization_id, context);
  if (!read) {
    context.leftOut('What each cluster hosts is not shown, because the environments could not be listed at once.');
    return undefined;
  }
  const homeless = read.hosted.filter(({ clusterId }) => clusterId === undefined).length;
  if (homeless > 0) context.leftOut(`Which cluster hosts it is not known of ${countText(homeless, 'environment')}.`);
  return read.textOf;
}

/** A preview of a change of a cluster that also says what the cluster hosts, production first. */
export const withHostedLine = (preview: Preview): Preview =>
  reading(
    (planned) => [...(preview.reads?.(planned) ?? []), ...readsOfHosted],
    async (args, context) => {
      const { target, reader } = context;
      const [lines, read] = await Promise.all([
        preview(args, context),
        organizationOf(reader).then((id) => (id === undefined ? undefined : readHosted(id, reader))),
      ]);
      const text = read && target.id !== undefined ? `It hosts ${read.textOf(target.id)}.` : notKnown('what it hosts');
      // What it touches is agreed to as such; services come and go while a person reads.
      return [...lines, { text, agreed: '' }];
    },
  );
