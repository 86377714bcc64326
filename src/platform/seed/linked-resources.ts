import type { Db, Vault } from '../store/index.ts';
import { owned, type SeedTime } from './seed-time.ts';

/** Inserts what services may name: registries, Helm repositories, git tokens, and groups of labels and annotations. */
export async function seedLinkedResources(db: Db, time: SeedTime, vault: Vault): Promise<void> {
  await db
    .insertInto('registry')
    .values([
      {
        ...owned(time, 'registry/acme', 'acme'),
        kind: 'GENERIC_CR',
        url: 'https://registry.acme.example',
        description: 'Our own images.',
        config: JSON.stringify({ username: 'puller' }),
        sealed_config: vault.seal(JSON.stringify({ password: 'never-shown' })),
      },
      {
        ...owned(time, 'registry/ecr', 'acme-ecr'),
        kind: 'ECR',
        url: 'https://000000000000.ecr.acme.example',
        description: null,
        config: null,
        sealed_config: null,
      },
      {
        ...owned(time, 'registry/public-ecr', 'public-ecr'),
        kind: 'PUBLIC_ECR',
        url: 'https://public-ecr.acme.example',
        description: null,
        config: null,
        sealed_config: null,
      },
      {
        ...owned(time, 'registry/docker-hub', 'docker-hub'),
        kind: 'DOCKER_HUB',
        url: 'https://docker-hub.acme.example',
        description: null,
        config: null,
        sealed_config: null,
      },
    ])
    .execute();
  await db
    .insertInto('labels_group')
    .values([
      {
        ...owned(time, 'labels-group/cost', 'cost'),
        labels: JSON.stringify([
          { key: 'team', value: 'shop', propagate_to_cloud_provider: true },
          { key: 'cost-center', value: '4711', propagate_to_cloud_provider: false },
        ]),
      },
      { ...owned(time, 'labels-group/unused', 'trial-labels'), labels: '[]' },
    ])
    .execute();
  await db
    .insertInto('annotations_group')
    .values([
      {
        ...owned(time, 'annotations-group/metrics', 'metrics'),
        annotations: JSON.stringify([{ key: 'metrics.acme.example/scrape', value: 'true' }]),
        scopes: JSON.stringify(['DEPLOYMENTS', 'PODS']),
      },
      { ...owned(time, 'annotations-group/unused', 'trial-annotations'), annotations: '[]', scopes: '[]' },
    ])
    .execute();
  await db
    .insertInto('helm_repository')
    .values([
      {
        ...owned(time, 'helm-repository/charts', 'charts'),
        kind: 'HTTPS',
        url: 'https://charts.acme.example',
        description: 'Public charts.',
        skip_tls_verification: 0,
        config: '{}',
        sealed_config: null,
      },
      {
        ...owned(time, 'helm-repository/private', 'private-charts'),
        kind: 'OCI_GENERIC_CR',
        url: 'oci://registry.acme.example/charts',
        description: null,
        skip_tls_verification: 0,
        config: JSON.stringify({ username: 'reader' }),
        sealed_config: vault.seal(JSON.stringify({ password: 'never-shown' })),
      },
    ])
    .execute();
  await db
    .insertInto('git_token')
    .values([
      {
        ...owned(time, 'git-token/reader', 'source-reader'),
        type: 'GIT',
        description: 'Reads our repositories.',
        git_api_url: 'https://git.acme.example',
        expired_at: time.ago(-180),
        sealed_token: vault.seal('never-shown-token'),
      },
      {
        ...owned(time, 'git-token/unused', 'trial-token'),
        type: 'GITLAB',
        description: null,
        git_api_url: null,
        expired_at: null,
        sealed_token: vault.seal('never-shown-token-either'),
      },
    ])
    .execute();
}
