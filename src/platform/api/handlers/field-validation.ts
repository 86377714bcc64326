import { parser as promqlParser } from '@prometheus-io/lezer-promql';
import { Cron } from 'croner';
import { LineCounter, parseAllDocuments } from 'yaml';
import { firstPart } from '../../../contract/index.ts';
import { invalid } from '../../common/index.ts';

// The number of characters of an expression that an error message quotes.
const quotedCharacters = 20;

/**
 * Refuses invalid PromQL. A rule with it would never fire.
 * @throws ApiProblem 400 with the member and the position of the first error, counted from 1
 */
export function requirePromql(member: string, expression: string): void {
  const cursor = promqlParser.parse(expression).cursor();
  do {
    if (!cursor.type.isError) continue;
    const rest = firstPart(expression.slice(cursor.from), quotedCharacters);
    const near = rest === '' ? 'it ends where more is expected' : `near "${rest}"`;
    throw invalid(member, `is no PromQL expression: at character ${cursor.from + 1}, ${near}`);
  } while (cursor.next());
}

/**
 * Refuses a schedule that can't be read, or that never comes due.
 * @param now ISO 8601
 * @throws ApiProblem 400 with the member
 */
export function requireCron(
  member: string,
  { scheduled_at: expression, timezone }: { scheduled_at: string; timezone: string },
  now: string,
): void {
  const next = (at: string): Date | null | undefined => {
    try {
      return new Cron(expression, { timezone: at }).nextRun(new Date(now));
    } catch {
      return undefined;
    }
  };
  const due = next('Etc/UTC');
  if (due === undefined)
    throw invalid(`${member}.scheduled_at`, `"${expression}" is no cron expression of five fields`);
  if (due === null) throw invalid(`${member}.scheduled_at`, `"${expression}" never comes due`);
  if (next(timezone) === undefined) throw invalid(`${member}.timezone`, `there is no time zone "${timezone}"`);
}

/**
 * Refuses a values file that isn't valid YAML. Helm would fail on it.
 * @throws ApiProblem 400 with the member, the line and the error
 */
export function requireYaml(member: string, content: string): void {
  const lines = new LineCounter();
  const documents = parseAllDocuments(content, { lineCounter: lines, prettyErrors: false });
  if ('empty' in documents) return;
  const fault = documents.flatMap(({ errors }) => errors)[0];
  if (fault) throw invalid(member, `is no YAML: line ${lines.linePos(fault.pos[0]).line}, ${fault.message}`);
}
