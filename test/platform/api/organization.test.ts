import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Json,
  type TestPlatform,
  type PlatformResponse,
  rowsOf,
  startTestPlatform,
} from '../../support/test-platform.ts';

const day = 86_400_000;
let now = Date.parse('2026-03-01T12:00:00.000Z');
let platform: TestPlatform;
let organization: { organization_id: string };

beforeAll(async () => {
  platform = await startTestPlatform({ clock: { now: () => now } });
  organization = { organization_id: platform.organizationId };
});

afterAll(() => platform.close());

const expectRefusal = ({ status, body }: PlatformResponse, message: RegExp): void => {
  expect(body['message']).toMatch(message);
  expect(status).toBe(400);
};

test('the organization is a record, which also stands in results', async () => {
  const { results, ...record } = await platform.must('get_organization');
  expect(record).toMatchObject({
    id: platform.organizationId,
    name: expect.any(String),
    created_at: expect.any(String),
  });
  expect(results).toEqual([record]);
});

const invite = (input: Json) => platform.call('invite_member', { ...organization, ...input });
const statusOf = async (email: string) =>
  rowsOf(await platform.must('list_invitations', organization))
    .filter((row) => row['email'] === email)
    .map((row) => row['invitation_status']);

const roles = async () => rowsOf(await platform.must('list_roles', organization));

describe('an invitation', () => {
  test('says who invited whom, to what', async () => {
    const { status, body } = await invite({ email: 'new@example.com', role: 'DEVELOPER' });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      email: 'new@example.com',
      role: 'DEVELOPER',
      invitation_status: 'PENDING',
      inviter: 'admin of the tests',
    });
    expect((await roles()).map((role) => role['id'])).toContain(body['role_id']);
  });

  test('role_id wins over role', async () => {
    const { body } = await invite({ email: 'both@example.com', role: 'OWNER', role_id: platform.seed['role_id'] });
    const role = (await roles()).find(({ id }) => id === platform.seed['role_id'])!;
    expect(body).toMatchObject({ role_id: platform.seed['role_id'], role_name: role['name'] });
    expect(body['role']).not.toBe('OWNER');
  });

  test('without a role gives the least', async () => {
    expect((await invite({ email: 'least@example.com' })).body).toMatchObject({ role: 'VIEWER' });
  });

  test('of somebody invited already, in whatever case, or of a member is refused', async () => {
    await invite({ email: 'twice@example.com' });
    expectRefusal(await invite({ email: 'Twice@Example.com' }), /^email: .*invited already/);
    const [member] = rowsOf(await platform.must('list_members', organization));
    expectRefusal(await invite({ email: member!['email'] }), /^email: .*member already/);
  });

  test('expires, and can then be sent again', async () => {
    await invite({ email: 'late@example.com' });
    now += 6 * day;
    expect(await statusOf('late@example.com')).toEqual(['PENDING']);
    now += 2 * day;
    expect(await statusOf('late@example.com')).toEqual(['EXPIRED']);
    expect((await invite({ email: 'late@example.com' })).status).toBe(201);
    expect(await statusOf('late@example.com')).toEqual(['EXPIRED', 'PENDING']);
  });

  test('the seed has one of each status', async () => {
    const seeded = await startTestPlatform();
    const statuses = rowsOf(await seeded.must('list_invitations', { organization_id: seeded.organizationId })).map(
      (row) => row['invitation_status'],
    );
    expect(new Set(statuses)).toEqual(new Set(['PENDING', 'EXPIRED']));
    await seeded.close();
  });
});

describe('billing information', () => {
  const billing = {
    first_name: 'Ada',
    last_name: 'King',
    email: 'ada@example.com',
    address: '1 Main Street',
    city: 'Paris',
    zip: '75001',
    country_code: 'FR',
  };

  test('is replaced as a whole: what is not sent is null', async () => {
    await platform.must('update_billing_info', { ...organization, ...billing, company: 'Example', vat_number: 'FR1' });
    expect(await platform.must('get_billing_info', organization)).toMatchObject({
      ...billing,
      company: 'Example',
      vat_number: 'FR1',
      state: null,
    });
    await platform.must('update_billing_info', { ...organization, ...billing, city: 'Lyon' });
    expect(await platform.must('get_billing_info', organization)).toEqual({
      ...billing,
      city: 'Lyon',
      company: null,
      vat_number: null,
      state: null,
    });
  });

  test.each([
    ['country_code', 'France'],
    ['country_code', 'fr'],
    ['email', 'ada'],
    ['first_name', ''],
  ])('%s can not be "%s"', async (member, value) => {
    expectRefusal(
      await platform.call('update_billing_info', { ...organization, ...billing, [member]: value }),
      new RegExp(`^${member}: `),
    );
  });
});

