import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo } from '../support/connectors.ts';
import { textOf, agree, userAnswering } from '../support/mcp-clients.ts';
import { startRecordingProxy, type RecordingProxyOptions } from '../support/recording-proxy.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
const opened: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  platform = await startTestPlatform();
});
afterAll(async () => {
  for (const one of opened.toReversed()) await one.close();
  await platform.close();
});

async function call(name: string, args: Record<string, unknown>, options: RecordingProxyOptions = {}) {
  const proxy = await startRecordingProxy(platform.url, options);
  const connectors = connectorsTo(proxy.url, platform.token);
  opened.push(proxy, connectors);
  const result = await (await connectors.modern(userAnswering(agree))).call(name, args);
  expect(result.isError, textOf(result)).toBeFalsy();
  return { answer: result.structuredContent as Record<string, unknown>, text: textOf(result), requests: proxy.requests };
}

const lacking = (form: RegExp): RecordingProxyOptions => ({
  beforeRequest: async (_, request, response) => {
    if (form.test(request.url!)) response.writeHead(404, { 'content-type': 'text/plain' }).end('no such page');
  },
});

const linkOf = async (): Promise<string> => ((await platform.must('get_container_links', { container_id: platform.seed['container_id'] }))['results'] as { url: string }[])[0]!.url;

test('a service is shown with its public addresses, and one without them says so', async () => {
  const url = await linkOf();
  expect(url).toMatch(/^https:\/\/p9200-[0-9a-f]{8}\.apps\.invalid$/);
  expect((await call('get_service', { service: 'shop/staging/search' })).answer['public_addresses']).toEqual([url]);
  const hidden = { name: 'worker', image_name: 'library/worker', tag: '2.0', registry_id: platform.seed['registry_id'], healthchecks: {}, ports: [{ internal_port: 80, publicly_accessible: false }] };
  const changed = await startTestPlatform();
  opened.push(changed);
  await changed.must('update_container', { ...hidden, container_id: changed.seed['container_id'] });
  expect((await changed.must('list_links_of_environment', { environment_id: changed.seed['environment_id'] }))['results']).not.toContainEqual(expect.objectContaining({ service_id: changed.seed['container_id'] }));
  const connectors = connectorsTo(changed.url, changed.token);
  opened.push(connectors);
  expect(((await (await connectors.modern()).call('get_service', { service: 'shop/staging/worker' })).structuredContent as Record<string, unknown>)['public_addresses']).toBe('none');
});

test('where a platform lists only those of an environment, they are taken from there; where it lists none, that is said', async () => {
  expect((await call('get_service', { service: 'shop/staging/search' }, lacking(/\/container\/[^/]+\/link/))).answer['public_addresses']).toEqual([await linkOf()]);
  const none = await call('get_service', { service: 'shop/staging/search' }, lacking(/\/link/));
  expect(none.answer).not.toHaveProperty('public_addresses');
  expect(none.text).toContain('Not read: list_links_of_environment, because this platform does not offer it.');
});

test('an overview of an environment and the end of a deployment tell them', async () => {
  const url = await linkOf();
  const { answer } = await call('get_environment_overview', { environment: 'shop/staging' });
  expect((answer['results'] as Record<string, unknown>[]).find(({ name }) => name === 'search')).toMatchObject({ url });
  const deployed = await call('deploy_service', { service: 'shop/staging/search', wait: true });
  expect(deployed.answer).toMatchObject({ outcome: 'succeeded', public_addresses: [url] });
  expect(deployed.text).toContain(`Public addresses: ${url}`);
});
