import { uuidFrom } from '../common/index.ts';

/** The id of a seeded resource. It is the same in every data directory. */
export const seedId = (path: string): string => uuidFrom(`seed/${path}`);

/** The id of the seeded organization. */
export const organizationId = seedId('organization');

/** Ids of one seeded resource of each kind, by the contract's member names. The environment is STAGING and deployed. */
export const seedIds = {
  project_id: seedId('project/shop'),
  environment_id: seedId('environment/shop/staging'),
  environment_variable_id: seedId('variable/shop/staging/LOG_LEVEL'),
  application_id: seedId('service/shop/staging/checkout-api'),
  container_id: seedId('service/shop/staging/search'),
  registry_id: seedId('registry/acme'),
  database_id: seedId('service/shop/staging/orders-db'),
  helm_id: seedId('service/shop/staging/session-cache'),
  terraform_id: seedId('service/shop/staging/assets-bucket'),
  job_id: seedId('service/shop/staging/nightly-report'),
  cluster_id: seedId('cluster/main'),
  labels_group_id: seedId('labels-group/cost'),
  annotations_group_id: seedId('annotations-group/metrics'),
  alert_rule_id: seedId('alert-rule/checkout-errors'),
  alert_receiver_id: seedId('alert-receiver/on-call'),
  webhook_id: seedId('webhook/deployments'),
  role_id: seedId('role/viewer'),
  secret_id: seedId('variable/shop/staging/checkout-api/PAYMENT_API_KEY'),
  custom_domain_id: seedId('domain/shop/staging/checkout-api'),
  helm_repository_id: seedId('helm-repository/charts'),
  git_token_id: seedId('git-token/reader'),
  backup_id: seedId('backup/shop/staging/orders-db/nightly'),
} as const;
