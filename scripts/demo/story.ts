import { setTimeout as pause } from 'node:timers/promises';
import { endOf } from '../../src/contract/states.ts';
import type { Answer, Assistant } from './assistant.ts';
import { expect, rowsOf, succeeded, textAt, type Row } from './checks.ts';

/** The failure that the story begins with: what the server is started with. */
export const scenario = 'bad-image-tag';

const failing = { name: 'pricing-engine', path: 'pricing/staging/pricing-engine' } as const;
const production = { name: 'production', path: 'shop/production' } as const;
const made = { environment: 'shop/demo', database: 'shop/demo/orders', application: 'shop/demo/checkout' } as const;

/** The secret that is set up must never come back. */
const secretValue = 'pk_demo_4242_never_shown';

const showRows = ({ show }: Assistant, answer: Answer, ...members: [string, ...string[]]): void =>
  show.tell({ event: 'table', heading: members, rows: rowsOf(answer).map((row) => members.map((member) => textAt(row, member))) });

async function lookAround(assistant: Assistant): Promise<void> {
  assistant.show.tell({ event: 'chapter', title: '"What do we have, and is anything broken?"' });
  showRows(assistant, succeeded(await assistant.call('find_resource', { kind: 'environment' })), 'path', 'mode');
  const broken = succeeded(await assistant.call('find_resource', { kind: 'container', state: 'ERROR' }));
  showRows(assistant, broken, 'path', 'state');
  expect(rowsOf(broken).some(({ path }) => path === failing.path), `${failing.path} is not among what is broken`);
}

/** A call that an answer proposes. */
interface Proposal {
  readonly tool: string;
  readonly arguments: Row;
}

/** What a diagnosis says, up to where its timeline begins. */
const findings = ({ text }: Answer): string => text.split('\n').filter((line) => !line.startsWith('<')).join('\n').split('\nTimeline:')[0]!;

async function diagnose(assistant: Assistant): Promise<readonly Proposal[]> {
  const { show } = assistant;
  show.tell({ event: 'chapter', title: `"Why did ${failing.name} fail?"` });
  const answer = succeeded(await assistant.call('diagnose_deployment', { service: failing.path }));
  show.tell({ event: 'text', text: findings(answer) });
  expect(answer.proposed.length > 0, 'the diagnosis proposes nothing');
  return answer.proposed;
}

async function fix(assistant: Assistant, proposed: readonly Proposal[]): Promise<void> {
  const { show } = assistant;
  show.tell({ event: 'chapter', title: '"Fix it." It does what the answer proposes, and the user is asked' });
  const [change, deployment] = proposed;
  expect(change !== undefined && deployment !== undefined, 'the diagnosis does not propose a change and a deployment');
  succeeded(await assistant.call(change.tool, change.arguments));
  const args = { ...deployment.arguments, wait: true };
  const { text } = succeeded(await show.wait('deploying', () => assistant.call(deployment.tool, args)));
  expect(text.includes('DEPLOYED'), `${failing.name} was not deployed: ${text}`);
  show.tell({ event: 'good', text: `${failing.name} is deployed again` });
}

async function setUp(assistant: Assistant): Promise<void> {
  const create = async (tool: string, args: Row): Promise<void> => {
    const { text } = succeeded(await assistant.call(tool, args));
    expect(!text.includes(secretValue), `${tool} shows a secret`);
  };
  assistant.show.tell({ event: 'chapter', title: '"Set up a checkout with a database." Names do where ids are asked for' });
  await create('create_environment', { project_id: 'shop', name: 'demo', mode: 'STAGING', cluster_id: 'main' });
  await create('create_database', { environment_id: made.environment, name: 'orders', type: 'POSTGRESQL', version: '16', mode: 'CONTAINER' });
  await create('create_application', {
    environment_id: made.environment, name: 'checkout', git_repository: { url: 'https://git.example.com/shop/checkout.git' },
    ports: [{ internal_port: 8080, external_port: 443, protocol: 'HTTP', publicly_accessible: true }],
  });
  await create('create_environment_variable', { application_id: made.application, key: 'LOG_FORMAT', value: 'json' });
  await create('create_secret', { application_id: made.application, key: 'PAYMENT_KEY', value: secretValue });
  assistant.show.tell({ event: 'good', text: 'the secret went in, and does not come out again' });
}

