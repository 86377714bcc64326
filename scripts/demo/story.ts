import { setTimeout as pause } from 'node:timers/promises';
import { terminalOutcome } from '../../src/contract/index.ts';
import type { ToolAnswer, Assistant } from './assistant.ts';
import { ensure, rowsOf, type Row, succeeded, textAt } from './steps.ts';

/** The failure scenario that the demo's server starts with. */
export const scenario = 'bad-image-tag';

const failing = { name: 'pricing-engine', path: 'pricing/staging/pricing-engine' } as const;
const production = { name: 'production', path: 'shop/production' } as const;
const created = { environment: 'shop/demo', database: 'shop/demo/orders', application: 'shop/demo/checkout' } as const;

/** Value of the created secret, which no answer may contain. */
const secretValue = 'pk_demo_4242_never_shown';

const showRows = ({ output: show }: Assistant, answer: ToolAnswer, ...members: [string, ...string[]]): void =>
  show.emit({
    event: 'table',
    heading: members,
    rows: rowsOf(answer).map((row) => members.map((member) => textAt(row, member))),
  });

async function showOverview(assistant: Assistant): Promise<void> {
  assistant.output.emit({ event: 'chapter', title: '"What do we have, and is anything broken?"' });
  showRows(assistant, succeeded(await assistant.call('find_resource', { kind: 'environment' })), 'path', 'mode');
  const broken = succeeded(await assistant.call('find_resource', { kind: 'container', state: 'ERROR' }));
  showRows(assistant, broken, 'path', 'state');
  ensure(
    rowsOf(broken).some(({ path }) => path === failing.path),
    `${failing.path} is not among what is broken`,
  );
}

/** A call that an answer proposes. */
interface Proposal {
  readonly tool: string;
  readonly arguments: Row;
}

/** The text of a diagnosis before its timeline. */
const findings = ({ text }: ToolAnswer): string =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('<'))
    .join('\n')
    .split('\nTimeline:')[0]!;

async function diagnose(assistant: Assistant): Promise<readonly Proposal[]> {
  const { output: show } = assistant;
  show.emit({ event: 'chapter', title: `"Why did ${failing.name} fail?"` });
  const answer = succeeded(await assistant.call('diagnose_deployment', { service: failing.path }));
  show.emit({ event: 'text', text: findings(answer) });
  ensure(answer.proposed.length > 0, 'the diagnosis proposes nothing');
  return answer.proposed;
}

async function fix(assistant: Assistant, proposed: readonly Proposal[]): Promise<void> {
  const { output: show } = assistant;
  show.emit({ event: 'chapter', title: '"Fix it." It does what the answer proposes, and the user is asked' });
  const [change, deployment] = proposed;
  ensure(change !== undefined && deployment !== undefined, 'the diagnosis does not propose a change and a deployment');
  succeeded(await assistant.call(change.tool, change.arguments));
  const args = { ...deployment.arguments, wait: true };
  const { text } = succeeded(await show.whileWaiting('deploying', () => assistant.call(deployment.tool, args)));
  ensure(text.includes('DEPLOYED'), `${failing.name} was not deployed: ${text}`);
  show.emit({ event: 'good', text: `${failing.name} is deployed again` });
}

async function setUp(assistant: Assistant): Promise<void> {
  const create = async (tool: string, args: Row): Promise<void> => {
    const { text } = succeeded(await assistant.call(tool, args));
    ensure(!text.includes(secretValue), `${tool} shows a secret`);
  };
  assistant.output.emit({
    event: 'chapter',
    title: '"Set up a checkout with a database." Names do where ids are asked for',
  });
  await create('create_environment', { project_id: 'shop', name: 'demo', mode: 'STAGING', cluster_id: 'main' });
  await create('create_database', {
    environment_id: created.environment,
    name: 'orders',
    type: 'POSTGRESQL',
    version: '16',
    mode: 'CONTAINER',
  });
  await create('create_application', {
    environment_id: created.environment,
    name: 'checkout',
    git_repository: { url: 'https://git.example.com/shop/checkout.git' },
    ports: [{ internal_port: 8080, external_port: 443, protocol: 'HTTP', publicly_accessible: true }],
  });
  await create('create_environment_variable', {
    application_id: created.application,
    key: 'LOG_FORMAT',
    value: 'json',
  });
  await create('create_secret', { application_id: created.application, key: 'PAYMENT_KEY', value: secretValue });
  assistant.output.emit({ event: 'good', text: 'the secret went in, and does not come out again' });
}

