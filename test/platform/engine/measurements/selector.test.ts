import { expect, test } from 'vitest';
import { selected, selectorIn } from '../../../../src/platform/engine/measurements/selector.ts';
import { requirePromql } from '../../../../src/platform/api/index.ts';

const series = [
  ['web', 'shop'],
  ['db', 'shop'],
  ['we"b\\', 'other'],
].map(([service, project]) => ({
  metric: 'infra_service_cpu_cores',
  labels: { service: service!, project: project! },
  value: 1,
}));

test.each([
  ['infra_service_cpu_cores', ['web', 'db', 'we"b\\']],
  [' infra_service_cpu_cores { service = "web" } ', ['web']],
  ['infra_service_cpu_cores{}', ['web', 'db', 'we"b\\']],
  ['infra_service_cpu_cores{project="shop",service!="db",}', ['web']],
  ['infra_service_cpu_cores{service="we\\"b\\\\"}', ['we"b\\']],
  ['infra_service_cpu_cores{nothing=""}', ['web', 'db', 'we"b\\']],
  ['infra_service_memory_bytes', []],
])('%s picks %j', (expression, services) => {
  expect(() => requirePromql('promql', expression)).not.toThrow();
  expect(selected(selectorIn(expression)!, series).map(({ labels }) => labels.service)).toEqual(services);
});

test.each([
  'up',
  'infra_service_cpu_cores > 1',
  'rate(infra_service_cpu_cores[5m])',
  'infra_service_cpu_cores[5m]',
  'infra_service_cpu_cores{service=~"w.*"}',
  'infra_service_cpu_cores offset 5m',
  'infra_service_cpu_cores{service="a" or service="b"}',
  'infra_service_cpu_cores{service="a"}{}',
  '1',
  'toString',
  '__proto__',
  'infra_service_cpu_cores{,}',
  "infra_service_cpu_cores{service='web'}",
])('%s is left to Prometheus', (expression) => {
  expect(selectorIn(expression)).toBeUndefined();
});
