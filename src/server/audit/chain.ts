import { createHmac } from 'node:crypto';
import type { JsonRecord } from '../json/values.ts';

/**
 * Lines of one chain: each is a JSON object on one line whose last member, `mac`, is a keyed hash over the line and
 * the mac before it. Whoever has no key can neither change a line nor move, add or take out one unseen.
 */

/** A mac as text: 32 bytes in base64url. */
export type Mac = string;

const macMember = ',"mac":"';
const lineEnd = '"}';
const macLength = 43;
const tailLength = macMember.length + macLength + lineEnd.length;

/** The keyed hash of a text after another hash. */
export const macOf = (key: Uint8Array, previous: Mac, body: string | Uint8Array): Mac =>
  createHmac('sha256', key).update(previous).update('\n').update(body).digest('base64url');

/** What stands before the first entry of a chain. */
export const firstMac = (key: Uint8Array, chain: string): Mac => macOf(key, '', `chain ${chain}`);

export interface SealedLine {
  /** Without the line break. */
  readonly text: string;
  readonly mac: Mac;
}

/** An entry as the line that follows another one. */
export function sealLine(key: Uint8Array, previous: Mac, entry: JsonRecord): SealedLine {
  const body = JSON.stringify(entry);
  const mac = macOf(key, previous, body);
  return { text: `${body.slice(0, -1)}${macMember}${mac}${lineEnd}`, mac };
}

export interface ParsedLine {
  readonly entry: JsonRecord;
  readonly mac: Mac;
  /** The bytes that the mac stands for. */
  readonly body: Uint8Array;
}

/** Takes a line apart; undefined when it is no line of a chain. Whether its mac is right only the chain tells. */
export function parseLine(line: Buffer): ParsedLine | undefined {
  const tail = line.subarray(-tailLength).toString('latin1');
  if (line.length <= tailLength || !tail.startsWith(macMember) || !tail.endsWith(lineEnd)) return undefined;
  const body = Buffer.concat([line.subarray(0, -tailLength), Buffer.from('}')]);
  try {
    const entry = JSON.parse(body.toString('utf8')) as unknown;
    return typeof entry === 'object' && entry !== null ? { entry: entry as JsonRecord, mac: tail.slice(macMember.length, -lineEnd.length), body } : undefined;
  } catch {
    return undefined;
  }
}