const create = (input: Json) =>
  platform.call('create_helm_repository', { ...organization, skip_tls_verification: false, config: {}, ...input });
const source = (repository: unknown) => ({ helm_repository: { repository, chart_name: 'a', chart_version: '1' } });

describe('a helm repository', () => {
  test('has a name of its own', async () => {
    expect((await create({ name: 'Mine', kind: 'HTTPS' })).status).toBe(201);
    expectRefusal(await create({ name: 'MINE', kind: 'HTTPS' }), /^name: /);
  });

  test('has an address that fits its kind', async () => {
    expectRefusal(await create({ name: 'a', kind: 'HTTPS', url: 'oci://charts.example.com' }), /^url: /);
    expectRefusal(await create({ name: 'a', kind: 'OCI_ECR', url: 'https://charts.example.com' }), /^url: /);
    expectRefusal(await create({ name: 'a', kind: 'FTP' }), /^kind: /);
    expect(
      (await create({ name: 'vendor', kind: 'OCI_VENDOR_9_CR', url: 'oci://charts.example.com' })).body,
    ).toMatchObject({ kind: 'OCI_VENDOR_9_CR', associated_services_count: 0 });
  });

  test('counts the services that use it', async () => {
    const count = async () =>
      rowsOf(await platform.must('list_helm_repositories', organization)).find(
        ({ id }) => id === platform.seed['helm_repository_id'],
      )!['associated_services_count'];
    const helm = {
      helm_id: platform.seed['helm_id'],
      name: 'counted',
      auto_deploy: false,
      arguments: [],
      values_override: {},
    };
    await platform.must('update_helm', { ...helm, source: source(platform.seed['helm_repository_id']) });
    const before = (await count()) as number;
    await platform.must('update_helm', { ...helm, source: source(null) });
    expect(await count()).toBe(before - 1);
  });
});

describe('an alert rule', () => {
  const rule = {
    name: 'Slow',
    description: '',
    tag: '',
    condition: { promql: 'up == 0' },
    for_duration: 'PT5M',
    severity: 'LOW',
    enabled: true,
    presentation: {},
  };
  const update = (id: unknown, input: Json) =>
    platform.call('update_alert_rule', {
      alert_rule_id: id,
      ...rule,
      alert_receiver_ids: [platform.seed['alert_receiver_id']],
      ...input,
    });

  test('is replaced, is not up to date right after, and then is', async () => {
    const { body } = await update(platform.seed['alert_rule_id'], { severity: 'CRITICAL' });
    expect(body).toMatchObject({
      severity: 'CRITICAL',
      is_up_to_date: false,
      source: 'MANAGED',
      condition: { kind: 'CUSTOM', operator: 'NONE', function: 'NONE', threshold: 0 },
    });
    await expect
      .poll(
        async () => {
          now += 10_000;
          return (await platform.must('get_alert_rule', { alert_rule_id: platform.seed['alert_rule_id'] }))[
            'is_up_to_date'
          ];
        },
        { interval: 50 },
      )
      .toBe(true);
  });

  test('that only the monitoring system has can not be edited', async () => {
    const ghost = rowsOf(await platform.must('list_alert_rules', organization)).find(
      (row) => row['source'] === 'GHOST',
    )!;
    expectRefusal(await update(ghost['id'], {}), /monitoring system only/);
  });

  test.each([
    ['for_duration', '5m'],
    ['severity', 'HUGE'],
    ['alert_receiver_ids', []],
    ['condition', { promql: '' }],
    ['presentation', { runbook_url: 'javascript:alert(1)' }],
  ])('%s can not be %j', async (member, value) => {
    expectRefusal(await update(platform.seed['alert_rule_id'], { [member]: value }), new RegExp(`^${member}`));
  });
});
