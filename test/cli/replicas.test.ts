import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram } from '../support/started-program.ts';
import { approveOnPage } from '../transport/approve-on-page.ts';
import { callReplica, replicaText, yesTo } from '../transport/replica-calls.ts';
import { connectModernHttp } from '../transport/test-server.ts';
import { setOperatorSecret } from '../support/guard-fixture.ts';
import { failureIn, textOf } from '../support/mcp-clients.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';

/** Two servers on one data directory, as behind one address. */
async function replicas(...args: string[]): Promise<{ readonly urls: readonly [URL, URL]; readonly dataDir: string }> {
  const dataDir = await temporaryDirectory();
  const start = async () =>
    new URL(
      (
        await startProgram(
          commandLine(['http', '--port', '0', ...args], { INFRA_DATA_DIR: dataDir, INFRA_TIME_SCALE: '0' }),
        )
      ).ready.url,
    );
  return { urls: [await start(), await start()], dataDir };
}

test('a question is answered to the server that asked it; another does nothing, and says how to go on', async () => {
  const {
    urls: [one, other],
  } = await replicas();
  const restart = [
    'restart_services',
    { environment_id: 'shop/staging', application_ids: ['shop/staging/checkout-api'] },
  ] as const;
  const asked = await callReplica(one, ...restart);
  expect(asked.inputRequests?.confirm).toBeDefined();
  const answer = yesTo(asked);

  const elsewhere = await callReplica(other, ...restart, answer);
  expect(failureIn(elsewhere)).toEqual({ kind: 'not_confirmed', why: 'invalid', outcome: 'refused' });
  const done = await callReplica(one, ...restart, answer);
  expect(done.isError, replicaText(done)).toBeFalsy();
  expect(replicaText(done)).toContain('RESTART_QUEUED');
});

test('what the operator approves holds at every server of the data directory, and once', async () => {
  const {
    urls: [one, other],
    dataDir,
  } = await replicas('--approvals-page');
  await setOperatorSecret(join(dataDir, 'operator.json'));
  const [here, there] = [await connectModernHttp(one), await connectModernHttp(other)];
  const { id } = (await here.call('get_organization')).structuredContent as { id: string };
  const webhook = { organization_id: id, target_url: 'https://hooks.example/in', events: ['DEPLOYMENT_FAILED'] };
  const code = /code (\w{4}-\w{4})/.exec(textOf(await here.call('create_webhook', webhook)))![1]!;
  await approveOnPage(new URL(`/approvals?code=${code}`, other).href);
  expect((await there.call('create_webhook', webhook)).isError).toBeFalsy();
  expect(failureIn(await here.call('create_webhook', webhook))?.kind).toBe('pending');
  await here.close();
  await there.close();
});
