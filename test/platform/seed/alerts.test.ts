import { expect, test } from 'vitest';
import { addAlerts } from '../../../src/platform/seed/alerts.ts';
import { organizationId, seedId } from '../../../src/platform/seed/index.ts';
import { openEngineFixture } from '../engine/engine-fixture.ts';

const rule = {
  name: 'memory-is-short',
  cluster: 'local',
  description: '',
  severity: 'HIGH' as const,
  for_duration: 'PT5M',
  receivers: ['operators'],
  presentation: { summary: 'Memory is short' },
  condition: {
    kind: 'CUSTOM' as const,
    promql: 'infra_service_memory_limit_ratio',
    operator: 'ABOVE' as const,
    threshold: 0.9,
    function: 'NONE' as const,
  },
};
const receivers = ['operators', 'others'].map((name) => ({
  name,
  kind: 'STANDARD' as const,
  url: 'http://127.0.0.1:9/',
}));
const now = '2026-11-24T00:00:00.000Z';

test('a rule of the file is added once; one that differs from the file later is told, and stays as it is', async () => {
  const fixture = await openEngineFixture({ started: false });
  try {
    const organization = await fixture.db.selectFrom('organization').selectAll().executeTakeFirstOrThrow();
    await fixture.db
      .insertInto('organization')
      .values({ ...organization, id: organizationId })
      .execute();
    const cluster = await fixture.db.selectFrom('cluster').selectAll().executeTakeFirstOrThrow();
    await fixture.db
      .insertInto('cluster')
      .values({ ...cluster, id: seedId('cluster/local'), organization_id: organizationId })
      .execute();
    const add = (more: Partial<typeof rule> = {}) =>
      addAlerts(fixture.db, fixture.engine, { receivers, rules: [{ ...rule, ...more }] }, now);
    expect(await add()).toEqual([]);
    expect(await add()).toEqual([]);
    expect(await add({ condition: { ...rule.condition, threshold: 0.8 } })).toEqual(['memory-is-short']);
    expect(await add({ receivers: ['others'] })).toEqual(['memory-is-short']);
    const rows = await fixture.db.selectFrom('alert_rule').select('condition').where('name', '=', rule.name).execute();
    expect(rows.map(({ condition }) => (JSON.parse(condition) as { threshold: number }).threshold)).toEqual([0.9]);
    expect(await add()).toEqual([]);
  } finally {
    await fixture.close();
  }
});
