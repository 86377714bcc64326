import * as z from 'zod';
import { operations } from '../../src/contract/operations.ts';
import { reference } from '../../src/contract/primitives.ts';
import { serviceKinds } from '../../src/contract/resources/service.ts';
import { compact, composeTool, isRecord, nearest, pruneRecord, table, type JsonRecord, type Sight } from '../../src/mcp/tool.ts';

/** What is searched for. */
interface Wanted {
  readonly name?: string;
  readonly kind?: (typeof kinds)[number];
  readonly state?: string;
}

const kinds = ['project', 'environment', ...serviceKinds, 'cluster'] as const;

interface Found {
  readonly kind: string;
  readonly path: string;
  readonly id: string;
  readonly state?: string;
  readonly mode?: string;
}

const rows = (list: { results?: unknown } | undefined): readonly JsonRecord[] => (Array.isArray(list?.results) ? list.results.filter(isRecord) : []);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The states of an environment and of its services, by id. */
async function statesIn(sight: Sight, environment_id: string): Promise<ReadonlyMap<string, string>> {
  const statuses = await sight.attempt(operations.get_environment_status, { environment_id });
  const all = [statuses?.environment, ...serviceKinds.flatMap((kind) => rows({ results: (statuses as JsonRecord | undefined)?.[`${kind}s`] }))].filter(isRecord);
  return new Map(all.map((status) => [text(status['id']), text(status['state'])]));
}

const inEnvironment: readonly string[] = serviceKinds;

/** What there is in an environment, itself included. States are read only where they are asked for. */
async function environmentTree(sight: Sight, environment: JsonRecord, project: string, wanted: Wanted): Promise<Found[]> {
  const id = text(environment['id']);
  const path = [project, text(environment['name'])].filter(Boolean).join('/');
  const needsServices = wanted.kind === undefined || inEnvironment.includes(wanted.kind);
  const [services, states] = await Promise.all([
    needsServices ? sight.attempt(operations.list_services, { environment_id: id }) : undefined,
    wanted.state === undefined ? new Map<string, string>() : statesIn(sight, id),
  ]);
  return [
    { kind: 'environment', path, id, mode: text(environment['mode']), state: states.get(id) },
    ...rows(services).map((row) => ({ kind: text(row['service_type']).toLowerCase(), path: `${path}/${text(row['name'])}`, id: text(row['id']), state: states.get(text(row['id'])) })),
  ];
}

async function projectTree(sight: Sight, project: JsonRecord, wanted: Wanted): Promise<Found[]> {
  const [id, name] = [text(project['id']), text(project['name'])];
  const environments = wanted.kind === 'project' ? [] : rows(await sight.attempt(operations.list_environments, { project_id: id }));
  const below = await Promise.all(environments.map((environment) => environmentTree(sight, environment, name, wanted)));
  return [{ kind: 'project', path: name, id }, ...below.flat()];
}

async function clusters(sight: Sight, organization_id: string): Promise<Found[]> {
  return rows(await sight.attempt(operations.list_clusters, { organization_id })).map((row) => ({ kind: 'cluster', path: text(row['name']), id: text(row['id']), state: text(row['status']) }));
}

/** Everything there is, as far as it can be what is wanted. */
async function everything(sight: Sight, wanted: Wanted, within: { project?: string; environment?: string }): Promise<Found[]> {
  if (within.environment !== undefined) {
    const environment = await sight.read(operations.get_environment, { environment_id: within.environment });
    return environmentTree(sight, environment, sight.addresses['environment']?.project?.name ?? '', wanted);
  }
  const { id: organization_id } = await sight.read(operations.get_organization, {});
  const projects = rows(await sight.read(operations.list_projects, { organization_id })).filter(({ id }) => within.project === undefined || id === within.project);
  const trees = wanted.kind === 'cluster' ? [] : await Promise.all(projects.map((project) => projectTree(sight, project, wanted)));
  const searchesClusters = within.project === undefined && (wanted.kind === undefined || wanted.kind === 'cluster');
  return [...trees.flat(), ...(searchesClusters ? await clusters(sight, organization_id) : [])];
}

const usualLimit = 50;

const matches = ({ name, kind, state }: Wanted) => (found: Found): boolean =>
  (kind === undefined || found.kind === kind) &&
  (state === undefined || (found.state ?? '').toLowerCase().includes(state.toLowerCase())) &&
  (name === undefined || found.path.toLowerCase().includes(name.toLowerCase()));

// Whose own name it is comes before what merely lies below something of that name.
const nearness = (name: string | undefined, { path }: Found): number => {
  const own = path.toLowerCase().split('/').at(-1) ?? '';
  const wanted = name?.toLowerCase() ?? '';
  return own === wanted ? 0 : own.includes(wanted) ? 1 : 2;
};

const ownName = ({ path }: Found): string => path.split('/').at(-1) ?? path;

/** What may have been meant where nothing is found. */
function nothingLike({ name, state }: Wanted, all: readonly Found[]): JsonRecord {
  const near = name === undefined ? undefined : nearest(name, [...new Set(all.map(ownName))]);
  const states = [...new Set(all.flatMap((one) => one.state ?? []))].toSorted().join(', ');
  return { ...(near !== undefined && { did_you_mean: near }), ...(state !== undefined && { states }) };
}

export const findResource = composeTool({
  name: 'find_resource',
  toolset: 'projects',
  description:
    'Where is it? Finds projects, environments, services and clusters by part of their path, by kind, or by state (ERROR: all that failed). ' +
    'Without arguments it shows the whole tree. Start here.',
  input: {
    name: z.string().min(1).optional().describe('Part of the path.'),
    kind: z.enum(kinds).optional(),
    state: z.string().min(1).optional().describe('Part of it.'),
    project: reference('project').optional(),
    environment: reference('environment').optional(),
    limit: z.int().min(1).max(500).default(usualLimit).describe('Most rows shown.'),
  },
  operations: [operations.get_organization, operations.list_projects, operations.list_environments, operations.list_services, operations.get_environment_status, operations.list_clusters],
  answer: z.object({ results: z.array(z.object({ path: z.string(), kind: z.string(), id: z.string(), state: z.string(), mode: z.string() })), total: z.int() }),
  answerOf: async ({ project, environment, limit, ...wanted }, sight) => {
    const all = await everything(sight, wanted, { project, environment });
    const found = all.filter(matches(wanted)).toSorted((one, other) => nearness(wanted.name, one) - nearness(wanted.name, other));
    return pruneRecord({ results: found.slice(0, limit).map((one) => pruneRecord({ ...one })), total: found.length, ...(found.length === 0 && nothingLike(wanted, all)) });
  },
  render: {
    ...table('resource', ['path', 'kind', 'mode', 'state', 'id']),
    shown: undefined,
    only: undefined,
    view: (answer) => ({ ...answer, results: answer['results'] ?? [] }),
    text: (view) => {
      const shown = (view['results'] as readonly JsonRecord[]).length;
      const { did_you_mean: near, states } = view;
      if (shown === 0) return ['Nothing is like that.', near && `Did you mean ${compact(near)}?`, states !== undefined && `States there are: ${compact(states)}.`].filter(Boolean).join(' ');
      const listed = table('resource', ['path', 'kind', 'mode', 'state', 'id']).text(view);
      return shown === view['total'] ? listed : `${listed}\n${String(view['total'])} in all: narrow it down by kind, project or name, or raise limit.`;
    },
  },
});