/** Longest a deployment of the demo may take, and how often its state is read, in milliseconds. */
const longest = 20_000;
const interval = 150;

/** Reads a state until it has ended well, and shows each that it goes through. */
async function follow({ show }: Assistant, name: string, read: () => Promise<string>): Promise<void> {
  const until = Date.now() + longest;
  const next = async (seen: string): Promise<string> => {
    for (;;) {
      const now = await read();
      if (now !== seen) return now;
      expect(Date.now() < until, `${name} is still ${seen} after ${longest / 1000} seconds`);
      await pause(interval);
    }
  };
  let seen = '';
  while (endOf('DEPLOY', seen) !== 'good') {
    seen = await show.wait(`${name} ${seen}`, () => next(seen));
    show.tell({ event: 'state', of: name, state: seen });
    expect(endOf('DEPLOY', seen) !== 'bad', `${name} ended as ${seen}`);
  }
}

async function deploy(assistant: Assistant): Promise<void> {
  const databaseState = async (): Promise<string> => {
    const { data } = succeeded(await assistant.ask('get_environment_status', { environment_id: made.environment }));
    return textAt((data['databases'] as Row[])[0] ?? {}, 'state');
  };
  const applicationState = async (): Promise<string> =>
    textAt(succeeded(await assistant.ask('get_application_status', { application_id: made.application })).data, 'state');

  const { show } = assistant;
  show.tell({ event: 'chapter', title: 'It deploys, and follows the states until they have ended' });
  succeeded(await assistant.call('deploy_database', { database_id: made.database }));
  await follow(assistant, 'orders', databaseState);
  succeeded(await assistant.call('deploy_application', { application_id: made.application }));
  await follow(assistant, 'checkout', applicationState);
  show.tell({ event: 'good', text: 'running' });

  show.tell({ event: 'chapter', title: 'It reads the logs' });
  const lines = rowsOf(succeeded(await assistant.call('get_application_logs', { application_id: made.application, tail: 8 })));
  expect(lines.length > 0, 'a running application has no logs');
  show.tell({ event: 'text', text: lines.map((line) => textAt(line, 'message')).join('\n') });
}

async function tryToStop(assistant: Assistant): Promise<void> {
  const stateNow = async (): Promise<string> => {
    const { data } = succeeded(await assistant.ask('get_environment_status', { environment_id: production.path }));
    return textAt(data['environment'] as Row, 'state');
  };
  assistant.show.tell({ event: 'chapter', title: 'It tries to stop production' });
  const before = await stateNow();
  const asked = assistant.asked.length;
  const { failed, text } = await assistant.call('stop_environment', { environment_id: production.path });
  expect(assistant.asked.length === asked + 1, 'the user was not asked, once');
  expect(assistant.asked.at(-1)!.includes(production.name), 'the question does not name what would be stopped');
  expect(failed, 'it was carried out although the user said no');
  assistant.show.tell({ event: 'text', text: text.split('\n')[0]! });
  const after = await stateNow();
  expect(after === before, `production was ${before} and is ${after}`);
  assistant.show.tell({ event: 'good', text: `${production.name} is ${after}, as before` });
}

/**
 * Tells the story, checking each step, on a platform that was started with its scenario.
 * @throws Error that says what was not as it should be.
 */
export async function tell(assistant: Assistant): Promise<void> {
  await lookAround(assistant);
  await fix(assistant, await diagnose(assistant));
  await setUp(assistant);
  await deploy(assistant);
  await tryToStop(assistant);
}
