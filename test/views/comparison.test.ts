import { describe, expect, test } from 'vitest';
import { comparison, isComparison } from '../../src/views/page/mapping/comparison.ts';
import { changesIn, isPlan, plainFacts, planIn, withoutDryRun } from '../../src/views/page/mapping/plan.ts';

const compared = {
  structuredContent: {
    first: 'shop/staging',
    second: 'shop/production',
    pairs: 3,
    same: 0,
    results: [
      { kind: 'version', service: 'api', what: 'tag', first: '2.4.1', second: '2.4.0' },
      { kind: 'missing secret', what: 'TOKEN', first: 'set' },
      { kind: 'version', service: 'search', what: 'tag', first: '1', second: '2' },
    ],
    not_comparable: ['PASSWORD'],
    secrets_not_compared: 2,
  },
};

test('a comparison has the differences by kind; a side that has nothing stays empty', () => {
  expect(isComparison(compared)).toBe(true);
  expect(comparison(compared)).toEqual({
    first: 'shop/staging',
    second: 'shop/production',
    pairs: 3,
    same: 0,
    kinds: [
      {
        kind: 'version',
        differences: [
          { service: 'api', what: 'tag', first: '2.4.1', second: '2.4.0' },
          { service: 'search', what: 'tag', first: '1', second: '2' },
        ],
      },
      { kind: 'missing secret', differences: [{ what: 'TOKEN', first: 'set' }] },
    ],
    notComparable: ['PASSWORD', '2 secrets that both have'],
  });
});

describe('a plan', () => {
  const planned = {
    structuredContent: {
      dry_run: {
        tool: 'update_application',
        tier: 'disruptive',
        target: { kind: 'application', id: 'a', name: 'api', mode: 'PRODUCTION', path: 'shop/production/api' },
        summary: 'Change cpu.',
        requests: [{ method: 'PUT', path: '/application/a', body: { cpu: 777, ports: [1] }, unchanged: ['name'] }],
        effects: ['cpu: 500 → 777'],
      },
    },
  };

  test('has what would be done, to what, and how grave it is', () => {
    expect(isPlan(planned)).toBe(true);
    expect(isComparison(planned)).toBe(false);
    expect(planIn(planned)).toEqual({
      tool: 'update_application',
      tier: 'disruptive',
      summary: 'Change cpu.',
      target: 'application shop/production/api',
      mode: 'PRODUCTION',
      effects: ['cpu: 500 → 777'],
      requests: [
        {
          request: 'PUT /application/a',
          body: [
            ['cpu', '777'],
            ['ports', '[1]'],
          ],
          unchanged: ['name'],
        },
      ],
    });
  });

  test('is carried out with the arguments of the dry run, without it', () => {
    expect(withoutDryRun({ application: 'shop/staging/api', cpu: 777, dry_run: true })).toEqual({
      application: 'shop/staging/api',
      cpu: 777,
    });
  });

  test('without a place names what is there', () => {
    const { target, mode, requests } = planIn({
      structuredContent: { dry_run: { target: { kind: 'organization', mode: 'none' } } },
    });
    expect([target, mode, requests]).toEqual(['organization', '', []]);
  });
});

test('an answer of a change has what changed, and its plain facts', () => {
  const result = {
    structuredContent: { name: 'api', id: 'a', ports: [1], changes: ['cpu: 500 → 777'], effects: ['It restarts.'] },
  };
  expect(changesIn(result)).toEqual(['cpu: 500 → 777', 'It restarts.']);
  expect(plainFacts(result)).toEqual([
    ['name', 'api'],
    ['id', 'a'],
  ]);
  expect(changesIn({ structuredContent: { nothing_to_change: 'it is so already' } })).toEqual([
    'Nothing was changed: it is so already.',
  ]);
});
