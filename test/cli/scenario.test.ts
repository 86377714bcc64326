import { expect, test } from 'vitest';
import { runProgram, startAssistant, startPlatformProgram, temporaryDirectory } from '../support/built-program.ts';

const projectsOf = async (url: string, token: string, organization: string): Promise<string[]> => {
  const answer = await fetch(`${url}/organization/${organization}/project`, {
    headers: { Authorization: `Token ${token}` },
  });
  return ((await answer.json()) as { results: { name: string }[] }).results.map(({ name }) => name);
};

test('the flag may be repeated, and have several names', async () => {
  const { ready } = await startPlatformProgram([
    '--data-dir',
    await temporaryDirectory(),
    '--scenario',
    'bad-image-tag, missing-variable',
    '--scenario',
    'database-down',
  ]);
  const projects = await projectsOf(ready.url, ready.token!, ready.organization_id);
  expect(projects).toEqual(expect.arrayContaining(['pricing', 'payments', 'ledger']));
  expect(projects).not.toContain('network');
});

test.each([['platform'], ['stdio'], ['http']])(
  '%s does not start with a scenario that there is not',
  async (command) => {
    const directory = await temporaryDirectory();
    expect(await runProgram([command, '--data-dir', directory, '--scenario', 'bad-tag'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/"bad-tag".*\bbad-image-tag\b/s),
    });
  },
);

test('a scenario is not put onto another platform', async () => {
  const { code, stderr } = await runProgram(['stdio', '--scenario', 'bad-image-tag'], {
    INFRA_BASE_URL: 'https://api.example.com',
    INFRA_API_TOKEN: 'secret',
  });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('A scenario is set together with INFRA_BASE_URL. Remove one'),
  ]);
});

test('an assistant finds it; a second one, which joins the platform of the first, learns that its own waits', async () => {
  const env = { INFRA_DATA_DIR: await temporaryDirectory(), INFRA_TIME_SCALE: '0' };
  const first = await startAssistant({ ...env, INFRA_SCENARIO: 'bad-image-tag' });
  expect((await first.call('list_projects')).text).toContain('pricing');
  const second = await startAssistant({ ...env, INFRA_SCENARIO: 'database-down' });
  expect((await second.call('list_projects')).text).not.toContain('ledger');
  expect(second.stderr()).toContain('another process serves this directory');
});
