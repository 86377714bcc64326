import { mkdir, readFile, rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readCalls, auditRecorder, type Intent } from '../../../src/server/audit/index.ts';
import { contextWith, memoryLog } from '../../support/call-context.ts';
import { auditLogIn, temporaryFolder } from './audit-log.ts';

const facts: Intent = {
  tool: 'stop_environment',
  principal: 'ann',
  connection: 'stdio',
  requestId: 'r-1',
  tier: 'destructive',
  confirmed: 'terminal',
  plan: 'abc',
  target: { kind: 'environment', id: 'e', name: 'prod', mode: 'PRODUCTION' },
};
const { tool, principal, requestId } = facts;
const clock = { now: () => Date.parse('2026-11-20T10:00:00Z') };

describe('a recorder', () => {
  test('writes who did what to what, how it was agreed to, and what came of it', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    const recorder = auditRecorder(log.auditLog(), clock);
    await recorder.intent(facts, contextWith());
    await recorder.outcome({ ...facts, outcome: 'done', duration: 12 }, contextWith());
    const [intent, outcome] = (await readFile(log.file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    const common = {
      chain: expect.stringMatching(/^1-/),
      at: '2026-11-20T10:00:00.000Z',
      request_id: 'r-1',
      who: 'ann',
      connection: 'stdio',
      tool: 'stop_environment',
      tier: 'destructive',
      target: facts.target,
      plan: 'abc',
      confirmed: 'terminal',
      mac: expect.any(String),
    };
    expect(intent).toEqual({ ...common, seq: 1, kind: 'intent' });
    expect(outcome).toEqual({ ...common, seq: 2, kind: 'outcome', outcome: 'done', duration_ms: 12 });
    expect((await log.verify()).faults).toEqual([]);
  });

  test('fails when an intent or the outcome of a change cannot be written', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    await mkdir(log.file);
    const recorder = auditRecorder(log.auditLog(), clock);
    await expect(recorder.intent(facts, contextWith())).rejects.toThrow('EISDIR');
    await expect(recorder.outcome({ ...facts, outcome: 'done', duration: 1 }, contextWith())).rejects.toThrow('EISDIR');
  });

  test('records reads in the background, and logs when that fails', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    await mkdir(log.file);
    const auditLog = log.auditLog();
    const serverLog = memoryLog();
    await auditRecorder(auditLog, clock).outcome(
      { tool: 'get_helm', principal, requestId, tier: 'read', confirmed: 'not_needed', outcome: 'done', duration: 1 },
      contextWith({ log: serverLog }),
    );
    await auditLog.close();
    expect(serverLog.lines).toEqual([expect.objectContaining({ message: 'outcome not recorded' })]);
    await rm(log.file, { recursive: true });
  });
});

describe('the calls of a log', () => {
  test('are intent and outcome in one, oldest first, the newest so many', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    const auditLog = log.auditLog();
    let now = 0;
    const recorder = auditRecorder(auditLog, { now: () => (now += 1000) });
    for (const id of ['a', 'b', 'c']) {
      await recorder.intent({ ...facts, requestId: id }, contextWith());
      await recorder.outcome({ ...facts, requestId: id, outcome: 'done', duration: 5 }, contextWith());
    }
    await recorder.intent({ ...facts, requestId: 'd' }, contextWith());
    await recorder.outcome(
      { tool, principal, requestId: 'e', outcome: 'denied', why: 'p.yaml, deny[0]', duration: 1 },
      contextWith(),
    );
    await auditLog.close();
    const calls = await readCalls([log.file], 3);
    expect(calls.map(({ request_id: id, at, outcome }) => [id, at, outcome])).toEqual([
      ['c', '1970-01-01T00:00:05.000Z', 'done'],
      ['d', '1970-01-01T00:00:07.000Z', undefined],
      ['e', '1970-01-01T00:00:08.000Z', 'denied'],
    ]);
    expect(calls[0]).toMatchObject({ who: 'ann', confirmed: 'terminal', duration_ms: 5, target: { name: 'prod' } });
    expect(calls[2]).toMatchObject({ why: 'p.yaml, deny[0]' });
  });

  test('are none where there is no log, and pass over what is no entry', async () => {
    await using folder = await temporaryFolder();
    const log = auditLogIn(folder.path);
    expect(await readCalls([log.file], 10)).toEqual([]);
    await log.put('nonsense\n{"kind":"intent"}\n');
    expect(await readCalls([log.file], 10)).toEqual([]);
  });
});
