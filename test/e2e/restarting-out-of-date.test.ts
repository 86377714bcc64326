import { expect, test } from 'vitest';
import { connectedForAll } from '../support/connected-platform.ts';
import type { Connectors } from '../support/connectors.ts';
import { agree, textOf, userAnswering } from '../support/mcp-clients.ts';
import type { Json, TestPlatform } from '../support/test-platform.ts';

let platform: TestPlatform;
let connectors: Connectors;

connectedForAll((connected) => ({ platform, connectors } = connected));

test('a restart says before and after for which services it is not enough, and of no others', async () => {
  await platform.must('create_environment_variable', {
    application_id: platform.seed['application_id'],
    key: 'TRACE',
    value: 'on',
  });
  const user = userAnswering(agree);
  const client = await connectors.modern(user);
  const result = await client.call('restart_services', {
    environment_id: 'shop/staging',
    application_ids: ['checkout-api'],
    container_ids: ['search'],
  });
  expect(user.questions[0]!.message).toContain('checkout-api is out of date: restarting keeps what runs now.');
  expect(user.questions[0]!.message).not.toContain('search is out of date');
  expect((result.structuredContent as Json)['out_of_date']).toEqual(['checkout-api']);
  expect(textOf(result)).toContain('Still out of date, because a restart brings no changes into effect: checkout-api');
});

test('where all is up to date, nothing is said of it', async () => {
  const result = await (
    await connectors.modern(userAnswering(agree))
  ).call('restart_services', { environment_id: 'shop/staging', container_ids: ['search'] });
  expect(result.isError).toBeFalsy();
  expect(result.structuredContent).not.toHaveProperty('out_of_date');
  expect(textOf(result)).not.toContain('out of date');
});
