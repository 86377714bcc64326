import { describe, expect, test } from 'vitest';
import type { EnvironmentCondition } from '../../src/analysis/organization-overview.ts';
import { environmentState, isOfEnvironment, organizationTree } from '../../src/views/page/mapping/organization.ts';
import { toneOf, type Tone } from '../../src/views/page/mapping/tone.ts';

const overview = {
  structuredContent: {
    organization: 'Acme',
    counts: { failed: 1, alerting: 1, healthy: 1 },
    services: { healthy: 10, failed: 1 },
    results: [
      { environment: 'data/dev', mode: 'DEVELOPMENT', condition: 'failed', since: '2026-11-24T02:47:54Z', by: 'Cleo' },
      { environment: 'a%2Fb/staging', mode: 'STAGING', condition: 'alerting', what: 'alerting: late' },
      { environment: 'data/production', mode: 'PRODUCTION', condition: 'healthy' },
    ],
    locks: ['cluster batch by Bo'],
    cluster_alerts: ['cluster main: disk-filling'],
    unwatched: 'node-memory',
    page: 1,
    pages: 2,
  },
};

describe('the tree of an organization', () => {
  test('has projects in the order of their worst environments, and these in the order of the answer', () => {
    const { title, counts, projects, pages } = organizationTree(overview);
    expect([title, pages]).toEqual(['Acme', 2]);
    expect(organizationTree({ structuredContent: { organization: 'Acme', within: 'project shop' } }).title).toBe(
      'Acme, project shop',
    );
    expect(counts).toEqual([
      ['failed', 1],
      ['alerting', 1],
      ['healthy', 1],
    ]);
    expect(
      projects.map(({ name, condition, environments }) => [name, condition, environments.map((one) => one.name)]),
    ).toEqual([
      ['data', 'failed', ['dev', 'production']],
      ['a/b', 'alerting', ['staging']],
    ]);
    expect(projects[1]!.environments[0]).toEqual({
      path: 'a%2Fb/staging',
      name: 'staging',
      mode: 'STAGING',
      condition: 'alerting',
      what: 'alerting: late',
    });
  });

  test('has locks before alerts, and what is not watched', () => {
    expect(organizationTree(overview).notices).toEqual([
      { kind: 'lock', text: 'cluster batch by Bo' },
      { kind: 'alert', text: 'cluster main: disk-filling' },
      { kind: 'unwatched', text: 'node-memory' },
    ]);
  });

  test('is empty where the answer has nothing, or something else than expected', () => {
    for (const structuredContent of [undefined, {}, { results: 'none', counts: [], locks: 0 }])
      expect(organizationTree({ structuredContent }).projects).toEqual([]);
  });
});

test('the state of an environment has its services with what is known of each, its alerts and its lock', () => {
  const result = {
    structuredContent: {
      environment: 'shop/staging',
      counts: { healthy: 1 },
      results: [
        { id: '1', name: 'api', kind: 'application', condition: 'healthy', state: 'DEPLOYED', reason: 'it runs' },
      ],
      alerts: [
        { name: 'late', severity: 'LOW', told: 'nobody', since: '2026-11-25T02:45:39Z', service: 'api', id: '2' },
        { name: 'full', severity: 'HIGH', cluster: 'main', id: '3' },
      ],
      cluster_lock: 'Its cluster is locked.',
      unusable_cluster: 'Nothing can run on it.',
    },
  };
  expect(isOfEnvironment(result)).toBe(true);
  expect(isOfEnvironment(overview)).toBe(false);
  expect(environmentState(result)).toEqual({
    path: 'shop/staging',
    counts: [['healthy', 1]],
    services: [
      {
        id: '1',
        name: 'api',
        kind: 'application',
        condition: 'healthy',
        state: 'DEPLOYED',
        facts: [['reason', 'it runs']],
      },
    ],
    alerts: [
      { name: 'late', severity: 'LOW', told: 'nobody', since: '2026-11-25T02:45:39Z', about: 'api' },
      { name: 'full', severity: 'HIGH', about: 'cluster main' },
    ],
    notices: [
      { kind: 'lock', text: 'Its cluster is locked.' },
      { kind: 'cluster', text: 'Nothing can run on it.' },
    ],
  });
});

/** The tone of every condition of an environment. A new condition needs one here. */
const tones: Readonly<Record<EnvironmentCondition, Tone>> = {
  failed: 'bad',
  unavailable: 'bad',
  'unusable cluster': 'bad',
  alerting: 'warn',
  canceled: 'warn',
  overdue: 'warn',
  moving: 'busy',
  unknown: 'warn',
  'not looked at': 'warn',
  'never succeeded': 'warn',
  'out of date': 'warn',
  locked: 'warn',
  stopped: 'idle',
  'never deployed': 'idle',
  'no services': 'idle',
  healthy: 'good',
};

test.each(Object.entries(tones))('the condition %s is shown as %s', (condition, tone) => {
  expect(toneOf(condition)).toBe(tone);
});

test('a condition that nobody has said is worth a look', () => {
  expect(toneOf('on fire')).toBe('warn');
});
