import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readsOfTool } from '../../src/cli/doctor/tools-on-platform/reads-of-tool.ts';
import { allOperations } from '../../src/contract/index.ts';
import { tools } from '../../tools/index.ts';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, userAnswering, type TestClient } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { toolCallsOn } from '../support/tool-calls.ts';

let platform: TestPlatform;
let proxy: RecordingProxy;
let connectors: Connectors;
let client: TestClient;

beforeAll(async () => {
  platform = await startTestPlatform();
  proxy = await startRecordingProxy(platform.url);
  connectors = connectorsTo(proxy.url, platform.token);
  client = await connectors.modern(userAnswering(agree));
});

afterAll(async () => {
  await connectors.close();
  await proxy.close();
  await platform.close();
});

const forms = allOperations
  .filter(({ method }) => method === 'GET')
  .map(({ name, path }) => ({ name, form: new RegExp(`^GET ${path.replaceAll(/\{\w+\}/g, '[0-9a-f-]{36}')}$`) }));

/** The names of the reads that a call sent. */
async function readsDuring(call: () => Promise<unknown>): Promise<string[]> {
  const before = proxy.requests.length;
  await call();
  const sent = proxy.requests.slice(before).filter((line) => line.startsWith('GET '));
  return [...new Set(sent.map((line) => forms.find(({ form }) => form.test(line))?.name ?? line))];
}

const byName: Readonly<Record<string, Record<string, unknown>>> = {
  list_environment_variables: { key: 'REGION' },
  deploy_application: { application_id: 'shop/staging/checkout-api', wait: true },
  get_service: { service: 'shop/production/search' },
  list_webhook_events: { webhook_id: 'nothing-of-that-name' },
  update_alert_rule: { alert_rule_id: 'checkout-errors', severity: 'MEDIUM' },
  update_environment_variable: { environment_id: 'shop/staging', environment_variable_id: 'LOG_LEVEL', value: 'warn' },
  get_organization_overview: { project: 'shop' },
  get_environment_overview: { environment: 'data/development' },
  diagnose_deployment: { service: 'data/development/importer' },
  list_deployments: { state: 'ERROR' },
  list_services: { project: 'shop' },
  create_environment: { project_id: 'shop', name: 'preview', mode: 'STAGING', cluster_id: 'main' },
  find_resource: { environment: 'shop/staging' },
  update_member_role: { user_id: 'Ada Okafor', role_id: 'Admin' },
  remove_member: { user_id: 'cleo@acme.example' },
  resend_invitation: { invitation: 'erin@acme.example' },
  revoke_api_token: { api_token_id: 'laptop of Cleo' },
  invite_member: { email: 'nia@acme.example', role: 'Developer' },
};

describe('what a tool is declared to read', () => {
  test.each(tools.map((tool) => [tool.name, tool] as const))('has everything that %s reads', async (name, tool) => {
    const declared = readsOfTool(tool).map(({ operation }) => operation.name);
    const args = toolCallsOn(platform)[name]!();
    const changes = tool.operations.some(({ method }) => method !== 'GET');
    const calls = [...(changes ? [{ ...args, dry_run: true }] : []), args, ...(byName[name] ? [byName[name]] : [])];
    for (const call of calls) {
      const read = await readsDuring(() => client.call(name, call));
      expect(
        read.filter((one) => !declared.includes(one)),
        JSON.stringify(call),
      ).toEqual([]);
    }
  });

  test('names only reads, each with what is lacking without it', () => {
    for (const use of tools.flatMap(readsOfTool)) {
      expect(use.operation.method, use.operation.name).toBe('GET');
      expect(use.without).toMatch(/^[a-z].*[^.]$/);
    }
  });
});
