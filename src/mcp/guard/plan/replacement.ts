import { snakeCase, type AnyOperation } from '../../../contract/operation.ts';
import { allOperations } from '../../../contract/operations.ts';
import { argumentSchema } from '../../schema.ts';
import { pick, type JsonRecord } from '../../values.ts';
import { attempt, type Read } from '../target.ts';
import { changes, declaredIn } from './changes.ts';
import { rowWith, unread, type Preview } from './preview.ts';

const readAt = (path: string): AnyOperation | undefined => allOperations.find((operation) => operation.method === 'GET' && operation.path === path);

const paramsOf = (operation: AnyOperation, args: JsonRecord): JsonRecord => pick(args, operation.params.map(snakeCase));

/** What a PUT replaces, as it is now: read from its own path, or found in the list its path ends in. */
async function present(operation: AnyOperation, args: JsonRecord, read: Read): Promise<JsonRecord | undefined> {
  const own = readAt(operation.path);
  if (own) return attempt(read(own, paramsOf(own, args)));
  const list = readAt(operation.path.replace(/\/\{\w+\}$/, ''));
  if (!list) return undefined;
  return rowWith(await attempt(read(list, paramsOf(list, args))), args[snakeCase(operation.params.at(-1)!)]);
}

/** What a PUT changes and what it drops without saying so. */
export const replacement =
  (operation: AnyOperation): Preview =>
  async (args, { read }) => {
    const found = await present(operation, args, read);
    if (!found) return [unread('what it replaces, and what is lost with it')];
    const body = Object.keys((operation.body?.shape as object | undefined) ?? {});
    const whole = argumentSchema(operation);
    const schema = { properties: pick(whole.properties ?? {}, body) as NonNullable<typeof whole.properties> };
    const lines = changes(declaredIn(found, schema) as JsonRecord, pick(args, body), schema);
    return lines.length > 0 ? lines : ['Nothing would change: all of it is so already.'];
  };
