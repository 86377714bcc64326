import { openEngineFixture } from './engine-fixture.ts';

// A process that works on a store until it is killed: its data directory and time scale are its arguments.
const [dataDir = '', timeScale = '0'] = process.argv.slice(2);
await openEngineFixture({ dataDir, timeScale: Number(timeScale) });
process.stdout.write('working\n');
