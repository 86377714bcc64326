import { readFile } from 'node:fs/promises';
import { LineCounter, parseDocument } from 'yaml';
import * as z from 'zod';
import { decodedText, issuesIn, printPath, unreadableBecause, type ValuePath } from '../../../../contract/index.ts';
import { FaultRule } from './rule.ts';

const haveUniqueNames = (rules: readonly { readonly name: string }[]): boolean =>
  new Set(rules.map(({ name }) => name)).size === rules.length;

const FaultFile = z.strictObject(
  {
    faults: z
      .array(FaultRule, { error: 'must be a list of rules' })
      .refine(haveUniqueNames, { error: 'two rules have the same name' }),
  },
  {
    error: (issue) =>
      issue.code === 'invalid_type' ? 'holds no rules; write a list of them under "faults:"' : undefined,
  },
);

const faultFileError = (path: string, errors: readonly string[]): Error =>
  new Error(['The fault rules can not be used:', ...errors.map((error) => `${path}${error}`)].join('\n'));

/**
 * Parses fault rules from YAML or JSON text: a list under `faults`.
 * @param path the file's name in error messages
 * @throws Error that lists every mistake with its line
 */
export function parseFaults(path: string, text: string): FaultRule[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => `:${lines.linePos(offset).line}: `;
  if (document.errors.length > 0)
    throw faultFileError(
      path,
      document.errors.map(({ message, pos }) => `${at(pos[0])}${message}`),
    );
  const read = FaultFile.safeParse(document.toJS());
  if (read.success) return read.data.faults;
  const positionOf = (memberPath: ValuePath): string => {
    for (let length = memberPath.length; length > 0; length -= 1) {
      const { range } = (document.getIn(memberPath.slice(0, length), true) ?? {}) as {
        range?: [number, number, number];
      };
      if (range) return at(range[0]);
    }
    return ': ';
  };
  throw faultFileError(
    path,
    issuesIn(read.error, FaultFile).map(
      ({ path: place, text: what }) => `${positionOf(place)}${place.length > 0 ? `${printPath(place)}: ` : ''}${what}`,
    ),
  );
}

/**
 * Loads the fault rules of a file.
 * @throws Error if the file can't be read, or that lists every mistake in it
 */
export async function loadFaults(path: string): Promise<FaultRule[]> {
  const text = await readFile(path)
    .then(decodedText)
    .catch((error: unknown) => {
      throw new Error(`The fault rules can't be read from ${path}: ${unreadableBecause(error)}.`);
    });
  return parseFaults(path, text);
}
