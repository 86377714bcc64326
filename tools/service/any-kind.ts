import type { AnyOperation } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { serviceKinds, type ServiceKind } from '../../src/contract/resources/service.ts';
import type { JsonRecord, ToolContext } from '../../src/server/tool/index.ts';

/** A service or an environment, as a call points at it. */
export interface Subject {
  readonly kind: ServiceKind | 'environment';
  readonly id: string;
  readonly name?: string;
  /** Names from the project down, where they are known. */
  readonly path?: string;
  readonly environmentId?: string;
  readonly projectId?: string;
}

const named = operations as Readonly<Record<string, AnyOperation | undefined>>;

const operationNamed = (name: string): AnyOperation => {
  const found = named[name];
  if (!found) throw new Error(`there is no operation ${name}`);
  return found;
};

/** What is read of a service by an operation of its kind. */
const reads = {
  configuration: (kind: string) => `get_${kind}`,
  status: (kind: string) => `get_${kind}_status`,
  logs: (kind: string) => `get_${kind}_logs`,
  deployments: (kind: string) => `list_${kind}_deployments`,
} as const;

/** Every operation that reads one of these of a service of any kind. */
export const readsOf = (...aspects: readonly (keyof typeof reads)[]): [AnyOperation, ...AnyOperation[]] =>
  aspects.flatMap((aspect) => serviceKinds.map((kind) => operationNamed(reads[aspect](kind)))) as [AnyOperation, ...AnyOperation[]];

/** The input that names a service or environment to an operation of its kind. */
export const idOf = ({ kind, id }: Pick<Subject, 'kind' | 'id'>): JsonRecord => ({ [`${kind}_id`]: id });

/**
 * Reads one aspect of a service; undefined where the platform doesn't tell.
 * @throws ApiError as the platform fails.
 */
export const readAspect = (context: ToolContext, subject: Subject, aspect: keyof typeof reads, query: JsonRecord = {}): Promise<JsonRecord | undefined> =>
  context.attempt(operationNamed(reads[aspect](subject.kind)), { ...idOf(subject), ...query });

/**
 * Whether how a service or environment is can be read here. Where the platform lacks the read of the thing itself, it is
 * tried; elsewhere it is taken for granted, to spare the request.
 */
export async function tellsStatus(context: ToolContext, { kind, id }: Pick<Subject, 'kind' | 'id'>): Promise<boolean> {
  const status = operationNamed(reads.status(kind));
  return status.documented || !context.lacks(operationNamed(reads.configuration(kind))) || (await context.attempt(status, idOf({ kind, id }))) !== undefined;
}

/** The operation that deploys a service or environment of this kind. */
export const deployOperation = (kind: Subject['kind']): AnyOperation =>
  kind === 'terraform' ? operations.redeploy_terraform : operationNamed(`deploy_${kind}`);

const isKind = (kind: string): kind is Subject['kind'] => kind === 'environment' || (serviceKinds as readonly string[]).includes(kind);

/** What one argument of a call points at; undefined where it wasn't given. */
export function subjectAt(context: ToolContext, member: string): Subject | undefined {
  const address = context.addresses[member];
  if (!address || !isKind(address.kind)) return undefined;
  const { kind, id, name, path, environment, project } = address;
  return { kind, id, name, path, environmentId: kind === 'environment' ? id : environment?.id, projectId: project?.id };
}

/** Everything that the arguments of a call point at, the widest first. */
export const subjectsOf = (context: ToolContext): readonly Subject[] => Object.keys(context.addresses).flatMap((member) => subjectAt(context, member) ?? []);

/** The one of the arguments `service` and `environment` that was given. */
export const subjectOf = (context: ToolContext): Subject => {
  const [service, environment] = [subjectAt(context, 'service'), subjectAt(context, 'environment')];
  const given = service ?? environment;
  return given ?? context.refuse('neither service nor environment is given', 'Give the one that is meant.');
};

/** A rule of tools that are about one service or one environment. */
export const oneOf = (...members: readonly string[]) => (args: JsonRecord): readonly string[] => {
  const given = members.filter((member) => args[member] !== undefined);
  return given.length === 1 ? [] : [`exactly one of ${members.map((member) => `"${member}"`).join(' and ')} must be given`];
};
