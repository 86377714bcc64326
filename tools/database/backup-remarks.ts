import { compact, recordsIn, textOf, type JsonRecord } from '../../src/server/tool/index.ts';
import { isComplete } from './backups-everywhere.ts';

/** Below which part of the one before it a backup is told to be small: databases grow, or lose some rows. */
const smallPart = 0.5;

/** How many backups with the same message are taken as a series, and by how much longer a pause is told than any before. */
const fewestOfSeries = 3;
const longerPause = 1.5;

const timeOf = (backup: JsonRecord): number => Date.parse(textOf(backup, 'created_at') ?? '');

/** The newest complete backup, if it is much smaller than the complete one before it. */
function smaller([newest, before]: readonly JsonRecord[]): readonly JsonRecord[] {
  const [now, then] = [newest?.['bytes'], before?.['bytes']];
  if (typeof now !== 'number' || typeof then !== 'number' || now >= then * smallPart) return [];
  return [{ code: 'SMALLER', name: newest!['name'], bytes: now, before: { name: before!['name'], bytes: then } }];
}

/** The backups with the same message, of which the next one is missing, going by the pauses between them so far. */
function missing(series: readonly JsonRecord[], now: number): readonly JsonRecord[] {
  const times = series.map(timeOf);
  if (times.length < fewestOfSeries || times.some(Number.isNaN)) return [];
  const longest = Math.max(...times.slice(1).map((time, index) => times[index]! - time));
  if (now - times[0]! <= longest * longerPause) return [];
  return [
    {
      code: 'NONE_SINCE',
      message: series[0]!['message'],
      newest: series[0]!['created_at'],
      longest_pause_seconds: Math.round(longest / 1000),
    },
  ];
}

/**
 * What backups of a database show only side by side, as codes with data: that the newest complete one is much smaller
 * than the one before it, and that a series of backups with the same message has stopped.
 * @param backups newest first
 * @param now in milliseconds since the epoch
 */
export function backupRemarks(backups: readonly JsonRecord[], now: number): readonly JsonRecord[] {
  const complete = backups.filter(isComplete);
  const series = Map.groupBy(
    complete.filter((backup) => (textOf(backup, 'message') ?? '') !== ''),
    (backup) => textOf(backup, 'message')!,
  );
  return [...smaller(complete), ...[...series.values()].flatMap((one) => missing(one, now))];
}

const megabytes = (bytes: unknown): string => `${Number((Number(bytes) / 1e6).toPrecision(3))} MB`;

const sentences: Readonly<Record<string, (remark: JsonRecord) => string>> = {
  SMALLER: ({ name, bytes, before }) =>
    `The newest complete one, ${compact(name)}, has ${megabytes(bytes)}, less than half of the one before it (${megabytes((before as JsonRecord)['bytes'])}): find out whether data is missing.`,
  NONE_SINCE: ({ message, newest, longest_pause_seconds: pause }) =>
    `Of those that say ${JSON.stringify(message)}, none came since ${compact(newest)}. Earlier ones came after ${Math.round(Number(pause) / 3600)} hours at most.`,
};

/** The remarks as lines of an answer. */
export const remarkLines = (remarks: unknown): readonly string[] =>
  recordsIn(remarks).flatMap((remark) => sentences[String(remark['code'])]?.(remark) ?? []);
