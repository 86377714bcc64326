import type { Insertable } from 'kysely';
import { operations } from '../../contract/index.ts';
import { withRecordedChange } from '../api/index.ts';
import type { AlertRuleTable, ClusterTable, Db, MemberTable, Vault } from '../store/index.ts';
import { teamMail } from './alerts.ts';
import { organizationId, seedId, seedIds } from './ids.ts';
import { seedLinkedResources } from './linked-resources.ts';
import { organizationAge, owned, type SeedTime } from './seed-time.ts';

/** A cluster row with usual values. @param more columns that differ */
export const clusterRow = (
  time: SeedTime,
  name: string,
  more: Partial<Insertable<ClusterTable>>,
): Insertable<ClusterTable> => ({
  ...owned(time, `cluster/${name}`, name),
  description: null,
  region: 'eu-west-3',
  cloud_provider: 'AWS',
  version: '1.32',
  next_version: null,
  is_default: 0,
  production: 0,
  status: 'DEPLOYED',
  maximum_cpu: 8000,
  maximum_memory: 32_768,
  maximum_gpu: 2,
  last_execution_id: seedId(`cluster-execution/${name}`),
  last_deployment_at: time.ago(30),
  ...more,
});

const clusters = (time: SeedTime): Insertable<ClusterTable>[] => [
  clusterRow(time, 'main', { description: 'Staging and development.', next_version: '1.33', is_default: 1 }),
  clusterRow(time, 'production', {
    description: 'Everything customers see.',
    production: 1,
    version: '1.31',
    next_version: '1.32',
  }),
  clusterRow(time, 'batch', {
    description: 'Nightly work; frozen during the migration.',
    region: 'eu-central-1',
    maximum_gpu: 8,
  }),
  clusterRow(time, 'edge-lab', {
    region: 'us-east-1',
    status: 'INVALID_CREDENTIALS',
    last_execution_id: null,
    last_deployment_at: null,
  }),
];

const roles = [
  ['viewer', 'Viewer', 'VIEWER'],
  ['developer', 'Developer', 'DEVELOPER'],
  ['admin', 'Admin', 'ADMIN'],
  ['owner', 'Owner', 'OWNER'],
] as const;

const members = (time: SeedTime): Insertable<MemberTable>[] => {
  const member = (nickname: string, name: string, role: string, lastSeen: number) => ({
    ...owned(time, `member/${nickname}`, name),
    email: `${nickname}@acme.example`,
    nickname,
    profile_picture_url: `https://acme.example/people/${nickname}.png`,
    last_activity_at: time.ago(lastSeen),
    role_id: seedId(`role/${role}`),
  });
  return [
    member('ada', 'Ada Okafor', 'owner', 0),
    member('bo', 'Bo Lindqvist', 'admin', 1),
    member('cleo', 'Cleo Marchetti', 'developer', 2),
    member('dev', 'Dev Raman', 'viewer', 40),
  ];
};

const invitation = (time: SeedTime, email: string, sent: number) => ({
  id: seedId(`invitation/${email}`),
  organization_id: organizationId,
  created_at: time.ago(sent),
  updated_at: time.ago(sent),
  email,
  role_id: seedId('role/developer'),
  inviter: 'Ada Okafor',
  expires_at: time.ago(sent - 7),
});

/** Locks a cluster as its request would: whoever looks for the change finds its event. */
async function lockCluster(db: Db, time: SeedTime): Promise<void> {
  const [cluster_id, owner, at] = [seedId('cluster/batch'), 'Bo Lindqvist', time.ago(0)];
  await withRecordedChange(
    db,
    { kind: 'cluster', id: cluster_id },
    { name: owner, origin: 'CONSOLE' },
    at,
    async () => {
      await db
        .insertInto('cluster_lock')
        .values({
          cluster_id,
          reason: 'Storage migration: no changes until it is done.',
          locked_at: at,
          owner_name: owner,
          ttl_in_days: 5,
        })
        .execute();
    },
    operations.lock_cluster,
  );
}

/**
 * Inserts the organization and everything outside its projects: clusters, people, registries, git tokens, groups,
 * receivers, a webhook.
 */
