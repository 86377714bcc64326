import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { maximumWaiting } from '../../../../src/server/guard/index.ts';
import { createTestStore } from './test-stores.ts';
import { prepareRace, start, wanted, type Won } from './store-work.ts';
import { isLanding } from '../../../suites.ts';

/** Starts a process that opens a store and waits. */
async function startProcess(address: string, work: 'race' | 'steps', name: string) {
  const program = fileURLToPath(new URL('./store-process.ts', import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    ['--import', import.meta.resolve('tsx'), program, address, work, name],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  await lines.next();
  return {
    go: (questions: readonly string[] = []) => void child.stdin!.write(`${JSON.stringify(questions)}\n`),
    next: async (): Promise<string | undefined> => {
      const { value, done } = await lines.next();
      return done ? undefined : value;
    },
    kill: async (): Promise<void> => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

const repeated = (values: readonly string[]): string[] =>
  values.filter((value, index) => values.indexOf(value) !== index);

describe('processes that share a store', () => {
  test('get what counts once only once, and what is limited only up to the limit', async () => {
    await using store = await createTestStore();
    const questions = await prepareRace(store.open());
    const processes = await Promise.all(['one', 'two'].map((name) => startProcess(store.address, 'race', name)));
    for (const { go } of processes) go(questions);
    const told = () => Promise.all(processes.map(({ next }) => next()));
    let lines = await told();
    while (lines.every((line) => line === 'here')) {
      for (const { go } of processes) go();
      lines = await told();
    }
    const won = lines.map((line) => JSON.parse(line!) as Won);
    for (const kind of ['used', 'decided', 'taken'] as const) {
      const all = won.flatMap((one) => one[kind]);
      expect(repeated(all), kind).toEqual([]);
      expect(all, kind).toHaveLength(wanted);
    }
    const summed = (kind: 'added' | 'tries'): number[] =>
      won[0]![kind].map((count, limit) => count + won[1]![kind][limit]!);
    expect(new Set(summed('added'))).toEqual(new Set([maximumWaiting.each]));
    expect(new Set(summed('tries'))).toEqual(new Set([5]));
    expect(won[0]!.highRiskCalls + won[1]!.highRiskCalls).toBe(20);
  });

  test.each(isLanding ? [3, 10] : [1, 2, 3, 4, 10, 31])(
    'lose nothing that one did before it was killed at step %i, and go on',
    async (step) => {
      await using store = await createTestStore();
      const killed = await startProcess(store.address, 'steps', 'killed');
      killed.go();
      const done: string[] = [];
      for (let count = 0; count < step; count += 1) done.push((await killed.next())!);
      await killed.kill();
      for (let line = await killed.next(); line !== undefined; line = await killed.next()) done.push(line);

      const { waiting, singleUses } = store.open();
      const steps = done.map((line) => line.split(' ') as [step: string, code: string, question?: string]);
      const after = (kind: string, code: string): boolean => steps.some((told) => told[0] === kind && told[1] === code);
      const codes = [...new Set(steps.map(([, code]) => code))];
      for (const code of codes) {
        const [found] = await waiting.withCode(code, start);
        if (after('taken', code)) expect(found, code).toBeUndefined();
        // The step after the last one that it told may have been made.
        else if (!after('used', code)) expect(found, code).toBeDefined();
        if (found && after('decided', code))
          expect(found.decision, code).toEqual({ verdict: 'approved', signature: 'signature' });
        if (found) expect(await waiting.decide(code, 'refused', 'another'), code).toBe(found.decision === undefined);
        expect(await waiting.take(code), code).toBe(found !== undefined);
      }
      for (const [, , question] of steps)
        if (question !== undefined) expect(await singleUses.use(question, start)).toBe('used_before');
    },
  );
});
