import { expect, test } from 'vitest';
import { matchesOf, matchesText, labelsText } from '../../../src/platform/engine/alert-matches.ts';

test.each<[Record<string, string>, string]>([
  [
    { service_id: '1', service: 'web', environment: 'production', project: 'shop', cluster: 'local' },
    'shop/production/web',
  ],
  [{ node_id: 'n1', cluster: 'local' }, 'the node n1'],
  [{ node_id: 'n1', node: 'node-1', cluster: 'local' }, 'the node node-1'],
  [{ cluster_id: 'c1', cluster: 'local' }, 'the cluster local'],
  [{ __name__: 'up', job: 'shop', service: 'web' }, 'job=shop, service=web'],
  [{}, ''],
])('%j is told as %j', (labels, text) => {
  expect(labelsText(labels)).toBe(text);
});

test('the first values are told, and how many others there are; long labels are clipped, and what JSON has no number for is a text', () => {
  const met = [Number.POSITIVE_INFINITY, ...Array.from({ length: 11 }, (_, index) => index)].map((value) => ({
    labels: { job: 'x'.repeat(300) },
    value,
  }));
  const matches = JSON.parse(JSON.stringify(matchesOf(met))) as ReturnType<typeof matchesOf>;
  expect(matches).toMatchObject({
    count: 12,
    first: [
      { labels: { job: `${'x'.repeat(199)}…` }, value: 'Infinity' },
      { value: 0 },
      ...Array.from({ length: 8 }, () => ({})),
    ],
  });
  expect(matchesText(matches)).toMatch(/^job=x+…: Infinity, job=x+…: 0, .*: 8, and 2 more$/);
  expect(matchesText(matchesOf([{ labels: {}, value: 3 }]))).toBe('3');
});
