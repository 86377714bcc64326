import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cleanEnvironment, spawnInTest, type ProgramResult } from '../support/started-program.ts';
import { tasks } from '../slow/tasks/tasks.ts';
import { startFakeEndpoint, type Script } from './fake-endpoint.ts';
import { chosenTasks, evalOptions } from './options.ts';

const root = join(import.meta.dirname, '../..');
const apiKey = 'key-of-the-model-4711';

async function evaluate(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<ProgramResult & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'infra-mcp-eval-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const command = [
    process.execPath,
    '--import',
    import.meta.resolve('tsx'),
    join(root, 'test/eval/main.ts'),
    '--transcripts',
    folder,
    ...args,
  ];
  return {
    ...(await spawnInTest({
      command,
      env: cleanEnvironment({ EVAL_ENDPOINT: '', EVAL_API_KEY: '', ...env }),
      cwd: root,
    }).ended),
    folder,
  };
}

const reviews = 'shop/staging/reviews';

/** A model that gives a container memory, sets up an application, and only claims to have undone a release. */
const script: Script = {
  'give a container more memory': [
    { tool: 'update_container', args: { container_id: 'shop/staging/search', memory: 1024 } },
    { tool: 'deploy_service', args: { service: 'shop/staging/search', wait: true } },
  ],
  'set up a new application': [
    { tool: 'no_such_tool', args: {} },
    {
      tool: 'create_application',
      args: {
        environment_id: 'shop/staging',
        name: 'reviews',
        git_repository: { url: 'https://git.acme.example/shop/checkout-api.git', branch: 'main' },
      },
    },
    { tool: 'create_secret', args: { application_id: reviews, key: 'REVIEWS_KEY', value: 'correct-horse-9' } },
  ],
};

/** The lines of the table, their columns apart. */
const cells = (stdout: string): string[][] => stdout.split('\n').map((line) => line.trim().split(/ {2,}/));

test.each([
  ['openai', 'authorization', `Bearer ${apiKey}`],
  ['anthropic', 'x-api-key', apiKey],
])('lets a model behind the %s API do the tasks, and keeps what it did without secrets', async (api, header, value) => {
  const endpoint = await startFakeEndpoint(script);
  const { code, stdout, stderr, folder } = await evaluate(
    [
      '--model',
      'fake',
      '--api',
      api,
      '--endpoint',
      endpoint.url,
      '--task',
      'more memory',
      '--task',
      'new application',
      '--task',
      'undo a release',
    ],
    { EVAL_API_KEY: apiKey },
  );
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^not solved \(nothing was changed\): undo a release$/m),
  });
  const table = cells(stdout);
  expect(table[0]).toEqual(['task', 'solved', 'calls', 'requests', 'bytes', 'tokens']);
  const measured = /^[1-9]\d*$/;
  expect(table).toContainEqual([
    'give a container more memory',
    'yes',
    '2',
    expect.stringMatching(measured),
    expect.stringMatching(measured),
    '300',
  ]);
  // The call of a tool that isn't there reaches no server.
  expect(table).toContainEqual([
    'set up a new application',
    'yes',
    '2',
    expect.stringMatching(measured),
    expect.stringMatching(measured),
    '400',
  ]);
  expect(table).toContainEqual(['undo a release', 'no', '0', '0', '0', '100']);
  expect(table).toContainEqual([
    'all',
    '2 of 3',
    '4',
    expect.stringMatching(measured),
    expect.stringMatching(measured),
    '800',
  ]);

  const [first] = endpoint.requests;
  expect(first!.headers[header]).toBe(value);
  expect(JSON.stringify(first!.body['tools'])).toContain('diagnose_deployment');
  expect(JSON.stringify(first!.body['messages'])).toContain('undo a release');
  expect(JSON.stringify(endpoint.requests.at(-1)!.body['messages'])).toContain(reviews);

  const files = await readdir(folder);
  expect(files.toSorted()).toEqual([
    '01-undo-a-release.json',
    '02-give-a-container-more-memory.json',
    '03-set-up-a-new-application.json',
  ]);
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  for (const secret of [apiKey, 'token-of-the-tasks', 'correct-horse-9'])
    expect([...texts, stdout, stderr].join('\n')).not.toContain(secret);
  const transcript = JSON.parse(await readFile(join(folder, '02-give-a-container-more-memory.json'), 'utf8')) as {
    calls: { result: string }[];
  };
  expect(transcript).toMatchObject({
    model: 'fake',
    solved: true,
    faults: [],
    answer: 'Done, as far as I can see.',
    calls: [{ tool: 'update_container', arguments: { memory: 1024 } }, { tool: 'deploy_service' }],
  });
  expect(transcript.calls[0]!.result).toContain('1024');
});

test('a model is stopped after as many answers as it may give', async () => {
  const { url, requests } = await startFakeEndpoint(script);
  const { code, stdout } = await evaluate([
    '--model',
    'fake',
    '--endpoint',
    url,
    '--task',
    'new application',
    '--steps',
    '2',
  ]);
  expect(code).toBe(0);
  expect(requests).toHaveLength(2);
  expect(cells(stdout)).toContainEqual(['all', '1 of 1', '1', expect.any(String), expect.any(String), '200']);
});

test('without an endpoint it says so and ends with 2', async () => {
  const { code, stdout, stderr } = await evaluate(['--model', 'fake']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/^Nothing was evaluated: there is no endpoint\. .*--endpoint or EVAL_ENDPOINT/);
});

const here = ['--model', 'fake', '--endpoint', 'http://127.0.0.1:9/v1'];

test.each([
  ['no model', here.slice(2), /^Nothing was evaluated: name the model with --model\./],
  ['no URL', [...here.slice(0, 3), 'here'], /^Nothing was evaluated: the endpoint "here" is no URL\./],
  ['an unknown API', [...here, '--api', 'soap'], /^Nothing was evaluated: --api is openai or anthropic\./],
  ['no number', [...here, '--steps', '-1'], /--steps/],
  ['no such task', [...here, '--task', 'fly'], /^Nothing was evaluated: no task contains "fly"\./],
  ['an unknown option', ['--modle', 'fake'], /--modle/],
])('%s is an error', (_, args, says) => {
  expect(() => chosenTasks(tasks, evalOptions(args, {}, new Date(0)))).toThrow(says);
});

test('transcripts lie in a folder for each run', () => {
  expect(evalOptions([...here.slice(2), '--model', '../some/model:7b'], {}, new Date(0)).folder).toBe(
    'eval-transcripts/..-some-model-7b-1970-01-01T00-00-00.000Z',
  );
});

test('an API that refuses is named, without the key that it repeats, and ends it with 1', async () => {
  const { url, requests } = await startFakeEndpoint(script, { refuse: `unknown key ${apiKey}` });
  const { code, stderr } = await evaluate(['--model', 'fake', '--endpoint', url], { EVAL_API_KEY: apiKey });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^The model's API failed at ".*", and the rest was left out: unknown key /m);
  expect(stderr).not.toContain(apiKey);
  expect(requests).toHaveLength(1);
});
