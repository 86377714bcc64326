import { parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server';
import { decodedText, Utf16Text } from '../contract/index.ts';
import { isRecord, type JsonRecord } from '../server/json/index.ts';
import { type RequestId, rpcErrorCodes } from './http/error-response.ts';
import { readJsonText } from './read-json.ts';

export type Message = Parameters<Transport['send']>[0];

/** A line, or a part of one, that isn't a valid message of the protocol. */
export interface MalformedMessage {
  readonly code: number;
  readonly reason: string;
  /** Undefined if it can't be determined. */
  readonly id: RequestId;
  /** Whether it is JSON at all. */
  readonly isJson: boolean;
  /** False for a malformed response or notification: these are never answered. */
  readonly isAnswered: boolean;
  /** For a malformed response: a message that ends the request it is for, if that request can be determined. */
  readonly standIn?: Message | undefined;
}

/** One message of a line: read, or malformed. */
export type ReadMessage = { readonly message: Message } | { readonly malformed: MalformedMessage };

const members = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];

const isId = (id: unknown): boolean => typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));

/** The fault of an object that the library doesn't accept as a message. */
function faultOf(message: JsonRecord): string {
  const { jsonrpc, method, params, id } = message;
  if (jsonrpc !== '2.0') return '"jsonrpc" must be "2.0"';
  if (typeof method !== 'string') return '"method" must be a string';
  if ('id' in message && !isId(id)) return '"id" must be a string or an integer';
  if ('params' in message && !isRecord(params)) return '"params" must be an object';
  if (Object.keys(message).some((member) => !members.includes(member)))
    return "it has a member that JSON-RPC doesn't know";
  if ('result' in message || 'error' in message) return 'it is a request and a response at the same time';
  return 'the "_meta" of its "params" is not valid';
}

const isResponse = (message: JsonRecord): boolean =>
  !('method' in message) && ('result' in message || 'error' in message);
const isNotification = (message: JsonRecord): boolean => typeof message['method'] === 'string' && !('id' in message);

const invalid = (reason: string, { id, isAnswered = true, standIn }: Partial<MalformedMessage> = {}): ReadMessage => ({
  malformed: {
    code: rpcErrorCodes.invalidRequest,
    reason: `Invalid request: ${reason}.`,
    id,
    isJson: true,
    isAnswered,
    standIn,
  },
});

/**
 * An empty result in place of a response that the library doesn't accept. Without it, the server's request would wait
 * for its whole timeout.
 * @returns undefined if the message is no such response, or its request can't be determined.
 */
export function standInFor(value: unknown): Message | undefined {
  if (!isRecord(value) || !isResponse(value) || !isId(value['id'])) return undefined;
  try {
    parseJSONRPCMessage(value);
    return undefined;
  } catch {
    return { jsonrpc: '2.0', id: value['id'] as string | number, result: {} };
  }
}

function readMessage(value: unknown): ReadMessage {
  if (!isRecord(value)) return invalid('a message is a JSON object');
  try {
    return { message: parseJSONRPCMessage(value) };
  } catch {
    const { id } = value;
    if (isResponse(value))
      return invalid("it looks like a response, and isn't a valid one", {
        isAnswered: false,
        standIn: standInFor(value),
      });
    return invalid(faultOf(value), {
      id: isId(id) ? (id as RequestId) : undefined,
      isAnswered: !isNotification(value),
    });
  }
}

const unparsable = (fault: string): ReadMessage => ({
  malformed: {
    code: rpcErrorCodes.parse,
    reason: `Parse error: the line ${fault}.`,
    id: undefined,
    isJson: false,
    isAnswered: true,
  },
});

/** The error for a line that is longer than `most` bytes. Its id is unknown, because the line was not read. */
export const tooLongLine = (most: number): ReadMessage => invalid(`the line is longer than ${most} bytes`);

/**
 * The messages of a line: one, or those of a batch, which the oldest protocol versions allow. A blank line has none. A
 * byte order mark at its start is skipped.
 */
export function readMessageLine(bytes: Uint8Array): readonly ReadMessage[] {
  let value: unknown;
  try {
    const line = decodedText(bytes);
    if (line.trim() === '') return [];
    value = readJsonText(line);
  } catch (error) {
    return [unparsable(error instanceof Utf16Text ? 'is UTF-16; send it as UTF-8' : 'is not valid JSON')];
  }
  if (!Array.isArray(value)) return [readMessage(value)];
  return value.length === 0 ? [invalid('the batch is empty')] : value.map(readMessage);
}
