import { operations } from '../../src/contract/index.ts';
import type { EventPlace, WantedEvents } from '../../src/analysis/index.ts';
import {
  isPlatformFailure,
  isRecord,
  pick,
  pruneRecord,
  readUses,
  recordsIn,
  textAt,
  textOf,
  type JsonRecord,
  type NextCall,
  type NotFound,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { idOf, readAspect, readOf, readsByKind, subjectAt } from '../shared/any-service.ts';
import { ifPossible, unlessGone } from '../shared/if-possible.ts';
import { argumentOf, type FoundEvents, type Sought } from './event-search.ts';

type Places = Pick<WantedEvents, 'service' | 'environment' | 'project'>;

/** The arguments that say what events are asked for, widest first. */
export const subjectArguments = ['project', 'environment', 'service'] as const;

/** The reads that find what a service or an environment inherits from, and whether what events name is still there. */
export const readsOfSubject: readonly ReadUse[] = [
  ...readsByKind('configuration', 'where it is, and whether it is still there,', operations.get_environment),
  ...readUses('whether a project is still there is not told', operations.get_project),
];

/** The ids to which the arguments resolve, with those of what a service or an environment inherits variables from. */
export async function placesOf(context: ToolContext): Promise<Places> {
  const { service, project } = context.resolved;
  const subject = subjectAt(context, 'service') ?? subjectAt(context, 'environment');
  if (!subject) return project ? { project: project.id } : {};
  const attempt = (tell: () => Promise<JsonRecord | undefined>) =>
    ifPossible(context, 'What it inherits variables from', () => unlessGone(tell()));
  const environmentId =
    subject.environmentId ??
    textAt(await attempt(() => readAspect(context, subject, 'configuration')), 'environment.id');
  const projectId =
    subject.projectId ??
    (environmentId === undefined
      ? undefined
      : textAt(
          await attempt(() => context.attempt(operations.get_environment, { environment_id: environmentId })),
          'project.id',
        ));
  return { ...(service && { service: service.id }), environment: environmentId, project: projectId };
}

/** What the arguments ask events of; undefined if nothing in particular. */
export function soughtIn({ resolved, notFound = {} }: ToolContext): Sought | undefined {
  const argument = subjectArguments.findLast((one) => notFound[one] ?? resolved[one]);
  if (argument === undefined) return undefined;
  const gone = notFound[argument];
  if (gone) return { kind: gone.kind as Sought['kind'], reference: gone.reference };
  const { kind, id, path } = resolved[argument]!;
  return { kind: kind as Sought['kind'], id, reference: path ?? id };
}

const goneIn = ({ notFound = {} }: ToolContext): NotFound | undefined =>
  subjectArguments.map((argument) => notFound[argument]).find((one) => one !== undefined);

/** Whether something is still there, under which name; unknown if that can't be read. */
type Standing = { readonly is: 'gone' | 'unknown' } | { readonly is: 'there'; readonly name?: string };

async function standingOf(context: ToolContext, { kind, id }: Pick<EventPlace, 'kind' | 'id'>): Promise<Standing> {
  const operation = kind === 'project' ? operations.get_project : readOf('configuration', kind);
  const input = kind === 'project' ? { project_id: id } : idOf({ kind, id });
  try {
    const record: JsonRecord = await context.read(operation, input);
    return { is: 'there', name: textOf(record, 'name') };
  } catch (error) {
    if (isPlatformFailure(error)) return { is: error.kind === 'not_found' ? 'gone' : 'unknown' };
    if (context.isDenied(error)) return { is: 'unknown' };
    throw error;
  }
}

/** Maximum number of others of the same name that an answer names. */
const mostOthers = 3;

/**
 * What the answer says of what the events are of: whether it is gone, and what else had its name.
 * @throws CallFailure if there is nothing of that name or id, and no event of it
 */
export async function subjectOf(
  context: ToolContext,
  sought: Sought | undefined,
  { places, groups, looked }: FoundEvents,
): Promise<JsonRecord> {
  if (!sought) return {};
  const gone = goneIn(context);
  const own = sought.id === undefined ? places[0] : places.find(({ id }) => id === sought.id?.toLowerCase());
  if (gone && !own) gone.refuse(`None of the ${looked} events looked through names it, either.`);
  // A name that resolves was read just now, unless events tell of a deletion since then. An id may be any.
  const isById = sought.id !== undefined && sought.reference === sought.id;
  const isDoubtful = own?.deletedAt !== undefined || gone !== undefined || (isById && groups.length === 0);
  const its = own ?? (isById && sought.kind !== 'service' ? { kind: sought.kind, id: sought.id } : undefined);
  const standing = its && isDoubtful ? await standingOf(context, its) : undefined;
  if (standing?.is === 'gone' && !own)
    context.refuse(
      `there is no ${sought.kind} with the id ${sought.id}, and none of the ${looked} events looked through is of one`,
      'It may have been deleted before there were events, belong to another organization, or be hidden from this token.',
    );
  const others = places.filter(({ id }) => id !== (own?.id ?? sought.id)).slice(0, mostOthers);
  return pruneRecord({
    subject:
      own && standing && (gone !== undefined || standing.is === 'gone')
        ? pruneRecord({
            ...pick({ ...own }, ['kind', 'id', 'path']),
            is: standing.is === 'unknown' && own.deletedAt !== undefined ? 'gone' : standing.is,
            deleted_at: standing.is === 'there' ? undefined : own.deletedAt,
            ...('name' in standing && { name: standing.name }),
          })
        : undefined,
    same_name: others.length === 0 ? undefined : others.map((one) => pruneRecord({ ...one })),
  });
}

function subjectText(subject: JsonRecord): string {
  const { kind, id, path, is, deleted_at: at, name } = subject as Readonly<Record<string, string | undefined>>;
  if (is === 'there')
    return `The ${kind} that events call ${path} (id ${id}) is there, and now called ${JSON.stringify(name ?? '?')}.`;
  return is === 'gone'
    ? `The ${kind} ${path} (id ${id}) was deleted${at === undefined ? '' : ` at ${at}`}; its events stay.`
    : `No ${kind} ${path} is found now; whether the one with the id ${id} is still there can not be read.`;
}

function sameNameText(other: JsonRecord): string {
  const { kind, id, path, first, last, deletedAt: at } = other as Readonly<Record<string, string | undefined>>;
  return `Another ${kind} was called ${path} (id ${id}): its events, from ${first} to ${last}, are not shown here.${at === undefined ? '' : ` It was deleted at ${at}.`}`;
}

/** What an answer says of what its events are of, one sentence per line. */
export const subjectLines = ({ subject, same_name: others }: JsonRecord): readonly string[] => [
  ...(isRecord(subject) ? [subjectText(subject)] : []),
  ...recordsIn(others).map(sameNameText),
];

/** The arguments of a call for more events of the same: what is gone is given by its id. */
export const argumentsOfMore = ({ subject }: JsonRecord, args: JsonRecord): JsonRecord =>
  isRecord(subject) ? { ...args, [argumentOf(subject['kind'] as EventPlace['kind'])]: subject['id'] } : args;

/** The calls for the events of others that had the same name. */
export const callsForOthers = ({ same_name: others }: JsonRecord, args: JsonRecord): readonly NextCall[] =>
  recordsIn(others).map(({ kind, id }) => ({
    tool: 'list_events',
    arguments: {
      ...Object.fromEntries(
        Object.entries(args).filter(([name]) => !(subjectArguments as readonly string[]).includes(name)),
      ),
      [argumentOf(kind as EventPlace['kind'])]: id,
    },
    why: 'another one of this name',
  }));

/** Kinds of events for which it matters what a service or an environment inherits. */
const ofVariables = /variab|secret/i;

/** What the answer says of variables that the subject inherits, for a call that asks for variables or secrets. */
export function inheritedText(
  context: ToolContext,
  kind: string | undefined,
  { environment, project }: Places,
): string | undefined {
  const subject = subjectAt(context, 'service') ?? subjectAt(context, 'environment');
  if (!subject || kind === undefined || !ofVariables.test(kind)) return undefined;
  const isService = subject.kind !== 'environment';
  const known = [
    ...(isService && environment !== undefined ? ['environment'] : []),
    ...(project === undefined ? [] : ['project']),
  ];
  const unknown = [
    ...(isService && environment === undefined ? ['environment'] : []),
    ...(project === undefined ? ['project'] : []),
  ];
  return [
    known.length > 0 ? `Those of the variables that it inherits from its ${known.join(' and ')} count, too.` : '',
    unknown.length > 0
      ? `Not looked for: those of the variables of its ${unknown.join(' and ')}, which can not be told. Give ${unknown.join(' or ')} to look for them.`
      : '',
  ]
    .filter(Boolean)
    .join(' ');
}
