import {
  isServiceKind,
  operations,
  serviceKinds,
  type AnyOperation,
  type ServiceKind,
} from '../../src/contract/index.ts';
import {
  otherLogText,
  otherStatusText,
  readServiceLogs,
  readServiceStatus,
  readsInsteadOf,
  readUses,
  statusReads,
  type JsonRecord,
  type ReadUse,
  type ToolContext,
} from '../../src/server/tool/index.ts';

/** The service or environment that a call is about. */
export interface Subject {
  readonly kind: ServiceKind | 'environment';
  readonly id: string;
  readonly name?: string;
  /** Names from the project down, if known. */
  readonly path?: string;
  readonly environmentId?: string;
  readonly projectId?: string;
}

const operationsByName = operations as Readonly<Record<string, AnyOperation | undefined>>;

const operationNamed = (name: string): AnyOperation => {
  const operation = operationsByName[name];
  if (!operation) throw new Error(`there is no operation ${name}`);
  return operation;
};

/** Names of the operations that read an aspect of a service, by its kind. */
const reads = {
  configuration: (kind: string) => `get_${kind}`,
  status: (kind: string) => `get_${kind}_status`,
  logs: (kind: string) => `get_${kind}_logs`,
  deployments: (kind: string) => `list_${kind}_deployments`,
} as const;

/** Every operation that reads one of these aspects of a service of any kind. */
export const readsOf = (...aspects: readonly (keyof typeof reads)[]): [AnyOperation, ...AnyOperation[]] =>
  aspects.flatMap((aspect) => serviceKinds.map((kind) => operationNamed(reads[aspect](kind)))) as [
    AnyOperation,
    ...AnyOperation[],
  ];

/** The operation that reads an aspect of a service of this kind. */
export const readOf = (aspect: keyof typeof reads, kind: string): AnyOperation => operationNamed(reads[aspect](kind));

/**
 * Uses of the operations that read an aspect of a service, by its kind.
 * @param what the name of the aspect, for example `the state`
 * @param ofEnvironment the operation that reads it for an environment.
 */
export const readsByKind = (
  aspect: keyof typeof reads,
  what: string,
  ...ofEnvironment: readonly AnyOperation[]
): readonly ReadUse[] => [
  ...serviceKinds.flatMap((kind) => {
    const without = `${what} of a service of kind ${kind} is not read there`;
    return aspect === 'status'
      ? statusReads(kind, without).slice(0, 1)
      : readUses(without, operationNamed(reads[aspect](kind)));
  }),
  ...ofEnvironment.flatMap((operation) => readUses(`${what} of an environment is not read there`, operation)),
];

/** The reads in place of a service's own status or log if that can't be read. */
export const readsInstead = (aspect: 'status' | 'logs', what: string): readonly ReadUse[] =>
  serviceKinds.flatMap((kind) =>
    readsInsteadOf(aspect, kind, `${what} of a service of kind ${kind} is not read there`),
  );

/** The input that identifies a service or environment to an operation of its kind. */
export const idOf = ({ kind, id }: Pick<Subject, 'kind' | 'id'>): JsonRecord => ({ [`${kind}_id`]: id });

/**
 * Reads one aspect of a service; undefined if the platform doesn't show it.
 * @throws ApiError if the platform fails.
 */
export const readAspect = (
  context: Pick<ToolContext, 'attempt'>,
  subject: Subject,
  aspect: 'configuration' | 'deployments' | 'logs',
  query: JsonRecord = {},
): Promise<JsonRecord | undefined> =>
  context.attempt(operationNamed(reads[aspect](subject.kind)), { ...idOf(subject), ...query });

/** Why an aspect could not be read: the failure of the same read, which isn't sent again; undefined if it succeeded. */
export const aspectFailure = (
  context: ToolContext,
  subject: Subject,
  aspect: keyof typeof reads,
  query: JsonRecord = {},
): Promise<unknown> =>
  context.read(operationNamed(reads[aspect](subject.kind)), { ...idOf(subject), ...query }).then(
    () => undefined,
    (error: unknown) => error,
  );

