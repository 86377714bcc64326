import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setSecret } from '../../src/server/guard/approvals/operator-secret.ts';
import { startProgram } from '../support/started-program.ts';
import { approveOnPage } from './approve-on-page.ts';
import { connectModernHttp, modernCall, modernHeaders } from './test-server.ts';
import { operatorSecret } from '../support/guard-fixture.ts';
import { textOf } from '../support/mcp-clients.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';

/** Two servers on one data directory, as behind one address. */
async function replicas(...args: string[]): Promise<{ readonly urls: readonly [URL, URL]; readonly dataDir: string }> {
  const dataDir = await temporaryDirectory();
  const start = async () => new URL((await startProgram(commandLine(['http', '--port', '0', ...args], { INFRA_DATA_DIR: dataDir, INFRA_TIME_SCALE: '0' }))).ready.url);
  return { urls: [await start(), await start()], dataDir };
}

interface Result {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text: string }[];
  readonly requestState?: string;
  readonly inputRequests?: { readonly confirm: object };
}

/** One request of a 2026 client whose user can be asked, to whichever server it happens to reach. */
async function call(url: URL, name: string, args: object, more: object = {}): Promise<Result> {
  const whole = modernCall(name, args, randomUUID());
  const { _meta: meta, ...params } = whole.params;
  const capable = { ...meta, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...modernHeaders(name) },
    body: JSON.stringify({ ...whole, params: { ...params, _meta: capable, ...more } }),
  });
  const said = await answer.text();
  return (JSON.parse(/^data: (.*)$/m.exec(said)?.[1] ?? said) as { result: Result }).result;
}

const said = ({ content = [] }: Result): string => content.map(({ text }) => text).join('');

const agreement = { confirm: { action: 'accept', content: { approve: true } } };

test('a question is answered to the server that asked it; another does nothing, and says how to go on', async () => {
  const { urls: [one, other] } = await replicas();
  const restart = ['restart_services', { environment_id: 'shop/staging', application_ids: ['shop/staging/checkout-api'] }] as const;
  const asked = await call(one, ...restart);
  expect(asked.inputRequests?.confirm).toBeDefined();
  const answer = { requestState: asked.requestState, inputResponses: agreement };

  const elsewhere = await call(other, ...restart, answer);
  expect(said(elsewhere)).toMatch(/nothing has changed: what should show that somebody agreed .* does not come from this server\. Call it again/);
  const done = await call(one, ...restart, answer);
  expect(done.isError, said(done)).toBeFalsy();
  expect(said(done)).toContain('RESTART_QUEUED');
}, 60_000);

test('what the operator approves holds at every server of the data directory, and once', async () => {
  const { urls: [one, other], dataDir } = await replicas('--approvals-page');
  await setSecret(join(dataDir, 'operator.json'), operatorSecret);
  const [here, there] = [await connectModernHttp(one), await connectModernHttp(other)];
  const { id } = (await here.call('get_organization')).structuredContent as { id: string };
  const webhook = { organization_id: id, target_url: 'https://hooks.example/in', events: ['DEPLOYMENT_FAILED'] };
  const code = /code (\w{4}-\w{4})/.exec(textOf(await here.call('create_webhook', webhook)))![1]!;
  await approveOnPage(new URL(`/approvals?code=${code}`, other).href);
  expect((await there.call('create_webhook', webhook)).isError).toBeFalsy();
  expect(textOf(await here.call('create_webhook', webhook))).toMatch(/was not carried out/);
  await here.close();
  await there.close();
}, 60_000);
