import { parseAddress } from '../../src/postgres/index.ts';
import type { Runtime, Task } from '../../src/platform/runtime/index.ts';
import { openPostgresRecords } from '../../src/platform/store/postgres/open-records.ts';
import { startPlatform } from '../../src/platform/index.ts';
import { createLog } from '../../src/cli/wiring/log.ts';
import type { EngineCall, Moment } from './recorded-engine.ts';

// A platform whose runtime works on an engine of the tests. Its options are in the environment. SIGUSR2 sets its clock
// two minutes ahead.
const {
  PLACE = '0',
  DATA_DIR = '',
  KEYS_DIR = '',
  DATABASE_URL = '',
  ENGINE_URL = '',
  TOKEN = '',
  AHEAD = '0',
} = process.env;

let ahead = Number(AHEAD);
process.on('SIGUSR2', () => {
  ahead += 120_000;
});

const tell = async (moment: Moment, task: Task): Promise<void> => {
  const {
    deploymentId,
    fencingToken: token,
    phase: { step },
    service: { id: serviceId },
  } = task;
  const call: EngineCall = { moment, place: Number(PLACE), serviceId, deploymentId, step, token };
  const { status } = await fetch(ENGINE_URL, { method: 'POST', body: JSON.stringify(call) });
  if (status === 409) throw new Error(`The engine has a newer fencing token than ${token}.`);
};

const onEngine = (simulated: Runtime): Runtime => ({
  ...simulated,
  begin: async (task, { confirm }) => {
    await tell('prepared', task);
    await confirm();
    await tell('confirmed', task);
    await tell('applied', task);
  },
  observe: async (task) => ({
    outcome: 'succeeded',
    lines: [{ at: Date.now(), message: `${task.phase.step} by ${PLACE}`, pod: 'engine', version: '' }],
    cursor: '',
  }),
});

const platform = await startPlatform({
  dataDir: DATA_DIR,
  keysDir: KEYS_DIR,
  token: TOKEN,
  rateLimit: 1_000_000,
  timeScale: 0,
  runtime: onEngine,
  log: createLog('error'),
  openRecords: () => openPostgresRecords(parseAddress(DATABASE_URL), { ownClock: { now: () => Date.now() + ahead } }),
});
process.stdout.write(`${JSON.stringify({ url: platform.url })}\n`);
