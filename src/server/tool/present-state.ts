import { allOperations, snakeCase, type AnyOperation } from '../../contract/index.ts';
import { pick, type JsonRecord } from '../json/index.ts';
import { rowsIn, type Reader } from '../context/index.ts';

const readAt = (path: string): AnyOperation | undefined => allOperations.find((operation) => operation.method === 'GET' && operation.path === path);

const paramsOf = (operation: AnyOperation, args: JsonRecord): JsonRecord => pick(args, operation.params.map(snakeCase));

/** The operation that reads what a PUT would replace: at its own path, or the list that contains it; undefined if there is none. */
export const presentRead = ({ path }: AnyOperation): AnyOperation | undefined => readAt(path) ?? readAt(path.replace(/\/\{\w+\}$/, ''));

/**
 * Reads what a PUT would replace, from its own path or from the list that contains it. Undefined if the platform
 * doesn't offer the read, or forbids it.
 * @throws ApiError if the platform fails otherwise.
 */
export async function readPresent(operation: AnyOperation, args: JsonRecord, reader: Pick<Reader, 'attempt'>): Promise<JsonRecord | undefined> {
  const own = readAt(operation.path);
  if (own) return reader.attempt(own, paramsOf(own, args));
  const list = readAt(operation.path.replace(/\/\{\w+\}$/, ''));
  if (!list) return undefined;
  const id = args[snakeCase(operation.params.at(-1)!)];
  return rowsIn(await reader.attempt(list, paramsOf(list, args))).find((row) => row['id'] === id);
}