/**
 * Reads the status of a service. If its own can't be read, uses those of its environment and says so in the answer;
 * undefined if there is neither.
 */
export async function statusOf(context: ToolContext, subject: Subject): Promise<JsonRecord | undefined> {
  const found = await readServiceStatus(subject, context);
  if (found?.from === 'environment') context.leftOut(otherStatusText(subject.kind));
  return found?.status;
}

/**
 * Reads the newest log lines of a service. If it has no log, uses that of its environment and says so in the answer;
 * undefined if there is neither.
 */
export async function logOf(
  context: ToolContext,
  subject: Subject,
): Promise<{ readonly lines: readonly JsonRecord[]; readonly instancesSince?: string } | undefined> {
  const log = await readServiceLogs(subject, context);
  if (log?.from === 'environment') context.leftOut(otherLogText(subject.kind));
  return log;
}

/**
 * Whether the status of a service or environment can be read. If the platform lacks the operation that reads the
 * resource itself, the status is tried; otherwise it is assumed readable, to save the request.
 */
export async function hasStatus(context: ToolContext, subject: Subject): Promise<boolean> {
  const { kind } = subject;
  const status = operationNamed(reads.status(kind));
  if (status.documented || !context.lacks(operationNamed(reads.configuration(kind)))) return true;
  return (
    (kind === 'environment' ? await context.attempt(status, idOf(subject)) : await statusOf(context, subject)) !==
    undefined
  );
}

/** The operation that deploys a service or environment of this kind. */
export const deployOperation = (kind: Subject['kind']): AnyOperation =>
  kind === 'terraform' ? operations.redeploy_terraform : operationNamed(`deploy_${kind}`);

/** The operation that deletes a service or environment of this kind. */
export const deleteOperation = (kind: Subject['kind']): AnyOperation => operationNamed(`delete_${kind}`);

const isKind = (kind: string): kind is Subject['kind'] => kind === 'environment' || isServiceKind(kind);

/** The service or environment that an argument refers to; undefined if it wasn't given or is of another kind. */
export function subjectAt(context: ToolContext, member: string): Subject | undefined {
  const resource = context.resolved[member];
  if (!resource || !isKind(resource.kind)) return undefined;
  const { kind, id, name, path, environment, project } = resource;
  return { kind, id, name, path, environmentId: kind === 'environment' ? id : environment?.id, projectId: project?.id };
}

/**
 * The services and environments that a call's arguments refer to, widest first: in the order in which names are
 * resolved.
 */
export const subjectsOf = (context: ToolContext): readonly Subject[] =>
  Object.keys(context.resolved).flatMap((member) => subjectAt(context, member) ?? []);

/** The subject of the argument `service` or `environment`, whichever was given. */
export const serviceSubject = (context: ToolContext): Subject => {
  const [service, environment] = [subjectAt(context, 'service'), subjectAt(context, 'environment')];
  const subject = service ?? environment;
  return subject ?? context.refuse('neither service nor environment is given', 'Give the one that is meant.');
};

// As in other texts: without a comma before the last item.
const list = new Intl.ListFormat('en-GB');

/** An argument rule: exactly one of these members must be given. */
export const oneOf =
  (...members: readonly string[]) =>
  (args: JsonRecord): readonly string[] => {
    const given = members.filter((member) => args[member] !== undefined);
    return given.length === 1
      ? []
      : [`exactly one of ${list.format(members.map((member) => `"${member}"`))} must be given`];
  };

/** The same rule for a tool, with what its description says of it. */
export const exactlyOne = (...members: readonly string[]) => ({ needsOneOf: members, rules: oneOf(...members) });

/** An argument rule: one of these members may be given. */
export const oneOfOrNone =
  (...members: readonly string[]) =>
  (args: JsonRecord): readonly string[] =>
    members.every((member) => args[member] === undefined) ? [] : oneOf(...members)(args);
