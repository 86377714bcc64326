import { ApiError } from '../../client/index.ts';
import {
  allOperations,
  elsewhereOf,
  identifyingMembers,
  snakeCase,
  type AnyOperation,
  type Holder,
} from '../../contract/index.ts';
import { pick, type JsonRecord } from '../json/index.ts';
import { replaceableOf, rowsIn, type Reader } from '../context/index.ts';

const readAt = (path: string): AnyOperation | undefined =>
  allOperations.find((operation) => operation.method === 'GET' && operation.path === path);

/** The operation that lists the record that a PUT would replace. */
const listAt = ({ path }: AnyOperation): AnyOperation | undefined => readAt(path.replace(/\/\{\w+\}$/, ''));

const paramsOf = (operation: AnyOperation, args: JsonRecord): JsonRecord => pick(args, identifyingMembers(operation));

/**
 * An operation that reads the record that a PUT would replace, and the kind of service whose records it lists, if any.
 */
interface PresentRead {
  readonly operation: AnyOperation;
  readonly of?: AnyOperation['target'];
}

/** The operations that read the record that a PUT would replace: at its own path, or the lists that may contain it. */
export function presentReads(operation: AnyOperation): readonly PresentRead[] {
  const own = readAt(operation.path) ?? listAt(operation);
  const held = (operation.elsewhere ?? []).flatMap((name) => allOperations.filter((one) => one.name === name));
  const lists = held.flatMap((one) =>
    [listAt(one)].flatMap((list) => (list ? [{ operation: list, of: one.target }] : [])),
  );
  return [...(own ? [{ operation: own }] : []), ...lists];
}

type Attempt = Pick<Reader, 'attempt'>;

/**
 * The row that a PUT would replace in the list that contains it; undefined if it isn't there, or the platform doesn't
 * show the list.
 */
async function rowOf(operation: AnyOperation, args: JsonRecord, { attempt }: Attempt): Promise<JsonRecord | undefined> {
  const list = listAt(operation);
  const id = args[snakeCase(operation.params.at(-1)!)];
  return list && rowsIn(await attempt(list, paramsOf(list, args))).find((row) => row['id'] === id);
}

/**
 * Reads the record that a PUT would replace, from its own path or from the list that contains it. Undefined if the
 * platform doesn't offer the read, or forbids it.
 * @param shownBy the service whose own list shows it: that is read first.
 * @throws ApiError if the platform fails otherwise.
 */
export async function readPresent(
  operation: AnyOperation,
  args: JsonRecord,
  reader: Attempt,
  shownBy?: Holder,
): Promise<JsonRecord | undefined> {
  const own = readAt(operation.path);
  if (own) return reader.attempt(own, paramsOf(own, args));
  const held = elsewhereOf(operation, args, shownBy);
  if (!held) return rowOf(operation, args, reader);
  const list = listAt(held.operation);
  let failure: ApiError | undefined;
  const found = await rowOf(held.operation, held.input, reader).catch((error: unknown) => {
    if (!(error instanceof ApiError) || !list || !replaceableOf(list).includes(error.kind)) throw error;
    failure = error;
    return undefined;
  });
  const present = found ?? (await rowOf(operation, args, reader));
  if (!present && failure) throw failure;
  return present;
}
