import { expect, test } from 'vitest';
import { metricsText } from '../../../src/platform/api/metrics-page.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

test('names go into labels as they are, whatever they contain', () => {
  const labels = { service: 'a"b\\c\nd{}', project: '' };
  expect(
    metricsText([
      { metric: 'infra_service_cpu_cores', labels, value: 0.5 },
      { metric: 'infra_service_cpu_cores', labels: {}, value: 1e-7 },
    ]),
  ).toBe(
    [
      '# HELP infra_service_cpu_cores CPUs that its instances use together.',
      '# TYPE infra_service_cpu_cores gauge',
      'infra_service_cpu_cores{service="a\\"b\\\\c\\nd{}",project=""} 0.5',
      'infra_service_cpu_cores{} 1e-7',
      '',
    ].join('\n'),
  );
  expect(metricsText([])).toBe('');
});

test('nothing is served unless the clusters file names a Prometheus', async () => {
  const platform = await startTestPlatform();
  expect((await platform.send('GET', '/metrics')).status).toBe(404);
  await platform.close();
});
