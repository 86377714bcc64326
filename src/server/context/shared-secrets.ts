import {
  isHeldExternally,
  mayBeProduction,
  operations,
  serviceKinds,
  type AnyOperation,
  type ReferenceKind,
} from '../../contract/index.ts';
import type { JsonRecord } from '../json/index.ts';
import type { Reader } from './reader.ts';
import { asMode, readVariableList, textIn, wholeListIn } from './reads.ts';
import type { TargetLocation } from './target.ts';

const runningCode: readonly ReferenceKind[] = serviceKinds.filter((kind) => kind !== 'database');

/** Whether an operation creates a service that runs code which its caller chooses: an image, a repository, a chart. */
export const bringsCode = ({ creates }: AnyOperation): boolean =>
  creates !== undefined && runningCode.includes(creates.kind);

/** The reads of `secretsSeenIn`. */
export const readsOfSecretsSeen: readonly AnyOperation[] = [
  operations.list_secrets_of_environment,
  operations.list_variables_of_environment,
  operations.list_environments,
];

/** The keys of the secrets that every service of an environment sees, by where they are set; in the platform's order. */
interface SeenKeys {
  /** Set outside the environment, for its whole project. */
  readonly outside: readonly string[];
  /** Set for the environment itself. */
  readonly own: readonly string[];
  /**
   * Provided by the platform, such as passwords of databases; undefined if the lists of the environment show nothing
   * that the platform provides.
   */
  readonly builtIn: readonly string[] | undefined;
}

/** The secrets that services of an environment see, without those of single services. */
interface SeenSecrets {
  /** Undefined if secrets or variables can't be listed. */
  readonly keys: SeenKeys | undefined;
  /**
   * Other environments that are, or may be, production and see the same secrets of the project; undefined if the
   * environments can't be listed. Not read if there are no such secrets.
   */
  readonly production: readonly TargetLocation[] | undefined;
}

const scopeIn = (row: JsonRecord): string => textIn(row, 'scope') ?? '';

const isOwn = (row: JsonRecord): boolean => scopeIn(row) === 'ENVIRONMENT';

const isBuiltIn = (row: JsonRecord): boolean => scopeIn(row) === 'BUILT_IN';

const isOutside = (row: JsonRecord): boolean => !isOwn(row) && !isBuiltIn(row);

/** Whether a variable's value is held by a manager of secrets outside the platform. */
const isExternal = (row: JsonRecord): boolean => isHeldExternally(textIn(row, 'variable_type') ?? '');

/**
 * The keys of secrets in the lists of an environment. A value of a narrower scope takes the place of a wider one: what
 * the environment sets itself, of its project's; both, of what the platform provides.
 */
function keysIn(secrets: readonly JsonRecord[], variables: readonly JsonRecord[]): SeenKeys {
  const all = [...secrets, ...variables];
  const held = [...secrets, ...variables.filter(isExternal)];
  const keysOf = (
    isMeant: (row: JsonRecord) => boolean,
    isNarrower: (row: JsonRecord) => boolean,
  ): readonly string[] => {
    const replaced = new Set(all.filter(isNarrower).map((row) => row['key']));
    const seen = held.filter((row) => isMeant(row) && !replaced.has(row['key']));
    return [...new Set(seen.flatMap((row) => textIn(row, 'key') ?? []))];
  };
  return {
    outside: keysOf(isOutside, isOwn),
    own: keysOf(isOwn, () => false),
    builtIn: all.some(isBuiltIn) ? keysOf(isBuiltIn, (row) => !isBuiltIn(row)) : undefined,
  };
}

/**
 * Finds the secrets that every service in an environment sees, and the other environments that may be production and
 * see those of the project too.
 * @throws ApiError if the platform fails.
 */
export async function secretsSeenIn(
  environmentId: string,
  projectId: string | undefined,
  reader: Pick<Reader, 'attempt'>,
): Promise<SeenSecrets> {
  const environment = { kind: 'environment', id: environmentId } as const;
  const [secrets, variables] = await Promise.all([
    readVariableList('secrets', environment, reader),
    readVariableList('variables', environment, reader),
  ]);
  const [ofSecrets, ofVariables] = [wholeListIn(secrets), wholeListIn(variables)];
  const keys = ofSecrets && ofVariables && keysIn(ofSecrets, ofVariables);
  if (keys?.outside.length === 0) return { keys, production: [] };
  const all =
    projectId === undefined
      ? undefined
      : wholeListIn(await reader.attempt(operations.list_environments, { project_id: projectId }));
  const others = all?.filter((row) => row['id'] !== environmentId && mayBeProduction(asMode(row['mode'])));
  return { keys, production: others?.map((row) => ({ id: textIn(row, 'id'), name: textIn(row, 'name') })) };
}

/** Whether what is found lets secrets of production be seen. In doubt it does. */
export const showsProductionSecrets = ({ keys, production }: SeenSecrets): boolean =>
  keys?.outside.length !== 0 && production?.length !== 0;
