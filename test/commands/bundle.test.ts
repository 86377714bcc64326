import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { startAssistant, temporaryDirectory } from './support.ts';

const execute = promisify(execFile);
const build = join(import.meta.dirname, '../../scripts/build.ts');

// What a bundler may break: packages that are loaded late, each of which is used here.
test('the bundled program serves tools, calls its platform, and reads a policy', async () => {
  const directory = await temporaryDirectory();
  const outdir = join(directory, 'dist');
  await execute(process.execPath, ['--import', import.meta.resolve('tsx'), build, '--outdir', outdir]);
  const program = join(outdir, 'infra-mcp.mjs');

  const assistant = await startAssistant({ INFRA_DATA_DIR: join(directory, 'data'), INFRA_LOG_LEVEL: 'info' }, [program]);
  const { failed, text } = await assistant.call('get_organization');
  expect(failed, text + assistant.stderr()).toBe(false);
  await vi.waitFor(() => expect(assistant.stderr()).toContain('serving the embedded platform'));

  const policy = join(directory, 'policy.yaml');
  await writeFile(policy, 'read_only: true\n');
  const { stdout } = await execute(process.execPath, [program, 'tools', '--policy-file', policy]);
  expect(stdout).toContain('get_organization');
  expect(stdout).not.toContain('create_project');
});
