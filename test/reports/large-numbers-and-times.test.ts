import { assert, date, double, integer, oneof, property, string } from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readAnswer } from '../../src/client/answer.ts';
import { isoTime, largestInteger, operations, timeOf, type AnyOperation } from '../../src/contract/index.ts';
import { timeWindow, UnusableQuery } from '../../src/analysis/index.ts';
import { timeCell } from '../../src/cli/terminal/table-cells.ts';
import { lockEnd, lockText } from '../../src/server/context/index.ts';
import { expiryOf } from '../../src/cli/doctor/token-claims.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

const moment = '2026-01-31T09:30:00.000Z';
const at = Date.parse(moment);

const answerTo = (operation: AnyOperation, body: unknown) =>
  readAnswer(operation, { status: 200, headers: {}, text: JSON.stringify(body) }, { inParts: true });
const row = (id: number, created_at: unknown) => ({
  id: `00000000-0000-4000-8000-00000000000${id}`,
  name: `n${id}`,
  created_at,
});

describe('a time in the data of a platform', () => {
  test.each([moment, at, at / 1000, String(at), String(at / 1000), '2026-01-31T10:30:00+01:00'])(
    '%j is read',
    (value) => {
      expect(isoTime(value)).toBe(moment);
    },
  );

  test.each([Number.NaN, Infinity, 1e300, -1e20, 'soon', '', null, undefined, {}, true])('%j is none', (value) => {
    expect(isoTime(value)).toBeUndefined();
  });

  test('is read from anything without an error', () => {
    assert(
      property(
        oneof(
          double(),
          integer(),
          string(),
          date().map((one) => one.getTime()),
        ),
        (value) => {
          const time = timeOf(value);
          if (time !== undefined) expect(new Date(time).getTime()).not.toBeNaN();
        },
      ),
    );
  });

  test('as a number is text in an answer; one that is none costs only itself', () => {
    const { answer, responseIssue } = answerTo(operations.list_projects, {
      results: [row(1, at / 1000), row(2, 1e300), row(3, moment)],
    }) as { answer: { results: { name: string; created_at?: string }[] }; responseIssue?: { field?: string } };
    expect(answer.results.map(({ name, created_at }) => [name, created_at])).toEqual([
      ['n1', moment],
      ['n2', undefined],
      ['n3', moment],
    ]);
    expect(responseIssue?.field).toBe('results[1].created_at');
    const { responseIssue: none } = answerTo(operations.list_projects, { results: [row(1, at)] });
    expect(none).toBeUndefined();
  });
});

describe('a calculated time that has no date', () => {
  const lock = { cluster_id: 'c', locked_at: moment, ttl_in_days: 2_147_483_647, owner_name: 'me' };

  test('is an unknown one', () => {
    expect(lockEnd(lock)).toBeGreaterThan(at);
    expect(lockText(lock, String)).toContain('unknown time');
    expect(lockText({ ...lock, ttl_in_days: 1, locked_at: at / 1000 }, String)).toContain('2026-02-01T09:30:00.000Z');
    expect(timeCell(1e300)).toEqual({ text: '1e+300' });
    const claims = Buffer.from(JSON.stringify({ exp: 1e300 })).toString('base64url');
    expect(expiryOf(`e30.${claims}.`)).toBeUndefined();
  });

  test('is refused in a query', () => {
    expect(() => timeWindow({ since: 'P999999999Y' }, new Date(at))).toThrow(UnusableQuery);
  });
});

describe('the embedded platform', () => {
  let platform: TestPlatform;
  beforeAll(async () => void (platform = await startTestPlatform()));
  afterAll(() => platform.close());

  test.each([largestInteger + 1, Number.MAX_SAFE_INTEGER])('refuses %d, and names the field', async (memory) => {
    const before = platform.dump();
    const services = await platform.must('list_projects', { organization_id: platform.organizationId });
    const project = (services['results'] as { id: string; name: string }[]).find(({ name }) => name === 'shop')!;
    const environments = await platform.must('list_environments', { project_id: project.id });
    const [environment] = environments['results'] as { id: string }[];
    const response = await platform.call('create_database', {
      environment_id: environment!.id,
      name: 'huge',
      type: 'POSTGRESQL',
      version: '16',
      mode: 'CONTAINER',
      memory,
    });
    expect(response.status).toBe(400);
    expect(response.text).toContain(`memory: must be at most ${largestInteger}`);
    expect(platform.dump()).toEqual(before);
  });
});
