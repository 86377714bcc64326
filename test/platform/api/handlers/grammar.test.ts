import { expect, test } from 'vitest';
import { requirePromql, requireYaml } from '../../../../src/platform/api/handlers/field-validation.ts';

const refusal = (check: () => void): string => {
  try {
    check();
  } catch (error) {
    return (error as Error).message;
  }
  return 'accepted';
};

test.each([
  'up == 0',
  'sum(rate(http_requests_total{status=~"5.."}[5m])) by (service) > 0.05',
  'histogram_quantile(0.99, sum by (le) (rate(latency_bucket[10m]))) > 1',
])('PromQL is taken: %s', (expression) => {
  expect(refusal(() => requirePromql('condition.promql', expression))).toBe('accepted');
});

test.each([
  [
    'sum(rate(errors[5m])',
    'condition.promql: is no PromQL expression: at character 21, it ends where more is expected',
  ],
  ['up = = 1', 'condition.promql: is no PromQL expression: at character 4, near "= = 1"'],
  ['the shop is down', 'condition.promql: is no PromQL expression: at character 5, near "shop is down"'],
])('what is no PromQL is refused where it breaks: %s', (expression, message) => {
  expect(refusal(() => requirePromql('condition.promql', expression))).toBe(message);
});

test('values files are YAML, or are refused with the line', () => {
  expect(refusal(() => requireYaml('content', 'auth:\n  enabled: true\n'))).toBe('accepted');
  expect(refusal(() => requireYaml('content', ''))).toBe('accepted');
  expect(refusal(() => requireYaml('content', 'auth:\n  enabled: [true\nport: 1\n'))).toMatch(
    /^content: is no YAML: line \d, /,
  );
});
