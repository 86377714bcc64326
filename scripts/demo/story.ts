import { setTimeout as pause } from 'node:timers/promises';
import { endOf } from '../../src/contract/states.ts';
import type { Answer, Assistant } from './assistant.ts';

type Row = Readonly<Record<string, unknown>>;

/** The story went another way than it should. */
class Unexpected extends Error {}

/** Goes on only if a thing is as the story has it. */
function expect(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Unexpected(otherwise);
}

const succeeded = (answer: Answer): Answer => {
  expect(!answer.failed, `a call that should work failed: ${answer.text}`);
  return answer;
};

const rowsOf = ({ data }: Answer): Row[] => (Array.isArray(data['results']) ? (data['results'] as Row[]) : []);

const textAt = (row: Row, member: string): string => {
  const value = row[member];
  expect(typeof value === 'string', `an answer has no ${member}: ${JSON.stringify(row)}`);
  return value;
};

/** Shows some members of rows. */
const list = ({ show }: Assistant, rows: readonly Row[], ...members: [string, ...string[]]): void =>
  show.tell({ event: 'table', heading: members, rows: rows.map((row) => members.map((member) => textAt(row, member))) });

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

interface Surroundings {
  readonly projectId: string;
  readonly clusterId: string;
  readonly production: { readonly id: string; readonly name: string };
}

async function lookAround(assistant: Assistant): Promise<Surroundings> {
  const { show } = assistant;
  show.tell({ event: 'chapter', title: 'An assistant looks around' });
  const organization = succeeded(await assistant.call('get_organization')).data;
  show.tell({ event: 'text', text: textAt(organization, 'name') });
  const projects = rowsOf(succeeded(await assistant.call('list_projects', { organization_id: textAt(organization, 'id') })));
  list(assistant, projects, 'name');

  const environments: Row[] = [];
  for (const project of projects) {
    const own = rowsOf(succeeded(await assistant.call('list_environments', { project_id: textAt(project, 'id') })));
    list(assistant, own, 'name', 'mode');
    environments.push(...own.map((environment) => ({ ...environment, project_id: project['id'] })));
  }
  const production = environments.find(({ mode }) => mode === 'PRODUCTION');
  const staging = environments.find(({ mode }) => mode === 'STAGING');
  expect(production !== undefined && staging !== undefined, 'the seed has no environments of both modes');
  list(assistant, rowsOf(succeeded(await assistant.call('list_services', { environment_id: textAt(production, 'id') }))), 'name', 'service_type');
  return {
    projectId: textAt(staging, 'project_id'),
    clusterId: textAt(staging, 'cluster_id'),
    production: { id: textAt(production, 'id'), name: textAt(production, 'name') },
  };
}

/** What the demo sets up; the secret must never come back. */
const secretValue = 'pk_demo_4242_never_shown';

interface Created {
  readonly environmentId: string;
  readonly applicationId: string;
  readonly databaseId: string;
}

async function setUp(assistant: Assistant, { projectId, clusterId }: Surroundings): Promise<Created> {
  const create = async (tool: string, args: Row): Promise<string> => {
    const { data, text } = succeeded(await assistant.call(tool, args));
    expect(!text.includes(secretValue), `${tool} shows a secret`);
    return textAt(data, 'id');
  };
  assistant.show.tell({ event: 'chapter', title: 'It sets up an environment with an application and a database' });
  const environmentId = await create('create_environment', { project_id: projectId, name: 'demo', mode: 'STAGING', cluster_id: clusterId });
  const databaseId = await create('create_database', {
    environment_id: environmentId, name: 'orders', type: 'POSTGRESQL', version: '16', mode: 'CONTAINER',
  });
  const applicationId = await create('create_application', {
    environment_id: environmentId, name: 'checkout', git_repository: { url: 'https://git.example.com/shop/checkout.git' },
    ports: [{ internal_port: 8080, external_port: 443, protocol: 'HTTP', publicly_accessible: true }],
  });
  await create('create_environment_variable', { application_id: applicationId, key: 'LOG_FORMAT', value: 'json' });
  await create('create_secret', { application_id: applicationId, key: 'PAYMENT_KEY', value: secretValue });
  assistant.show.tell({ event: 'good', text: 'the secret went in, and does not come out again' });
  return { environmentId, applicationId, databaseId };
}

async function deploy(assistant: Assistant, { applicationId, databaseId, environmentId }: Created): Promise<void> {
  const databaseState = async (): Promise<string> => {
    const { data } = succeeded(await assistant.ask('get_environment_status', { environment_id: environmentId }));
    return textAt((data['databases'] as Row[])[0] ?? {}, 'state');
  };
  const applicationState = async (): Promise<string> =>
    textAt(succeeded(await assistant.ask('get_application_status', { application_id: applicationId })).data, 'state');

  const { show } = assistant;
  show.tell({ event: 'chapter', title: 'It deploys, and follows the states until they have ended' });
  succeeded(await assistant.call('deploy_database', { database_id: databaseId }));
  await follow(assistant, 'orders', databaseState);
  succeeded(await assistant.call('deploy_application', { application_id: applicationId }));
  await follow(assistant, 'checkout', applicationState);
  show.tell({ event: 'good', text: 'running' });

  show.tell({ event: 'chapter', title: 'It reads the logs' });
  const lines = rowsOf(succeeded(await assistant.call('get_application_logs', { application_id: applicationId, tail: 8 })));
  expect(lines.length > 0, 'a running application has no logs');
  show.tell({ event: 'text', text: lines.map((line) => textAt(line, 'message')).join('\n') });
}

async function tryToStop(assistant: Assistant, { production }: Surroundings): Promise<void> {
  const stateNow = async (): Promise<string> => {
    const { data } = succeeded(await assistant.ask('get_environment_status', { environment_id: production.id }));
    return textAt(data['environment'] as Row, 'state');
  };
  assistant.show.tell({ event: 'chapter', title: 'It tries to stop production' });
  const before = await stateNow();
  const { failed, text } = await assistant.call('stop_environment', { environment_id: production.id });
  expect(assistant.asked.length === 1, 'the user was not asked, once');
  expect(assistant.asked[0]!.includes(production.name), 'the question does not name what would be stopped');
  expect(failed, 'it was carried out although the user said no');
  assistant.show.tell({ event: 'text', text: text.split('\n')[0]! });
  const after = await stateNow();
  expect(after === before, `production was ${before} and is ${after}`);
  assistant.show.tell({ event: 'good', text: `${production.name} is ${after}, as before` });
}

/**
 * Tells the story, checking each step.
 * @throws Error that says what was not as it should be.
 */
export async function tell(assistant: Assistant): Promise<void> {
  const surroundings = await lookAround(assistant);
  await deploy(assistant, await setUp(assistant, surroundings));
  await tryToStop(assistant, surroundings);
}
