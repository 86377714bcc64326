import { joinPath, operations, type VariableOwnerKind } from '../../src/contract/index.ts';
import { rowsIn, show, textOf, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';
import { fewAtOnce } from './few-at-once.ts';
import {
  allSeenBy,
  isOwnerKind,
  scopeOf,
  type Reads as VariableReads,
  type SeenVariables,
  type VariableOwner,
} from './owned-variables.ts';

/** What it takes to read who sees a variable. */
export type Reads = VariableReads & Pick<ToolContext, 'whole'>;

/** An environment that a variable reaches, with its services. */
export interface ReachedEnvironment {
  readonly id: string;
  /** Its name; absent if it is the only one. */
  readonly name?: string;
  /** Undefined if they can't be listed. */
  readonly services: readonly JsonRecord[] | undefined;
}

/** Whether a service has variables: databases have none. */
const seesVariables = (service: JsonRecord): boolean => textOf(service, 'service_type')?.toLowerCase() !== 'database';

const serviceRows = async (environment_id: string, { attempt }: Reads): Promise<readonly JsonRecord[] | undefined> => {
  const list = await attempt(operations.list_services, { environment_id });
  return list && rowsIn(list);
};

/**
 * The environments whose services see the variables of an environment or project; undefined if they can't be listed.
 */
export async function reachOf(
  { kind, id }: VariableOwner,
  reads: Reads,
): Promise<readonly ReachedEnvironment[] | undefined> {
  if (kind === 'environment') return [{ id, services: await serviceRows(id, reads) }];
  const list = await reads.attempt(operations.list_environments, { project_id: id });
  return (
    list &&
    Promise.all(
      rowsIn(list).map(async (row) => ({
        id: String(row['id']),
        name: textOf(row, 'name') ?? String(row['id']),
        services: await serviceRows(String(row['id']), reads),
      })),
    )
  );
}

/** The name of a service, with that of its environment if there are several. */
const nameWithin = ({ name }: ReachedEnvironment, service: JsonRecord): string =>
  show(joinPath([name, textOf(service, 'name') ?? textOf(service, 'id')]));

/** A service that sees a variable, and the environment that it is in. */
interface ReachedService {
  readonly service: JsonRecord;
  readonly name: string;
  readonly environmentId: string;
}

/** The services with variables of some environments, by name. */
export const reachedServices = (reached: readonly ReachedEnvironment[]): readonly ReachedService[] =>
  reached.flatMap((environment) =>
    (environment.services ?? [])
      .filter(seesVariables)
      .map((service) => ({ service, name: nameWithin(environment, service), environmentId: environment.id })),
  );

/** Whether a row has this key and takes precedence over that of an owner of this kind. */
export const isNarrower =
  (kind: VariableOwnerKind, key: string) =>
  (row: JsonRecord): boolean =>
    row['key'] === key &&
    row['scope'] !== scopeOf(kind) &&
    row['scope'] !== 'BUILT_IN' &&
    !(kind === 'environment' && row['scope'] === 'PROJECT');

/** The variables and secrets that one service or environment sees. */
export interface View {
  readonly name: string;
  readonly kind: VariableOwnerKind;
  /** Undefined if its variables can't be read. */
  readonly seen: SeenVariables | undefined;
}

/** Maximum number of services whose variables are read: each takes one or two requests. */
const mostServices = 20;

const viewOf = async (name: string, kind: VariableOwnerKind, id: string, reader: Reads): Promise<View> => {
  const seen = await allSeenBy(kind, id, reader);
  return { name, kind, seen: seen.variables && seen };
};

/** The views of the services that see a variable. */
export interface Views {
  readonly views: readonly View[];
  /** The services that weren't read: beyond the maximum, or of an unknown kind. */
  readonly others: readonly string[];
}

const nothingSeen: SeenVariables = { variables: undefined, secrets: undefined };

const isShared = ({ scope }: JsonRecord): boolean => scope === 'PROJECT' || scope === 'ENVIRONMENT';

/** Whether everything that a service sees is known, what it inherits included. */
const isWhole = ({ kind, seen }: View): boolean =>
  seen?.secrets !== undefined && (seen.variables ?? []).some(({ scope }) => scope !== scopeOf(kind));

/** What an environment sees by itself: from a service in it if everything that this sees is known. */
async function environmentView(
  { id, name }: { readonly id: string; readonly name: string },
  services: readonly (View & { readonly environmentId: string })[],
  reader: Reads,
): Promise<View> {
  const { variables, secrets } =
    services.find((service) => service.environmentId === id && isWhole(service))?.seen ?? nothingSeen;
  if (!variables || !secrets) return viewOf(show(name), 'environment', id, reader);
  const seen = { variables: variables.filter(isShared), secrets: secrets.filter(isShared) };
  return { name: show(name), kind: 'environment', seen };
}

/** Reads the views of the services that see a variable, preceded by their environments if these only inherit it. */
export async function viewsOf(reached: readonly ReachedEnvironment[], reader: Reads): Promise<Views> {
  const services = reachedServices(reached);
  const read = services
    .flatMap(({ service, name, environmentId }) => {
      const kind = textOf(service, 'service_type')?.toLowerCase() ?? '';
      return isOwnerKind(kind) ? [{ name, kind, id: String(service['id']), environmentId }] : [];
    })
    .slice(0, mostServices);
  const ofServices = await fewAtOnce(read, async ({ name, kind, id, environmentId }) => ({
    ...(await viewOf(name, kind, id, reader)),
    environmentId,
  }));
  const ofEnvironments = await fewAtOnce(
    reached.flatMap(({ id, name }) => (name === undefined ? [] : [{ id, name }])),
    (environment) => environmentView(environment, ofServices, reader),
  );
  const ids = new Set(read.map(({ id }) => id));
  return {
    views: [...ofEnvironments, ...ofServices],
    others: services.filter(({ service }) => !ids.has(String(service['id']))).map(({ name }) => name),
  };
}

/** All rows of a view, secrets included. */
export const rowsOf = ({ seen }: View): readonly JsonRecord[] => [...(seen?.variables ?? []), ...(seen?.secrets ?? [])];
