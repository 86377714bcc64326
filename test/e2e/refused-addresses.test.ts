import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, failureIn, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startTestPlatform, type Json, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.tokens.admin);
});

afterAll(async () => {
  await connectors.close();
  await platform.close();
});

/** Its host is a public one for some programs, and this machine for others. */
const odd = String.raw`https://8.8.8.8\@127.0.0.1:8443/team/app.git`;

const staging = { environment_id: 'shop/staging', name: 'odd' };

test.each<readonly [string, Json, string]>([
  ['create_application', { ...staging, git_repository: { url: odd } }, 'git_repository.url'],
  [
    'update_application',
    { application_id: 'shop/production/checkout-api', git_repository: { url: odd } },
    'git_repository.url',
  ],
  [
    'create_job',
    { ...staging, source: { docker: { git_repository: { url: odd } } }, schedule: { on_start: { arguments: ['up'] } } },
    'source.docker.git_repository.url',
  ],
  [
    'update_helm',
    { helm_id: 'shop/production/ingress', source: { git_repository: { url: odd } } },
    'source.git_repository.url',
  ],
  ['create_webhook', { target_url: odd, events: ['DEPLOYMENT_FAILED'] }, 'target_url'],
  ['create_helm_repository', { name: 'odd', kind: 'HTTPS', skip_tls_verification: false, config: {}, url: odd }, 'url'],
])(
  'an address that programs read in different ways is refused before anybody is asked: %s',
  async (tool, args, field) => {
    const before = platform.dump();
    const user = userAnswering(agree);
    const result = await (await connectors.modern(user)).call(tool, args);
    expect([failureIn(result), user.questions]).toEqual([{ kind: 'bad_arguments', outcome: 'failed' }, []]);
    expect(textOf(result)).toContain(`"${field}"`);
    expect(textOf(result)).toContain('backslashes');
    for (const table of ['service', 'webhook', 'helm_repository', 'audit_event'])
      expect(platform.dump()[table]).toEqual(before[table]);
  },
);
