import type { OperationName } from '../../src/contract/operations.ts';
import type { ServiceKind } from '../../src/contract/resources/service.ts';
import { seedId } from '../../src/platform/seed/ids.ts';
import type { Json, Lab } from './lab.ts';

/** One call of a fix; its input may need what can be read at that moment. */
export interface Step {
  readonly call: OperationName;
  readonly input: Json | ((lab: Lab) => Promise<Json>);
}

/** What a scenario is to show, what doesn't help, and what does. */
export interface Expected {
  readonly name: string;
  readonly kind: ServiceKind;
  /** Path of the service that fails. */
  readonly service: string;
  readonly state: string;
  /** The step that failed. */
  readonly step: string;
  /** Found in its log, each in one message. */
  readonly says: readonly RegExp[];
  /** What its last good deployment had, in the history: commit or tag. */
  readonly lastGood?: RegExp;
  /** Ways that leave it as it is; each ends with a deployment. */
  readonly wrong: Readonly<Record<string, readonly Step[]>>;
  /** The way that makes it good. */
  readonly fix: readonly Step[];
}

const id = (path: string): string => seedId(`service/${path}`);
const environment = (path: string): Json => ({ environment_id: seedId(`environment/${path}`) });

/** Puts back what was read of a container, with some members changed. */
const changed = (path: string, members: (read: Json) => Json): Step => ({
  call: 'update_container',
  input: async (lab) => {
    // What only answers have is ignored in requests.
    const read = await lab.must('get_container', { container_id: id(path) });
    return { ...read, ...members(read), container_id: id(path) };
  },
});

const deploy = (kind: ServiceKind, path: string, more: Json = {}): Step =>
  kind === 'terraform'
    ? { call: 'redeploy_terraform', input: { terraform_id: id(path) } }
    : { call: `deploy_${kind}`, input: { [`${kind}_id`]: id(path), ...more } };

const pricing = 'pricing/staging/pricing-engine';
const payments = 'payments/staging/payments-api';
const returns = 'shop/returns/returns-portal';
const ledger = 'ledger/staging/ledger-api';

const variable = (path: string, key: string): Step => ({
  call: 'create_environment_variable', input: { application_id: id(path), key, value: 'https://rates.acme.example' },
});

/** Every scenario's expectations. */
export const expected: readonly Expected[] = [
  {
    name: 'bad-image-tag', kind: 'container', service: pricing, state: 'DEPLOYMENT_ERROR', step: 'DEPLOYMENT',
    says: [/ErrImagePull/, /Back-off pulling image/, /ImagePullBackOff/, /acme\/pricing-engine:3\.7\.0-rc\.2: not found/],
    lastGood: /^3\.6\.4$/,
    wrong: {
      'the same again': [deploy('container', pricing)],
      'another tag that nobody pushed': [changed(pricing, () => ({ tag: '3.7.1' })), deploy('container', pricing)],
    },
    fix: [changed(pricing, () => ({ tag: '3.7.0' })), deploy('container', pricing)],
  },
  {
    name: 'missing-variable', kind: 'application', service: payments, state: 'DEPLOYMENT_ERROR', step: 'DEPLOYMENT',
    says: [/ConfigurationError: RATES_API_URL is not set\n\s+at required/, /Exit Code:\s+1/, /Back-off restarting failed container/],
    lastGood: /^c81f5a2/,
    wrong: {
      'the same again': [deploy('application', payments)],
      'a variable of another name': [variable(payments, 'RATES_URL'), deploy('application', payments)],
    },
    fix: [variable(payments, 'RATES_API_URL'), deploy('application', payments)],
  },
  {
    name: 'docker-build-error', kind: 'application', service: returns, state: 'BUILD_ERROR', step: 'BUILD',
    says: [/npm error code EUSAGE/, /Missing: pdfkit@0\.17\.1 from lock file/, /did not complete successfully: exit code: 1/, /failed to solve/],
    lastGood: /^b7e35f0/,
    wrong: {
      'the newest commit again': [deploy('application', returns)],
      'a commit that is not there': [deploy('application', returns, { git_commit_id: 'abcdef1' })],
      'the commit that fails, by its name': [deploy('application', returns, { git_commit_id: 'e2a6108dc57f' })],
    },
    fix: [deploy('application', returns, { git_commit_id: 'b7e35f0' })],
  },
  {
    name: 'database-down', kind: 'container', service: ledger, state: 'DEPLOYMENT_ERROR', step: 'DEPLOYMENT',
    says: [/psycopg\.OperationalError: .* port 5432 failed: Connection refused/, /Worker failed to boot/, /Back-off restarting failed container/],
    lastGood: /^2\.4\.0$/,
    wrong: {
      'the same again': [deploy('container', ledger)],
      'the tag before': [changed(ledger, () => ({ tag: '2.4.0' })), deploy('container', ledger)],
    },
    fix: [{ call: 'deploy_environment', input: environment('ledger/staging') }],
  },
];
