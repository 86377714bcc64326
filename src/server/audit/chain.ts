import { createHmac } from 'node:crypto';
import { wellFormed } from '../../contract/index.ts';
import type { JsonRecord } from '../json/index.ts';

/**
 * A chain is a sequence of lines. Each is a JSON object on one line whose last member, `mac`, is a keyed hash (HMAC) of
 * the line and the previous mac. Without the key, a line can't be changed, moved, added or removed unnoticed.
 */

/** A mac: 32 bytes in base64url. */
export type Mac = string;

const macMember = ',"mac":"';
const lineEnd = '"}';
const macLength = 43;
const tailLength = macMember.length + macLength + lineEnd.length;

/** The keyed hash of a line's body and the previous mac. */
export const macOf = (key: Uint8Array, previous: Mac, body: string | Uint8Array): Mac =>
  createHmac('sha256', key).update(previous).update('\n').update(body).digest('base64url');

/** The mac before the first entry of a chain. */
export const firstMac = (key: Uint8Array, chain: string): Mac => macOf(key, '', `chain ${chain}`);

export interface SealedLine {
  /** Without the line break. */
  readonly text: string;
  readonly mac: Mac;
}

/** Seals an entry as the next line of a chain. */
export function sealLine(key: Uint8Array, previous: Mac, entry: JsonRecord): SealedLine {
  const body = JSON.stringify(wellFormed(entry));
  const mac = macOf(key, previous, body);
  return { text: `${body.slice(0, -1)}${macMember}${mac}${lineEnd}`, mac };
}

export interface ParsedLine {
  readonly entry: JsonRecord;
  readonly mac: Mac;
  /** The bytes that the mac covers. */
  readonly body: Uint8Array;
}

/** Parses a line; undefined if it is not a line of a chain. Doesn't check the mac: that requires the previous one. */
export function parseLine(line: Buffer): ParsedLine | undefined {
  const tail = line.subarray(-tailLength).toString('latin1');
  if (line.length <= tailLength || !tail.startsWith(macMember) || !tail.endsWith(lineEnd)) return undefined;
  const body = Buffer.concat([line.subarray(0, -tailLength), Buffer.from('}')]);
  try {
    const entry = JSON.parse(body.toString('utf8')) as unknown;
    return typeof entry === 'object' && entry !== null
      ? { entry: entry as JsonRecord, mac: tail.slice(macMember.length, -lineEnd.length), body }
      : undefined;
  } catch {
    return undefined;
  }
}
