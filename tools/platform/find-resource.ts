import * as z from 'zod';
import { namesIn, operations, reference } from '../../src/contract/index.ts';
import {
  compact,
  composeTool,
  nearestName,
  omit,
  organizationOf,
  pick,
  pruneRecord,
  readUses,
  recordsIn,
  table,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import {
  addStates,
  isStateWord,
  searchTree,
  kinds,
  matches,
  type FoundResource,
  type SearchedResource,
} from '../shared/resource-search.ts';
import { hostedByClusters, readsOfHosted } from '../shared/hosted-by-clusters.ts';

const columns = ['path', 'kind', 'mode', 'state', 'ends_at', 'hosts', 'id'];

const defaultLimit = 50;

/** Maximum number of unsearched places that are named. */
const mostNames = 20;

const ownName = ({ path }: Pick<FoundResource, 'path'>): string => namesIn(path).at(-1) ?? path;

// Rank of a match: its own name, then part of its own name, then a name further up in its path.
const matchRank = (name: string | undefined, { path }: FoundResource): number => {
  const own = ownName({ path }).toLowerCase();
  const wanted = name?.toLowerCase() ?? '';
  return own === wanted ? 0 : own.includes(wanted) ? 1 : 2;
};

/** The kind that a name is the word for, such as databases: whoever looks for it may mean all of this kind. */
const kindCalled = (name: string | undefined): (typeof kinds)[number] | undefined => {
  const word = name?.trim().toLowerCase().replaceAll(' ', '_');
  return kinds.find((kind) => [kind, `${kind}s`, kind.replace(/y$/, 'ies')].includes(word ?? ''));
};

/** Suggestions if nothing was found: the most similar name, and the existing states. */
function suggestions(
  { name, state }: SearchedResource,
  all: readonly FoundResource[],
  known: readonly string[],
): JsonRecord {
  const near = name === undefined ? undefined : nearestName(name, [...new Set(all.map(ownName))]);
  const states = [...new Set(known)].toSorted().join(', ');
  const kind = kindCalled(name);
  return {
    ...(kind !== undefined && { is_kind: kind }),
    ...(near !== undefined && { did_you_mean: near }),
    ...(state !== undefined && states !== '' && { states }),
    ...(state !== undefined && !isStateWord(state, known) && { no_state: state }),
  };
}

/** The rows with what each cluster among them hosts. */
async function withHosted(rows: readonly FoundResource[], context: ToolContext): Promise<readonly JsonRecord[]> {
  const organization = rows.some(({ kind }) => kind === 'cluster') ? await organizationOf(context) : undefined;
  const hostedBy = organization === undefined ? undefined : await hostedByClusters(organization, context);
  return rows.map((row) => ({ ...row, hosts: row.kind === 'cluster' ? hostedBy?.(row.id) : undefined }));
}

export const findResource = composeTool({
  name: 'find_resource',
  toolset: 'projects',
  title: 'Where something runs: look up a service',
  description:
    'Find or search by name, kind or state: projects, environments, services (app, API, worker, database), ' +
    'clusters; anything called, named …, its id, path; in ERROR, failing, STOPPED. Without arguments: a tree of ' +
    'all.',
  input: {
    name: z.string().min(1).optional().describe('Part of its path.'),
    kind: z.enum(kinds).optional().describe('Only these.'),
    state: z.string().min(1).optional().describe('Such as STOPPED.'),
    project: reference('project').optional(),
    environment: reference('environment').optional(),
    limit: z.int().min(1).max(500).default(defaultLimit).describe('Rows.'),
  },
  operations: [
    operations.get_organization,
    operations.list_projects,
    operations.list_environments,
    operations.list_services,
    operations.get_environment_status,
    operations.list_clusters,
  ],
  reads: [
    ...readUses('what lies in a project is not found', operations.list_environments, operations.list_services),
    ...readUses('services are shown without their states', operations.get_environment_status),
    ...readUses('clusters are not found', operations.list_clusters),
    ...readUses('it can not be kept to an environment', operations.get_environment),
    ...readsOfHosted,
  ],
  output: z.object({
    results: z.array(
      z.object({ path: z.string(), kind: z.string(), id: z.string(), state: z.string(), mode: z.string() }),
    ),
    total: z.int(),
  }),
  answer: async ({ project, environment, limit, ...wanted }, context) => {
    let unread = 0;
    const counting: typeof context = {
      ...context,
      attempt: async (operation, input) => {
        const read = await context.attempt(operation, input);
        if (read === undefined) unread += 1;
        return read;
      },
    };
    const {
      found: all,
      states,
      notSearched,
      left,
    } = await searchTree(counting, wanted, { project, environment }, limit);
    const found = all
      .filter(matches(wanted))
      .toSorted((one, other) => matchRank(wanted.name, one) - matchRank(wanted.name, other));
    const { found: shown, stateless } = await addStates(context, found.slice(0, limit), left);
    // The tree has each environment itself.
    const isTree = Object.values(wanted).every((one) => one === undefined);
    const rows = isTree ? shown : await withHosted(shown, context);
    if (stateless > 0)
      context.leftOut(
        `The states in ${stateless} environments were not read, to spare requests: a search for a state reads them.`,
      );
    return pruneRecord({
      results: rows.map((one) => pruneRecord(omit({ ...one }, ['environment']))),
      total: found.length,
      ...(notSearched.length > 0 && {
        unseen: notSearched.length,
        ended_by: left > 0 ? 'limit' : 'requests',
        not_searched: notSearched.slice(0, mostNames),
      }),
      ...(found.length === 0 && unread > 0 && { unread }),
      ...(found.length === 0 && suggestions(wanted, all, states)),
    });
  },
  render: {
    ...table('resource', columns),
    shown: undefined,
    only: undefined,
    view: (answer) => ({ ...answer, results: answer['results'] ?? [] }),
    text: (view) => {
      const shown = (view['results'] as readonly JsonRecord[]).length;
      const { did_you_mean: near, is_kind: kind, states, unseen, not_searched: names, ended_by: by, unread } = view;
      const noState = view['no_state'];
      const partly =
        unseen === undefined
          ? ''
          : `\nIt ended early, ${by === 'limit' ? 'with as many rows as limit allows' : 'to spare requests'}: ${compact(unseen)} projects and environments were not looked into${Array.isArray(names) ? ` (${names.map(compact).join(', ')}${names.length < Number(unseen) ? ' …' : ''})` : ''}. Give the project or environment to look there${by === 'limit' ? ', or raise limit' : ''}.`;
      if (shown === 0)
        return (
          [
            noState !== undefined
              ? `${compact(noState)} is no state: that nothing was found says nothing about what there is.`
              : unread === undefined
                ? 'Nothing is like that.'
                : 'Nothing is like that in what could be read: not everything could.',
            kind !== undefined && `Only names are searched; ${compact(kind)} is a kind.`,
            near && `Did you mean ${compact(near)}?`,
            states !== undefined && `States there are: ${compact(states)}.`,
          ]
            .filter(Boolean)
            .join(' ') + partly
        );
      const listed = table('resource', columns).text({
        ...view,
        results: (view['results'] as readonly JsonRecord[]).map((row) => ({ state: '-', ...row })),
      });
      const more =
        shown === view['total']
          ? ''
          : `\n${String(view['total'])} ${partly === '' ? 'in all' : 'were found'}: narrow it down by kind, project or name, or raise limit.`;
      return listed + more + partly;
    },
  },
  // Who looks for an image or a domain must not take it for unused.
  next: ({ results, did_you_mean: near, is_kind: isKind, no_state: noState, unseen }, args) => {
    const { name, kind, state, ...place } = args;
    if (noState !== undefined)
      return [{ tool: 'find_resource', arguments: { ...args, state: 'FAILED' }, why: 'what failed or is unavailable' }];
    if (recordsIn(results).length === 0 && isKind !== undefined && kind === undefined) {
      const wanted = {
        kind: isKind,
        ...(state !== undefined && { state }),
        ...pick(place, ['project', 'environment']),
      };
      return [{ tool: 'find_resource', arguments: wanted, why: 'all of this kind' }];
    }
    return recordsIn(results).length > 0 || name === undefined || (near ?? unseen ?? kind ?? state) !== undefined
      ? []
      : [
          {
            tool: 'list_services',
            arguments: {
              ...pick(place, [place['environment'] === undefined ? 'project' : 'environment']),
              fields: ['path', 'image', 'tag'],
            },
            why: 'only names are searched: images and versions are here',
          },
        ];
  },
});
