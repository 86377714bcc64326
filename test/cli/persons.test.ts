import { createHmac } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createApiKey } from '../../src/transport/index.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import { startFakeSlack } from '../support/chats/fake-slack.ts';
import { eventually } from '../support/eventually.ts';
import { approvalCodeIn } from '../support/guard-fixture.ts';
import { startProgram } from '../support/started-program.ts';
import { modernCall, modernHeaders } from '../transport/test-server.ts';

test('who asks through a bot, and in which conversation, is shown and recorded, and they do not approve it themselves where two persons are wanted', async () => {
  const [folder, { chat }, bot] = [await temporaryDirectory(), await startFakeSlack(Date.now), createApiKey()];
  onTestFinished(() => chat.close());
  const secret = Buffer.alloc(32, 9);
  const files = {
    ...chat.files,
    'keys.yaml': `keys:\n  - { name: bot, sha256: ${bot.sha256}, level: admin, person_secret_file: persons }\n`,
    persons: `whsec_${secret.toString('base64')}\n`,
    'policy.yaml': 'two_person:\n  - mode: PRODUCTION\n',
    'operators.yaml': JSON.stringify({
      operators: [
        { name: 'ada', chat: 'U-ADA', callers: ['key:bot/ada'] },
        { name: 'bob', chat: 'U-BOB', callers: ['key:bot/bob'] },
      ],
    }),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const options = {
    '--port': '0',
    '--keys-file': 'keys.yaml',
    '--policy-file': 'policy.yaml',
    '--approvals-operators': 'operators.yaml',
    '--approvals-chat': 'chat.yaml',
  };
  const server = await startProgram({
    ...commandLine(['http', ...Object.entries(options).flat()], { INFRA_DATA_DIR: folder, INFRA_TIME_SCALE: '0' }),
    cwd: folder,
  });
  chat.connect(new URL('/approvals/chat', server.ready.url).href);
  const deploy = async (person: string, conversation?: string): Promise<string> => {
    const about = conversation === undefined ? person : `${person};c=${encodeURIComponent(conversation)}`;
    const time = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', secret).update(`${time}.${about}`).digest('base64url');
    const call = modernCall('deploy_application', { application_id: 'shop/production/checkout-api' });
    const answer = await fetch(server.ready.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...modernHeaders('deploy_application'),
        authorization: `Bearer ${bot.key}`,
        'x-infra-person': `${about};t=${time};v1=${signature}`,
      },
      body: JSON.stringify(call),
    });
    expect(answer.status).toBe(200);
    return answer.text();
  };
  const ofAda = approvalCodeIn(await deploy('ada', '#releases <!channel>'));
  const ofBob = approvalCodeIn(await deploy('bob'));
  expect(ofBob).not.toBe(ofAda);
  await eventually(() => expect(chat.shown()).toHaveLength(2));
  const message = chat.shown().find(({ literal }) => literal.includes(ofAda))!;
  expect(message.literal).toContain('Asked by: key:bot/ada');
  expect(message.literal).toContain('Conversation: #releases <!channel>');
  expect(message.markup).not.toContain('channel');
  expect(chat.shown().find(({ literal }) => literal.includes(ofBob))!.literal).toContain('Conversation: not told');
  expect((await chat.press('U-ADA', 'approve', message.id)).form).toBeUndefined();
  const { form } = await chat.press('U-BOB', 'approve', message.id);
  expect(await chat.submit('U-BOB', form!, 'shop/production/checkout-api')).toEqual({ status: 200, error: undefined });
  expect(approvalCodeIn(await deploy('bob'))).toBe(ofBob);
  await deploy('ada', '#releases');
  const log = await readFile(join(folder, 'audit.jsonl'), 'utf8');
  const entries = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries).toContainEqual(
    expect.objectContaining({ who: 'key:bot/ada', conversation: '#releases', agreed_by: ['bob'] }),
  );
  expect(entries).toContainEqual(
    expect.objectContaining({ kind: 'decision', caller: 'key:bot/ada', asked_in: '#releases <!channel>' }),
  );
  for (const entry of entries.filter(({ who }) => who === 'key:bot/bob'))
    expect(entry).not.toHaveProperty('conversation');
});
