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

/** The reads of `secretsFromOutside`. */
export const readsOfSecretsFromOutside: readonly AnyOperation[] = [
  operations.list_secrets_of_environment,
  operations.list_variables_of_environment,
  operations.list_environments,
];

/** What services of an environment see of secrets that are set outside it, for its whole project. */
interface SecretsFromOutside {
  /** Their keys, in the order of the platform; undefined if secrets or variables can't be listed. */
  readonly keys: readonly string[] | undefined;
  /**
   * Other environments that are, or may be, production and see the same secrets; undefined if the environments can't be
   * listed. Not read if there are no such secrets.
   */
  readonly production: readonly TargetLocation[] | undefined;
}

const scopeIn = (row: JsonRecord): string => textIn(row, 'scope') ?? '';

const isOwn = (row: JsonRecord): boolean => scopeIn(row) === 'ENVIRONMENT';

/** Whether a variable's value is held by a manager of secrets outside the platform. */
const isExternal = (row: JsonRecord): boolean => isHeldExternally(textIn(row, 'variable_type') ?? '');

/**
 * The keys of secrets in the lists of an environment that are set for more than it: those that it gives a value of its
 * own are not seen in it.
 */
function keysFromOutside(secrets: readonly JsonRecord[], variables: readonly JsonRecord[]): readonly string[] {
  const own = new Set([...secrets, ...variables].filter(isOwn).map((row) => row['key']));
  const wide = [...secrets, ...variables.filter(isExternal)].filter(
    (row) => !isOwn(row) && scopeIn(row) !== 'BUILT_IN' && !own.has(row['key']),
  );
  return [...new Set(wide.flatMap((row) => textIn(row, 'key') ?? []))];
}

/**
 * Finds the secrets of its project that a service in an environment sees, and the other environments that may be
 * production and see them too.
 * @throws ApiError if the platform fails.
 */
export async function secretsFromOutside(
  environmentId: string,
  projectId: string | undefined,
  reader: Pick<Reader, 'attempt'>,
): Promise<SecretsFromOutside> {
  const environment = { kind: 'environment', id: environmentId } as const;
  const [secrets, variables] = await Promise.all([
    readVariableList('secrets', environment, reader),
    readVariableList('variables', environment, reader),
  ]);
  const [ofSecrets, ofVariables] = [wholeListIn(secrets), wholeListIn(variables)];
  const keys = ofSecrets && ofVariables && keysFromOutside(ofSecrets, ofVariables);
  if (keys?.length === 0) return { keys, production: [] };
  const all =
    projectId === undefined
      ? undefined
      : wholeListIn(await reader.attempt(operations.list_environments, { project_id: projectId }));
  const others = all?.filter((row) => row['id'] !== environmentId && mayBeProduction(asMode(row['mode'])));
  return { keys, production: others?.map((row) => ({ id: textIn(row, 'id'), name: textIn(row, 'name') })) };
}

/** Whether what is found lets secrets of production be seen. In doubt it does. */
export const showsProductionSecrets = ({ keys, production }: SecretsFromOutside): boolean =>
  keys?.length !== 0 && production?.length !== 0;
