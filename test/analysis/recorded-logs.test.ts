import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { causeCodes } from '../../src/analysis/diagnosis/diagnosis.ts';
import { diagnose } from '../../src/analysis/diagnosis/diagnose.ts';
import { lineTemplate } from '../../src/analysis/logs/collapse.ts';
import { condition, type Condition, type DataOf, type Reason, reasonNames } from '../../src/contract/index.ts';
import { failedDeployment } from './evidence.ts';

interface RecordedCondition {
  readonly reason: Reason;
  readonly data: object;
}

const isRecordedCondition = (value: unknown): value is RecordedCondition =>
  (reasonNames as readonly unknown[]).includes((value as Partial<RecordedCondition> | null)?.reason);

/** A condition as the platform writes it, with the one that caused it. */
const written = ({ reason, data }: RecordedCondition): Condition =>
  condition(
    reason,
    Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, isRecordedCondition(value) ? written(value) : value]),
    ) as DataOf<Reason>,
  );

/** The lines of a recorded log. What the platform itself says is recorded as data. */
const linesIn = (text: string): (string | Condition)[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => (line.startsWith('{"reason": ') ? written(JSON.parse(line) as RecordedCondition) : line));

const textOf = (line: string | Condition): string => (typeof line === 'string' ? line : line.message);

const folder = join(import.meta.dirname, 'logs');
const recorded = readdirSync(folder).map((file) => ({
  file,
  code: file.split('.')[0] ?? '',
  text: readFileSync(join(folder, file), 'utf8'),
}));

const building = [
  'docker_build_failed',
  'dependency_install_failed',
  'compile_failed',
  'tests_failed',
  'git_clone_denied',
  'git_branch_not_found',
  'git_unreachable',
];

/** What the platform would tell beside such a log. */
const circumstances = (file: string, code: string) => {
  if (building.includes(code) || file.endsWith('build.txt') || file.endsWith('base-image.txt'))
    return { state: 'BUILD_ERROR' };
  if (code.startsWith('terraform')) return { kind: 'terraform' as const };
  if (code.startsWith('helm')) return { kind: 'helm' as const };
  if (code === 'dependency_unreachable')
    return { siblings: [{ kind: 'database' as const, id: 'database-1', name: 'orders-db', state: 'STOPPED' }] };
  return code === 'time_limit' ? { kind: 'job' as const } : {};
};

const diagnoseFile = ({ file, code, text }: (typeof recorded)[number]) =>
  diagnose(failedDeployment({ ...circumstances(file, code), lines: linesIn(text) }));

describe('the output of real tools', () => {
  test.each(recorded)('$file is understood', (log) => {
    expect(diagnoseFile(log).cause.code).toBe(log.code);
  });

  test.each(recorded.filter(({ code }) => code !== 'unknown'))(
    '$file: the cause is a whole sentence and rests on lines that are shown',
    (log) => {
      const { cause, lines } = diagnoseFile(log);
      const said = linesIn(log.text).map(textOf);
      expect(cause.quotes.length).toBeGreaterThan(0);
      expect(
        cause.quotes.every((index) =>
          lines.some(({ text }) => lineTemplate(text) === lineTemplate(said[index]?.trimEnd() ?? '')),
        ),
      ).toBe(true);
      expect(cause.sentence).toMatch(/^[A-Z].*\.$/);
      expect(cause.sentence.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')).not.toMatch(/undefined|null|NaN/);
    },
  );

  test.each(
    recorded.filter(({ code }) =>
      ['dependency_install_failed', 'compile_failed', 'tests_failed', 'docker_build_failed'].includes(code),
    ),
  )('$file: a build that fails is not also an app that crashes, whatever state the platform tells', ({ text }) => {
    for (const state of ['BUILD_ERROR', 'DEPLOYMENT_ERROR']) {
      const { also } = diagnose(failedDeployment({ kind: 'application', state, lines: linesIn(text) }));
      expect(also.map(({ code }) => code)).toEqual([]);
    }
  });

  test.each(recorded.filter(({ text }) => text.includes('{"reason": ')))(
    '$file: what the platform says is read as data, whatever its sentences are',
    (log) => {
      const reworded = linesIn(log.text).map((line) => (typeof line === 'string' ? line : { ...line, message: 'x' }));
      const { cause, also, next } = diagnoseFile(log);
      expect(diagnose(failedDeployment({ ...circumstances(log.file, log.code), lines: reworded }))).toMatchObject({
        cause,
        also,
        next,
      });
    },
  );

  test('covers every cause but those that no log tells', () => {
    const recordedCodes = new Set(recorded.map(({ code }) => code));
    expect(causeCodes.filter((code) => !recordedCodes.has(code))).toEqual([
      'canceled',
      'database_node_lost',
      'node_unreachable',
    ]);
  });
});
