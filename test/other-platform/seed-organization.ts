import { OWN_NAME } from './differences.ts';
import type { Platform } from './platform.ts';
import type { Row } from './store.ts';

export interface Seeded {
  organization: string;
  registry: string;
  charts: string;
  clusters: { main: string; locked: string };
  projects: { shop: string; tools: string };
  environments: Record<'development' | 'staging' | 'production' | 'preview', string>;
  labels: string;
  annotations: string;
}

const dated = (platform: Platform) => ({
  id: platform.newId(),
  created_at: '2025-03-01T09:00:00.000Z',
  updated_at: '2025-11-01T09:00:00.000Z',
});

function cluster(platform: Platform, organization: string, name: string, lock?: object): Row {
  const row = {
    ...dated(platform),
    organization_id: organization,
    name,
    description: '',
    cloud_provider: 'ON_PREMISE',
    region: 'north-1',
    kubernetes: 'MANAGED',
    version: '1.31',
    status: 'DEPLOYED',
    lock,
    next_version: '1.32',
    production: name === 'north',
    min_running_nodes: 3,
    max_running_nodes: 10,
    cpu: 8000,
    memory: 16_384,
    instance_type: 'medium',
    is_default: name === 'north',
  };
  if (lock !== undefined) Object.assign(lock, { cluster_id: row.id });
  return row;
}

function people(platform: Platform, organization: string): void {
  const { store } = platform;
  const roles = ['Admin', 'Developer', 'Viewer'].map((name) => ({
    ...dated(platform),
    organization_id: organization,
    name,
    description: `${name}s`,
    cluster_permissions: [],
    project_permissions: [],
    fixed: true,
  }));
  store.roles.push(...roles);
  for (const [index, name] of ['Ada Byron', 'Charles Mill', 'Grace Wood'].entries()) {
    const role = roles[index];
    store.members.push({
      ...dated(platform),
      organization_id: organization,
      email: `${name.split(' ')[0]?.toLowerCase() ?? ''}@example.com`,
      name,
      nickname: name.split(' ')[0],
      profile_picture_url: null,
      last_activity_at: '2026-01-10T10:00:00.000Z',
      role: (role?.name ?? 'Admin').toUpperCase(),
      role_name: role?.name,
      role_id: role?.id,
    });
  }
  store.invitations.push({
    ...dated(platform),
    organization_id: organization,
    email: 'mary@example.com',
    role: 'VIEWER',
    invitation_link: 'https://example.com/join/1',
    invitation_status: 'PENDING',
    inviter: 'ada@example.com',
    organization_name: 'Harbour',
    logo_url: null,
    role_id: roles[2]?.id,
    role_name: 'Viewer',
  });
  store.billing.set(organization, {
    first_name: 'Ada',
    last_name: 'Byron',
    email: 'billing@example.com',
    address: '1 Quay',
    city: 'Bergen',
    zip: '5003',
    country_code: 'NO',
    state: null,
    company: null,
    vat_number: null,
  });
}

/** What belongs to the organization: clusters, projects, environments, people, registries, groups. */
export function seedOrganization(platform: Platform): Seeded {
  const { store, on, words } = platform;
  const organization = {
    ...dated(platform),
    name: 'Harbour',
    description: 'The first of them',
    plan: 'TEAM',
    organization_plan: { audit_logs_retention_in_days: 30 },
  };
  store.organizations.push(organization);
  const main = cluster(platform, organization.id, 'north');
  const locked = cluster(platform, organization.id, 'south', {
    reason: 'audit of the network',
    locked_at: '2026-01-05T10:00:00.000Z',
    owner_name: 'Ada Byron',
    ttl_in_days: 14,
  });
  store.clusters.push(main, locked);
  const [shop, tools] = ['shop', 'tools'].map((name) => ({
    ...dated(platform),
    organization_id: organization.id,
    name,
    description: `Project ${name}`,
  }));
  if (shop === undefined || tools === undefined) throw new Error('two projects are needed');
  store.projects.push(shop, tools);
  const environment = (name: string, mode: string, project = shop.id) => {
    const row = { ...dated(platform), project_id: project, cluster_id: main.id, name, mode };
    store.environments.push(row);
    return row.id;
  };
  const environments = {
    development: environment('development', 'DEVELOPMENT'),
    staging: environment('staging', 'STAGING'),
    production: environment('production', 'PRODUCTION'),
    preview: on('words') ? environment('pull-request-7', 'PREVIEW') : '',
  };
  if (on('severalOrganizations')) {
    const second = {
      ...dated(platform),
      name: 'Lighthouse',
      description: 'The second of them',
      plan: 'TEAM',
      organization_plan: { audit_logs_retention_in_days: 30 },
    };
    store.organizations.push(second);
    const west = cluster(platform, second.id, 'west');
    store.clusters.push(west);
    const beacon = { ...dated(platform), organization_id: second.id, name: 'beacon', description: '' };
    store.projects.push(beacon);
    store.environments.push({
      ...dated(platform),
      project_id: beacon.id,
      cluster_id: west.id,
      name: 'staging',
      mode: 'STAGING',
    });
  }
  const registry = {
    ...dated(platform),
    organization_id: organization.id,
    name: 'images',
    kind: 'GENERIC_CR',
    url: 'https://images.example.com',
    description: '',
    config: { username: 'puller', password: 'registry-password', json_credentials: undefined },
    associated_services_count: 3,
  };
  store.registries.push(registry);
  const charts = {
    ...dated(platform),
    organization_id: organization.id,
    name: 'charts',
    kind: on('vendorConfig') ? `OCI_${OWN_NAME.toUpperCase()}_CR` : 'OCI_GENERIC_CR',
    url: 'oci://charts.example.com/all',
    description: '',
    skip_tls_verification: false,
    config: { [`${words.vendor}_access_key`]: 'KEY-1', [`${words.vendor}_secret_key`]: 'charts-secret' },
    associated_services_count: 1,
  };
  store.helmRepositories.push(charts);
  const labels = {
    ...dated(platform),
    organization_id: organization.id,
    name: 'costs',
    labels: [{ key: 'cost-centre', value: '42', propagate_to_cloud_provider: true }],
  };
  const annotations = {
    ...dated(platform),
    organization_id: organization.id,
    name: 'scrape',
    annotations: [{ key: 'metrics/scrape', value: 'true' }],
    scopes: ['DEPLOYMENTS'],
  };
  store.labelsGroups.push(labels);
  store.annotationsGroups.push(annotations);
  store.gitTokens.push({
    ...dated(platform),
    organization_id: organization.id,
    name: 'reader',
    type: 'FORGE',
    expired_at: '2027-01-01',
    associated_services_count: 2,
  });
  people(platform, organization.id);
  return {
    organization: organization.id,
    registry: registry.id,
    charts: charts.id,
    clusters: { main: main.id, locked: locked.id },
    projects: { shop: shop.id, tools: tools.id },
    environments,
    labels: labels.id,
    annotations: annotations.id,
  };
}
