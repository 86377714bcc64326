import {
  isRecord,
  omit,
  parseWithNumbers,
  writtenNumbersKey,
  type JsonRecord,
  type WrittenNumber,
} from '../server/json/index.ts';

/** The numbers whose text can't be derived from their value; undefined if they are not known. */
type Written = readonly WrittenNumber[] | undefined;

/** The numbers below a path, with the rest of their paths. */
const below = (written: Written, path: WrittenNumber['path']): Written =>
  written
    ?.filter((one) => path.every((step, index) => one.path[index] === step))
    .map((one) => ({ ...one, path: one.path.slice(path.length) }));

/** The arguments of a prompt, which are texts: numbers and booleans as text, without those that are null. */
function promptArguments(args: JsonRecord, written: Written): JsonRecord {
  const texts = new Map(written?.map(({ path, text }) => [path[0], text]));
  return Object.fromEntries(
    Object.entries(args)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [
        name,
        typeof value === 'number' || typeof value === 'boolean' ? (texts.get(name) ?? String(value)) : value,
      ]),
  );
}

/**
 * The metadata of a call with the numbers in its arguments, also if there are none: that says that the text of each
 * number is known. Only this program sets that member.
 */
function withNumbers(meta: unknown, written: Written): JsonRecord {
  if (meta !== undefined && !isRecord(meta)) return { _meta: meta };
  const others = omit(meta ?? {}, [writtenNumbersKey]);
  if (written !== undefined) return { _meta: { ...others, [writtenNumbersKey]: written } };
  return meta === undefined ? {} : { _meta: others };
}

/** A request without `arguments: null`, and with the text of numbers where texts may be meant. */
function completed(message: unknown, written: Written): unknown {
  if (!isRecord(message) || !isRecord(message['params'])) return message;
  const { method, params } = message;
  if (method !== 'tools/call' && method !== 'prompts/get') return message;
  const given = params['arguments'] === null ? omit(params, ['arguments']) : params;
  const { arguments: args, _meta: meta } = given;
  const numbers = below(written, ['params', 'arguments']);
  const read =
    method === 'tools/call'
      ? withNumbers(meta, args === undefined ? undefined : numbers)
      : isRecord(args)
        ? { arguments: promptArguments(args, numbers) }
        : {};
  return { ...message, params: { ...given, ...read } };
}

/**
 * Reads the JSON text of one message or a batch. `arguments: null` is left out, and a prompt's arguments are text. A
 * call's `_meta` gets the numbers in its arguments whose text can't be derived from their value, unless they are not
 * known.
 * @throws SyntaxError if it is not valid JSON.
 */
export function readJsonText(text: string): unknown {
  const { value, written } = parseWithNumbers(text);
  if (!Array.isArray(value)) return completed(value, written);
  const byMessage = written && Map.groupBy(written, ({ path }) => path[0]);
  return value.map((message: unknown, index) =>
    completed(message, byMessage && below(byMessage.get(index) ?? [], [index])),
  );
}
