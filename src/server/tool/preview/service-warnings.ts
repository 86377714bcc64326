import { recordsIn, type JsonRecord } from '../../json/index.ts';
import { findItem } from '../list-items.ts';
import { readPresent } from '../present-state.ts';
import { reading } from '../reads.ts';
import { textOf, type Preview } from './preview.ts';
import { replacementReads } from './replacement.ts';
import { warningLine } from './warning-line.ts';
import type { PlanWarning } from './warnings.ts';

const numbersIn = (version: string): readonly number[] | undefined => {
  const [plain] = /^v?\d+(?:\.\d+)*/.exec(version) ?? [];
  return plain?.replace('v', '').split('.').map(Number);
};

/**
 * Whether a version is lower than another one, by the numbers with which both begin, as far as both have them: `16` is
 * not lower than `16.2`. In doubt it isn't.
 */
export function isLowerVersion(version: string, than: string): boolean {
  const [own, other] = [numbersIn(version), numbersIn(than)];
  if (!own || !other) return false;
  const at = own.findIndex((number, index) => other[index] !== undefined && number !== other[index]);
  return at !== -1 && own[at]! < other[at]!;
}

const diskOf = (disk: JsonRecord): string => textOf(disk, 'mount_point') ?? String(disk['id']);

const shrinks = (from: unknown, to: unknown): boolean =>
  typeof from === 'number' && typeof to === 'number' && to < from;

/** Warnings about the disks of a service: a database has one, by its size; others have any number. */
function diskWarnings(before: unknown, after: unknown): readonly PlanWarning[] {
  if (shrinks(before, after)) return [{ code: 'DISK_SHRINKS', from: Number(before), to: Number(after) }];
  if (!Array.isArray(after)) return [];
  const [was, is] = [recordsIn(before), recordsIn(after)];
  const pairs = is.flatMap((disk) => {
    const found = findItem(was, disk);
    return found.kind === 'at' ? [{ disk, old: was[found.index]! }] : [];
  });
  return [
    ...was
      .filter((disk) => !pairs.some(({ old }) => old === disk))
      .map((disk): PlanWarning => ({ code: 'DISK_REMOVED', disk: diskOf(disk) })),
    ...pairs
      .filter(({ disk, old }) => shrinks(old['size'], disk['size']))
      .map(({ disk, old }): PlanWarning => ({
        code: 'DISK_SHRINKS',
        disk: diskOf(old),
        from: Number(old['size']),
        to: Number(disk['size']),
      })),
  ];
}

/** What a change of a service, from its present configuration to another, should not be made without looking at. */
function warningsOf(before: JsonRecord, after: JsonRecord): readonly PlanWarning[] {
  const [from, to] = [textOf(before, 'version'), textOf(after, 'version')];
  return [
    ...diskWarnings(before['storage'], after['storage']),
    ...(from !== undefined && to !== undefined && isLowerVersion(to, from)
      ? [{ code: 'VERSION_LOWERED' as const, from, to }]
      : []),
    ...(after['accessibility'] === 'PUBLIC' && before['accessibility'] !== 'PUBLIC'
      ? [{ code: 'DATABASE_MADE_PUBLIC' as const }]
      : []),
  ];
}

/**
 * Warnings about the change of a service's configuration: disks that shrink or go, a lower version of a database, and a
 * database that becomes public. What can't be read is not compared; the preview of the replacement says so.
 */
export const changeWarnings: Preview = reading(
  (planned) => planned.flatMap((operation) => replacementReads(operation)),
  async (args, { operation, reader, shownBy }) => {
    const present = operation && (await readPresent(operation, args, reader, shownBy));
    return present ? warningsOf(present, args).map(warningLine) : [];
  },
);

/** Warnings about a new service. */
export const creationWarnings: Preview = async (args) => warningsOf({}, args).map(warningLine);