export async function seedOrganization(db: Db, time: SeedTime, vault: Vault): Promise<void> {
  await db
    .insertInto('organization')
    .values({
      id: organizationId,
      created_at: time.ago(organizationAge),
      updated_at: time.ago(30),
      name: 'Acme',
      description: 'Sells everything.',
      plan: 'TEAM',
      owner: 'Ada Okafor',
    })
    .execute();
  await db
    .insertInto('role')
    .values(
      roles.map(([path, name, legacy]) => ({
        ...owned(time, `role/${path}`, name),
        description: `${name}s of the organization.`,
        legacy_role: legacy,
      })),
    )
    .execute();
  await db.insertInto('member').values(members(time)).execute();
  // It has expired, and no value has this hash: nobody can use it.
  await db
    .insertInto('api_token')
    .values({
      id: seedId('api-token/laptop'),
      name: 'laptop of Cleo',
      member_id: seedId('member/cleo'),
      permission: 'deploy',
      hash: 'none',
      created_at: time.ago(90),
      expires_at: time.ago(20),
      last_used_at: time.ago(21),
      revoked_at: null,
    })
    .execute();
  await db
    .insertInto('invitation')
    .values([invitation(time, 'erin@acme.example', 2), invitation(time, 'felix@acme.example', 20)])
    .execute();
  await db
    .insertInto('billing_info')
    .values({
      organization_id: organizationId,
      first_name: 'Ada',
      last_name: 'Okafor',
      email: 'billing@acme.example',
      address: '1 Market Street',
      city: 'Lyon',
      zip: '69001',
      country_code: 'FR',
      state: null,
      company: 'Acme',
      vat_number: null,
    })
    .execute();
  await db.insertInto('cluster').values(clusters(time)).execute();
  await lockCluster(db, time);
  await seedLinkedResources(db, time, vault);
  await db
    .insertInto('alert_receiver')
    .values([
      { ...owned(time, 'alert-receiver/on-call', 'on-call'), description: 'Whoever is on call.', type: 'SLACK' },
      {
        ...owned(time, 'alert-receiver/mail', 'team-mail'),
        description: null,
        type: 'EMAIL',
        mail: JSON.stringify(teamMail),
        sealed_auth_password: vault.seal('never-shown-in-any-answer'),
      },
    ])
    .execute();
  await db
    .insertInto('webhook')
    .values({
      id: seedIds.webhook_id,
      organization_id: organizationId,
      created_at: time.ago(60),
      updated_at: time.ago(60),
      kind: 'STANDARD',
      target_url: 'https://hooks.acme.example/deployments',
      events: JSON.stringify(['DEPLOYMENT_STARTED', 'DEPLOYMENT_SUCCEEDED', 'DEPLOYMENT_FAILED']),
      enabled: 0,
      description: 'Told of every deployment, once somebody listens there.',
      sealed_target_secret: vault.seal('never-shown-either'),
    })
    .execute();
}

type SeedAlertRule = Insertable<AlertRuleTable>;

const alertRule = (time: SeedTime, name: string, more: Partial<SeedAlertRule> = {}): SeedAlertRule => ({
  id: seedId(`alert-rule/${name}`),
  organization_id: organizationId,
  created_at: time.ago(60),
  updated_at: time.ago(10),
  name,
  cluster_id: seedIds.cluster_id,
  description: `Watches ${name.replaceAll('-', ' ')}.`,
  tag: 'shop',
  condition: JSON.stringify({
    kind: 'CUSTOM',
    promql: 'sum(rate(http_requests_total{status=~"5.."}[5m])) > 5',
    operator: 'NONE',
    threshold: 0,
    function: 'NONE',
  }),
  for_duration: 'PT5M',
  severity: 'HIGH',
  enabled: 1,
  alert_receiver_ids: JSON.stringify([seedIds.alert_receiver_id]),
  presentation: JSON.stringify({
    summary: 'Something is wrong with the shop',
    runbook_url: 'https://runbooks.acme.example/shop',
  }),
  source: 'MANAGED',
  state: 'OK',
  target_type: 'CLUSTER',
  target_id: seedIds.cluster_id,
  is_up_to_date: 1,
  starts_at: null,
  ...more,
});

/** Alert rules in various states. One exists only in the monitoring system. */
export const seedAlertRules = (time: SeedTime): SeedAlertRule[] => [
  alertRule(time, 'checkout-errors', { target_type: 'APPLICATION', target_id: seedIds.application_id }),
  alertRule(time, 'node-memory', { severity: 'MEDIUM', state: 'UNDEPLOYED', enabled: 0 }),
  alertRule(time, 'importer-down', {
    severity: 'CRITICAL',
    state: 'NOTIFIED',
    starts_at: time.ago(1),
    target_type: 'CONTAINER',
    target_id: seedId('service/data/development/importer'),
  }),
  alertRule(time, 'report-late', {
    severity: 'LOW',
    state: 'SUPPRESSED',
    starts_at: time.ago(2),
    target_type: 'CRONJOB',
    target_id: seedIds.job_id,
  }),
  alertRule(time, 'disk-filling', { state: 'UNROUTED', starts_at: time.ago(3), alert_receiver_ids: '[]' }),
  alertRule(time, 'old-latency', { source: 'GHOST', state: 'OK', is_up_to_date: 0 }),
];
