import * as z from 'zod';
import { maximumPageSize, PageNumber, PageSize, reference } from '../../src/contract/index.ts';
import {
  anyOf,
  anyService,
  compact,
  composeTool,
  isRecord,
  omit,
  pick,
  pruneRecord,
  recordsIn,
  table,
  type JsonRecord,
  type NextCall,
  type Renderer,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { oneOf } from '../shared/any-service.ts';
import { readsOfStatuses } from '../shared/deployed-before.ts';
import { narrowness, ownedVariableReads, ownerIn, seenBy, variableLists } from '../shared/owned-variables.ts';
import { lackingPlaces, lackingText, someNames, readsOfPlaces } from '../shared/places.ts';
import {
  findKey,
  noneEarlier,
  earlierColumn,
  seenByService,
  seenWithin,
  withStatuses,
} from '../shared/variables-by-key.ts';

const columns = [
  'path',
  'key',
  'value',
  'is_secret',
  'scope',
  'seen_by',
  earlierColumn,
  'overridden_at',
  'variable_type',
  'id',
  'mount_path',
  'description',
  'service_name',
  'enable_interpolation_in_file',
  'overridden_variable',
  'aliased_variable',
  'owned_by',
];

/**
 * A secret as a row next to variables. Anything that a platform shows of its value, including linked values, is left
 * out.
 */
const secretRow = ({
  value: _value,
  overridden_variable: _overridden,
  aliased_variable: _aliased,
  ...row
}: JsonRecord): JsonRecord => ({ ...row, is_secret: true });

/** The rows with those that the platform sets at the end. */
const builtInLast = (rows: readonly JsonRecord[]): readonly JsonRecord[] =>
  rows.toSorted((one, other) => Number(one['scope'] === 'BUILT_IN') - Number(other['scope'] === 'BUILT_IN'));

/** The rows of what one place sees; those that don't count there have the scope of the one that does. */
function withWinners(rows: readonly JsonRecord[]): readonly JsonRecord[] {
  const winners = new Map<unknown, JsonRecord>();
  for (const row of rows) {
    const known = winners.get(row['key']);
    if (!known || narrowness(row) > narrowness(known)) winners.set(row['key'], row);
  }
  return rows.map((row) => {
    const winner = winners.get(row['key'])!;
    return winner === row ? row : { ...row, overridden_at: winner['scope'] };
  });
}

/** A variable that another one overrides or stands for, in a few words. */
const briefly = (variable: unknown): unknown =>
  isRecord(variable)
    ? [variable['value'] ?? variable['key'], variable['scope'] && `of ${compact(variable['scope'])}`]
        .filter((part) => typeof part === 'string' && part !== '')
        .join(' ') || variable
    : variable;

/** A row as text shows it. */
const inWords = (row: JsonRecord): JsonRecord =>
  pruneRecord({
    ...row,
    overridden_variable: briefly(row['overridden_variable']),
    aliased_variable: briefly(row['aliased_variable']),
  });

/** A page of rows, or all of them if no page is requested. */
function paged(rows: readonly JsonRecord[], page: number | undefined, size: number | undefined): JsonRecord {
  if (page === undefined && size === undefined) return { results: rows };
  const [number, length] = [page ?? 1, size ?? maximumPageSize];
  return {
    results: rows.slice((number - 1) * length, number * length),
    pagination: {
      page: number,
      page_size: length,
      total_count: rows.length,
      total_pages: Math.ceil(rows.length / length),
    },
  };
}

const places = ['service', 'environment', 'project'] as const;

interface Wanted {
  readonly key: string;
  readonly service?: unknown;
  readonly environment?: string;
  readonly project?: string;
}

/** Finds a key in a service, an environment, a project or everywhere. */
async function found(
  { key, service, environment, project }: Wanted,
  page: Parameters<typeof paged>[1],
  size: Parameters<typeof paged>[2],
  context: ToolContext,
): Promise<JsonRecord> {
  const place = places.flatMap((member) => context.resolved[member] ?? [])[0];
  const seen =
    service === undefined
      ? await withStatuses(context, key, await seenWithin(context, { environment, project }))
      : await seenByService(context, ownerIn(context, 'listed', 'service'));
  const { rows, nearest } = findKey(key, seen.all, environment && place?.path);
  // Which other services see it was not read.
  const shown = service === undefined ? rows : rows.map((row) => omit(row, ['seen_by', earlierColumn]));
  const lacking = lackingPlaces(seen);
  return pruneRecord({
    ...paged(
      shown.map((row) => (row['is_secret'] === true ? secretRow(row) : row)),
      page,
      size,
    ),
    ...(rows.length === 0 && {
      missing: key,
      searched: place ? (place.path ?? place.name ?? place.id) : 'any place',
      nearest: nearest.length > 0 ? nearest.join(', ') : undefined,
    }),
    ...(rows.length > 0 && project !== undefined && { looked_at: place?.path ?? place?.name ?? project }),
    ...lacking,
    ...(seen.secretsUnread.length > 0 && { partly_read: someNames(seen.secretsUnread) }),
  });
}

/** Columns that are shown only where they are asked for. */
const onRequest = ['created_at', 'updated_at'];

const besides = ['looked_at', 'missing', 'searched', 'nearest', 'unread', 'not_looked_into', 'partly_read'];

const withWords = (view: JsonRecord): JsonRecord => ({ ...view, results: recordsIn(view['results']).map(inWords) });

/** What a column means, where it names services. */
const earlierText = (rows: readonly JsonRecord[]): readonly string[] =>
  rows.every(({ [earlierColumn]: since }) => since === undefined || since === noneEarlier)
    ? []
    : [
        `${earlierColumn}: deployed before the value was set last; they run with the one before, if it was not set back.`,
      ];

/** What a search found, or that it found nothing, and what it lacks. */
function rowsOrNone(chosen: readonly string[]): Renderer {
  const rows = table('variable', chosen);
  return {
    ...rows,
    view: (answer) => ({ ...rows.view(answer), ...pick(answer, besides) }),
    text: (view) => {
      const { looked_at: place, missing, searched, nearest, partly_read: secrets } = view;
      const lacking = [
        ...lackingText(view),
        ...(typeof secrets === 'string' ? [`Of these the secrets could not be read: ${secrets}.`] : []),
      ];
      const none =
        missing !== undefined &&
        `No variable or secret ${compact(missing)} in ${compact(searched)}${lacking.length > 0 ? ', in what could be read' : ''}; ${nearest === undefined ? 'no key there contains it, is spelled like it or begins with the same word' : `nearest: ${compact(nearest)}`}.`;
      const looked = place === undefined ? [] : [`Looked at: ${compact(place)}.`];
      return [
        none === false ? rows.text(withWords(omit(view, besides))) : none,
        ...earlierText(recordsIn(view['results'])),
        ...looked,
        ...lacking,
      ].join('\n');
    },
    columns: [...columns, ...onRequest],
    only: rowsOrNone,
  };
}

/** Who set a variable is told by no list of them: where that is, if it was asked when. */
function whoChanged(_: JsonRecord, { fields, ...args }: JsonRecord): readonly NextCall[] {
  const isAbout = Array.isArray(fields) && fields.some((field) => onRequest.includes(String(field)));
  return isAbout
    ? [
        {
          tool: 'list_events',
          arguments: { ...pick(args, ['service', 'environment']), kind: 'variable' },
          why: 'who set or changed it, as far back as there are events',
        },
      ]
    : [];
}

export const listEnvironmentVariables = composeTool({
  name: 'list_environment_variables',
  toolset: 'variables',
  title: 'Show each variable, config value, where set, defined',
  description:
    'List env vars (config, settings), secrets (without values) of a service, environment or project, own or ' +
    'inherited: value, id, where set, services seeing (using) a variable, secret.',
  input: {
    key: z.string().min(1).optional().describe('Searched below a place, or everywhere.'),
    service: anyService().optional(),
    environment: reference('environment').optional(),
    project: reference('project').optional(),
    page: PageNumber.optional(),
    page_size: PageSize.optional(),
  },
  // All rows are given without them.
  hidden: ['page', 'page_size'],
  needsOneOf: [...places, 'key'],
  rules: (args) =>
    args.key !== undefined && places.every((member) => args[member] === undefined) ? [] : oneOf(...places)(args),
  operations: variableLists('variables'),
  equivalentOperations: [...variableLists('variables'), ...variableLists('secrets')],
  reads: [
    ...anyOf(...ownedVariableReads('variables')),
    ...ownedVariableReads('secrets'),
    ...readsOfPlaces,
    ...readsOfStatuses,
  ],
  output: z.object({
    results: z.array(
      z.object({
        id: z.string(),
        path: z.string(),
        key: z.string(),
        value: z.string(),
        is_secret: z.boolean(),
        scope: z.string(),
        seen_by: z.string(),
        overridden_at: z.string(),
        variable_type: z.string(),
        mount_path: z.string(),
        description: z.string(),
        service_name: z.string(),
        overridden_variable: z.object({}),
        aliased_variable: z.object({}),
        owned_by: z.string(),
      }),
    ),
    pagination: z.object({}),
  }),
  answer: async ({ key, page, page_size, ...at }, context) => {
    if (key !== undefined) return found({ key, ...at }, page, page_size, context);
    const { kind, id } = ownerIn(context, 'listed', ...places);
    const { variables, secrets = [] } = await seenBy(kind, id, context);
    if (!variables)
      return context.refuse(
        `the variables of this ${kind} can't be read here`,
        'Ask whoever runs the platform which there are.',
      );
    return paged(withWinners(builtInLast([...variables, ...secrets.map(secretRow)])), page, page_size);
  },
  render: rowsOrNone(columns),
  next: whoChanged,
});
