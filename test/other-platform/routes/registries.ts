import { z } from 'zod';
import { one, rows, type Platform, type Route } from '../platform.ts';
import {
  asText,
  either,
  filled,
  flag,
  inQuery,
  list,
  Refusal,
  strict,
  text,
  type Members,
  type Shape,
} from '../schema.ts';
import { find, type Row } from '../store.ts';
import { imageOf } from '../versions.ts';
import { collection, withoutOwner } from './collection.ts';

const SECRET = /secret|password|credentials|token$|private/;

function withoutSecrets(row: Row): Members {
  const config = Object.fromEntries(
    Object.entries((row.config ?? {}) as Members).filter(([name]) => !SECRET.test(name)),
  );
  return { ...withoutOwner(row), config };
}

const schemes = (body: Members) => {
  const scheme = body.kind === 'HTTPS' ? 'https://' : 'oci://';
  if (body.url !== undefined && !asText(body.url).startsWith(scheme))
    throw new Refusal(`body member url: starts with ${scheme} for ${String(body.kind)}`);
};

/** Where images and charts come from, the tokens for sources, and the groups of labels and annotations. */
export function registryRoutes(platform: Platform): Route[] {
  const { store, on, words } = platform;
  const base = '/organization/{organizationId}';
  const repositoryConfig = Object.fromEntries(
    [
      'username',
      'password',
      'access_key_id',
      'secret_access_key',
      'region',
      'azure_tenant_id',
      'azure_subscription_id',
      'role_arn',
      ...['access_key', 'secret_key', 'project_id'].map((end) => `${words.vendor}_${end}`),
    ].map((name) => [name, text.optional()]),
  );
  const registryConfig: Shape = {
    username: text.optional(),
    password: text.optional(),
    region: text.optional(),
    access_key_id: text.optional(),
    secret_access_key: text.optional(),
    role_arn: text.optional(),
    ...(on('vendorConfig')
      ? {
          json_credentials: text.optional(),
          project_id: text.optional(),
          service_account_email: text.optional(),
          token_lifetime_seconds: z.int().optional(),
        }
      : { vendor_access_key: text.optional(), vendor_secret_key: text.optional(), vendor_project_id: text.optional() }),
  };
  const url = text.regex(/^(oci|https):\/\//, 'starts with oci:// or https://');
  const repository: Shape = {
    name: filled,
    kind: text.regex(/^(HTTPS|OCI_[A-Z0-9_]+)$/, 'HTTPS or an OCI word'),
    skip_tls_verification: flag,
    config: strict(repositoryConfig),
    description: text.optional(),
    url: url.optional(),
  };
  const registry: Shape = {
    name: filled,
    kind: text.regex(/^(ECR|PUBLIC_ECR|[A-Z0-9_]+_(CR|HUB))$/, 'the word of a registry'),
    config: strict(registryConfig),
    url: text.optional(),
    description: text.optional(),
  };
  const used = { associated_services_count: 0 };
  const group: Shape = {
    name: filled,
    labels: list(strict({ key: filled, value: text, propagate_to_cloud_provider: flag })),
  };
  const notes: Shape = {
    name: filled,
    annotations: list(strict({ key: filled, value: text })),
    scopes: list(
      either(
        'DEPLOYMENTS',
        'STATEFUL_SETS',
        'SERVICES',
        'INGRESS',
        'GATEWAY_API_ROUTES',
        'HPA',
        'PODS',
        'SECRETS',
        'JOBS',
        'CRON_JOBS',
      ),
    ),
  };
  const images = () => store.services.flatMap((service) => imageOf(service) ?? []);
  const associated = (id: unknown) =>
    store.services
      .filter(({ spec }) => JSON.stringify(spec).includes(String(id)))
      .map((service) => {
        const environment = find(store.environments, service.environment_id, 'environment');
        return {
          service_id: service.id,
          service_name: service.spec.name,
          service_type: service.kind.toUpperCase(),
          environment_id: environment.id,
          environment_name: environment.name,
          project_id: environment.project_id,
        };
      });

  const routes = [
    ...collection(platform, {
      path: `${base}/containerRegistry`,
      idName: 'containerRegistryId',
      what: 'container registry',
      list: store.registries,
      create: registry,
      show: withoutSecrets,
      added: used,
      kept: keptConfig(platform),
    }),
    rows(
      `${base}/containerRegistry/{containerRegistryId}/images`,
      ({ query }) =>
        [...new Set(images().map(({ image_name: name }) => String(name)))]
          .filter(
            (name) =>
              (query.imageName === undefined || name === query.imageName) && name.includes(asText(query.search)),
          )
          .map((name) => ({
            image_name: name,
            versions: [
              ...new Set(
                images()
                  .filter((image) => image.image_name === name)
                  .map(({ tag }) => tag),
              ),
              'latest',
            ],
          })),
      { imageName: inQuery.text, search: inQuery.text },
    ),
    rows(`${base}/containerRegistry/{containerRegistryId}/associatedServices`, ({ path }) =>
      associated(path.containerRegistryId),
    ),
    ...collection(platform, {
      path: `${base}/helmRepository`,
      idName: 'helmRepositoryId',
      what: 'helm repository',
      list: store.helmRepositories,
      create: repository,
      show: withoutSecrets,
      added: used,
      kept: keptConfig(platform),
    }),
    rows(
      `${base}/helmRepository/{helmRepositoryId}/charts`,
      ({ query }) =>
        [{ chart_name: 'cache', versions: ['19.1.0', '19.2.0'] }].filter(
          ({ chart_name: name }) => query.chartName === undefined || query.chartName === name,
        ),
      { chartName: inQuery.text },
    ),
    rows(`${base}/helmRepository/{helmRepositoryId}/associatedServices`, ({ path }) =>
      associated(path.helmRepositoryId),
    ),
    rows(`${base}/gitToken`, ({ path }) =>
      store.gitTokens.filter((row) => row.organization_id === path.organizationId).map(withoutOwner),
    ),
    ...collection(platform, {
      path: `${base}/labelsGroups`,
      idName: 'labelsGroupId',
      what: 'labels group',
      list: store.labelsGroups,
      create: group,
    }),
    one(`${base}/labelsGroups/{labelsGroupId}/associatedItems`, ({ path }) => ({
      results: associated(path.labelsGroupId),
    })),
    ...collection(platform, {
      path: `${base}/annotationsGroups`,
      idName: 'annotationsGroupId',
      what: 'annotations group',
      list: store.annotationsGroups,
      create: notes,
    }),
  ];
  return routes.map((route) =>
    route.path.startsWith(`${base}/helmRepository`) && route.body !== undefined
      ? {
          ...route,
          run: (ask) => {
            schemes(ask.body);
            return route.run(ask);
          },
        }
      : route,
  );
}

/** Secrets that a replacement leaves out stay where the platform is so kind; elsewhere they are gone. */
function keptConfig(platform: Platform) {
  return (row: Row, body: Members): Members => {
    if (platform.on('unreadableSecrets')) return {};
    const secrets = Object.entries((row.config ?? {}) as Members).filter(([name]) => SECRET.test(name));
    body.config = { ...Object.fromEntries(secrets), ...(body.config as Members) };
    return {};
  };
}
