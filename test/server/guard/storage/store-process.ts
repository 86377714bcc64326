import { StatementSync } from 'node:sqlite';
import { createInterface } from 'node:readline';
import { storeAtAddress } from './test-stores.ts';
import { raced, stepsUntilKilled } from './store-work.ts';

/**
 * How long a store in a file pauses after each look, in milliseconds: others get in before its change, unless it keeps
 * them out.
 */
const pauseAfterReading = 3;

const pauseAfter = (method: 'all' | 'get'): void => {
  const read = Reflect.get(StatementSync.prototype, method) as (...values: unknown[]) => unknown;
  Reflect.set(StatementSync.prototype, method, function paused(this: StatementSync, ...values: unknown[]): unknown {
    const result = read.apply(this, values);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseAfterReading);
    return result;
  });
};

// Waits for a line, so that several of these begin at the same moment.
const [address = '', work = '', name = ''] = process.argv.slice(2);
const store = storeAtAddress(address, true);
// The first use takes longer.
await store.waiting.countUndecided(0);
const tell = (line: string): void => void process.stdout.write(`${line}\n`);
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
tell('ready');
const { value: line } = await lines.next();
if (work === 'race') for (const method of ['all', 'get'] as const) pauseAfter(method);
const meet = async (): Promise<void> => {
  tell('here');
  await lines.next();
};
if (work === 'race') tell(JSON.stringify(await raced(store, name, JSON.parse(line as string) as string[], meet)));
else await stepsUntilKilled(store, tell);
await store.close();
process.stdin.destroy();
