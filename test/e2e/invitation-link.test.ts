import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectorsTo, type Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

beforeAll(async () => {
  platform = await startTestPlatform();
  connectors = connectorsTo(platform.url, platform.token);
});
afterAll(async () => {
  await connectors.close();
  await platform.close();
});

test('the link of an invitation lets in whoever has it: it is shown only where it was asked for', async () => {
  const client = await connectors.modern(userAnswering(agree));
  const quiet = await client.call('invite_member', { email: 'one@acme.example' });
  expect(quiet.structuredContent, textOf(quiet)).toMatchObject({ email: 'one@acme.example' });
  expect(JSON.stringify(quiet)).not.toContain('/invitations/');
  expect(JSON.stringify(await client.call('invite_member', { email: 'two@acme.example', show_link: true }))).toContain(
    '/invitations/',
  );
});
