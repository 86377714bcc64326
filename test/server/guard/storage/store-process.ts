import { once } from 'node:events';
import { storeAtAddress } from './test-stores.ts';
import { raced, stepsUntilKilled } from './store-work.ts';

// Waits for a line, so that several of these begin at the same moment.
const [address = '', work = '', name = ''] = process.argv.slice(2);
const store = storeAtAddress(address, true);
// The first use takes longer.
await store.waiting.countUndecided(0);
process.stdout.write('ready\n');
const [line] = (await once(process.stdin, 'data')) as [Buffer];
if (work === 'race') process.stdout.write(`${JSON.stringify(await raced(store, name, JSON.parse(String(line)) as string[]))}\n`);
else await stepsUntilKilled(store, (step) => void process.stdout.write(`${step}\n`));
await store.close();
process.stdin.destroy();
