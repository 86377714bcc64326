import type { Insertable } from 'kysely';
import type { VariableTable } from '../store/schema.ts';
import type { Vault } from '../store/vault.ts';
import { seedId, seedIds } from './ids.ts';
import type { SeedTime } from './organization.ts';
import { type Holder, variableRow } from './rows.ts';

type Variable = Insertable<VariableTable>;

const inProject = (project: string): Holder => ({ project_id: seedId(`project/${project}`), environment_id: null, service_id: null });
const inEnvironment = (environment: string): Holder => ({ project_id: null, environment_id: seedId(`environment/${environment}`), service_id: null });
const inService = (service: string): Holder => ({ project_id: null, environment_id: null, service_id: seedId(`service/${service}`) });

/** With the built-in ones, a variable of every scope and of every type; and one secret. */
export function seedVariables(time: SeedTime, vault: Vault): Variable[] {
  const variable = (path: string, holder: Holder, scope: Variable['scope'], value: string, more: Partial<Variable> = {}): Variable => ({
    ...variableRow(path, holder, scope, value, { created_at: time.ago(60), updated_at: time.ago(60) }), ...more,
  });
  const staging = 'shop/staging';
  const own = (service: string, key: string, scope: Variable['scope'], value: string, more: Partial<Variable> = {}) =>
    variable(`${staging}/${service}/${key}`, inService(`${staging}/${service}`), scope, value, more);
  const region = variable('shop/REGION', inProject('shop'), 'PROJECT', 'eu-west-3', { description: 'Where the shop runs.' });
  const logLevel = { ...variable('shop/staging/LOG_LEVEL', inEnvironment(staging), 'ENVIRONMENT', 'info'), id: seedIds.environment_variable_id };
  return [
    region,
    logLevel,
    variable('shop/production/LOG_LEVEL', inEnvironment('shop/production'), 'ENVIRONMENT', 'warn'),
    own('checkout-api', 'PAYMENT_PROVIDER', 'APPLICATION', 'sandbox'),
    own('checkout-api', 'AWS_REGION', 'APPLICATION', 'eu-west-3', { variable_type: 'ALIAS', linked_variable_id: region.id }),
    own('checkout-api', 'FEATURES_FILE', 'APPLICATION', '{"new_basket": true}', { variable_type: 'FILE', mount_path: '/etc/shop/features.json', enable_interpolation_in_file: 0 }),
    own('checkout-api', 'MAIL_API_URL', 'APPLICATION', 'vault:shop/mail#url', { variable_type: 'EXTERNAL_SECRET', owned_by: 'external-secrets' }),
    own('checkout-api', 'PAYMENT_API_KEY', 'APPLICATION', '', { value: null, sealed_value: vault.seal('never-shown') }),
    own('search', 'REGION', 'CONTAINER', 'eu-central-1', { variable_type: 'OVERRIDE', linked_variable_id: region.id }),
    own('nightly-report', 'REPORT_FORMAT', 'JOB', 'csv'),
    own('session-cache', 'CACHE_TTL', 'HELM', '3600'),
    own('assets-bucket', 'TF_LOG', 'TERRAFORM', 'WARN'),
  ];
}
