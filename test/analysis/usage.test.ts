import { expect, test } from 'vitest';
import { usageText } from '../../src/analysis/usage.ts';

const now = Date.parse('2026-01-01T00:10:00Z');
const running = (usage: unknown, restarts = 0) => ({ running: { restarts, usage } }) as Parameters<typeof usageText>[0];
const measured = {
  measured_at: '2026-01-01T00:09:40Z',
  seconds: 300,
  cpu: 60,
  cpu_limit: 500,
  memory: 210,
  memory_limit: 512,
  missing: [],
};

test.each<[string, unknown, number, string | undefined]>([
  [
    'all of it',
    { ...measured, requests_per_second: 41, error_percent: 0.2, p95_milliseconds: 80 },
    3,
    'CPU 12 % of 500m, memory 210 of 512 MB, 3 restarts, 41 requests/s, 0.2 % errors, p95 80 ms (over 5 min, 20 s ago)',
  ],
  [
    'an instance that uses more than the others',
    {
      ...measured,
      instances: 2,
      cpu: 250,
      cpu_worst: 240,
      memory_worst: 200,
      received_per_second: 1234,
      sent_per_second: 2_500_000,
    },
    0,
    'CPU 50 % of 500m, one instance at 96 %, memory 210 of 512 MB, one instance at 78 %, network 1.2 kB/s in, 2.5 MB/s out (over 5 min, 20 s ago)',
  ],
  [
    'what has no limit',
    { ...measured, cpu_limit: null, memory_limit: undefined },
    1,
    'CPU 60m, memory 210 MB, 1 restart (over 5 min, 20 s ago)',
  ],
  ['nothing yet', { missing: ['It was not measured yet.'] }, 4, '4 restarts. It was not measured yet.'],
  ['nothing at all', { missing: ['Nobody answers.'] }, 0, 'not measured: Nobody answers.'],
  [
    'what is old',
    { ...measured, measured_at: '2026-01-01T00:00:00Z' },
    0,
    'not measured lately; before: CPU 12 % of 500m, memory 210 of 512 MB (over 5 min, 10 min ago)',
  ],
  ['odd values', { cpu: 'much', memory: -1, measured_at: 7, missing: 'x' }, 0, 'not measured'],
  ['a platform that does not measure', undefined, 2, undefined],
])('%s', (_name, usage, restarts, text) => {
  expect(usageText(running(usage, restarts), now)).toBe(text);
});