/** Maximum duration of a deployment, and the interval at which its state is read, in milliseconds. */
const maxDeployTime = 20_000;
const pollInterval = 150;

/** Polls a deployment state until it succeeded, and shows each state. */
async function follow({ output: show }: Assistant, name: string, read: () => Promise<string>): Promise<void> {
  const deadline = Date.now() + maxDeployTime;
  const next = async (previous: string): Promise<string> => {
    for (;;) {
      const current = await read();
      if (current !== previous) return current;
      ensure(Date.now() < deadline, `${name} is still ${previous} after ${maxDeployTime / 1000} seconds`);
      await pause(pollInterval);
    }
  };
  let state = '';
  while (terminalOutcome('DEPLOY', state) !== 'good') {
    state = await show.whileWaiting(`${name} ${state}`, () => next(state));
    show.emit({ event: 'state', of: name, state });
    ensure(terminalOutcome('DEPLOY', state) !== 'bad', `${name} ended as ${state}`);
  }
}

async function deploy(assistant: Assistant): Promise<void> {
  const databaseState = async (): Promise<string> => {
    const { data } = succeeded(await assistant.ask('get_environment_status', { environment_id: created.environment }));
    return textAt((data['databases'] as Row[])[0] ?? {}, 'state');
  };
  const applicationState = async (): Promise<string> =>
    textAt(
      succeeded(await assistant.ask('get_application_status', { application_id: created.application })).data,
      'state',
    );

  const { output: show } = assistant;
  show.emit({ event: 'chapter', title: 'It deploys, and follows the states until they have ended' });
  succeeded(await assistant.call('deploy_database', { database_id: created.database }));
  await follow(assistant, 'orders', databaseState);
  succeeded(await assistant.call('deploy_application', { application_id: created.application }));
  await follow(assistant, 'checkout', applicationState);
  show.emit({ event: 'good', text: 'running' });

  show.emit({ event: 'chapter', title: 'It reads the logs' });
  const lines = rowsOf(
    succeeded(await assistant.call('get_application_logs', { application_id: created.application, tail: 8 })),
  );
  ensure(lines.length > 0, 'a running application has no logs');
  show.emit({ event: 'text', text: lines.map((line) => textAt(line, 'message')).join('\n') });
}

async function tryToStop(assistant: Assistant): Promise<void> {
  const stateNow = async (): Promise<string> => {
    const { data } = succeeded(await assistant.ask('get_environment_status', { environment_id: production.path }));
    return textAt(data['environment'] as Row, 'state');
  };
  assistant.output.emit({ event: 'chapter', title: 'It tries to stop production' });
  const before = await stateNow();
  const asked = assistant.questions.length;
  const { failed, text } = await assistant.call('stop_environment', { environment_id: production.path });
  ensure(assistant.questions.length === asked + 1, 'the user was not asked, once');
  ensure(assistant.questions.at(-1)!.includes(production.name), 'the question does not name what would be stopped');
  ensure(failed, 'it was carried out although the user said no');
  assistant.output.emit({ event: 'text', text: text.split('\n')[0]! });
  const after = await stateNow();
  ensure(after === before, `production was ${before} and is ${after}`);
  assistant.output.emit({ event: 'good', text: `${production.name} is ${after}, as before` });
}

/**
 * Runs the demo and checks each step, on a platform that was started with its scenario.
 * @throws UnexpectedStep that describes the first unexpected result.
 */
export async function runStory(assistant: Assistant): Promise<void> {
  await showOverview(assistant);
  await fix(assistant, await diagnose(assistant));
  await setUp(assistant);
  await deploy(assistant);
  await tryToStop(assistant);
}
