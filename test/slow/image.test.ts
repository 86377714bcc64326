import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { startProgram } from '../serve/program.ts';
import { image, instructions, root, textOf } from '../shipping/read.ts';

const run = promisify(execFile);
const env = Object.fromEntries(Object.entries(process.env).filter(([name, value]) => !/^(?:INFRA|npm)_/i.test(name) && value !== undefined)) as Record<string, string>;

let scratch: string;
const app = (): string => join(scratch, 'app');

/** A text of the Dockerfile, with the folders of the image below the test's own. */
const moved = (text: string): string => text.replaceAll(/(?<=^|[\s=])\/(?=app|tmp|data)/g, `${scratch}/`);

/** What is sent to the build: the files of the checkout, without those that are left out of it. */
async function sendContext(to: string): Promise<void> {
  const ignored = textOf('deploy/Dockerfile.dockerignore').trim().split('\n');
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root, maxBuffer: 64 * 1024 * 1024 });
  const files = [...new Set(stdout.split('\0'))].filter((file) => file !== '' && !ignored.includes(file.split('/')[0]!));
  await Promise.all(files.map((file) => cp(join(root, file), join(to, file)).catch((error: NodeJS.ErrnoException) => {
    // Deleted in the working tree, and not yet in the index.
    if (error.code !== 'ENOENT') throw error;
  })));
}

// There is no Docker where this runs, so the steps of the Dockerfile are carried out in folders.
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'infra-mcp-image-'));
  const source = join(scratch, 'src');
  await Promise.all([mkdir(source), mkdir(join(scratch, 'tmp')), mkdir(join(scratch, 'data'))]);
  await sendContext(source);
  const [install, build] = instructions('RUN');
  expect(install).toBe('npm ci');
  await symlink(join(root, 'node_modules'), join(source, 'node_modules'), 'junction');
  await run('sh', ['-c', moved(build!)], { cwd: source, env });
});

afterAll(() => rm(scratch, { recursive: true }));

test('the steps of the Dockerfile make an image of what is published, and nothing else', async () => {
  expect((await readdir(app())).toSorted()).toEqual([...manifest.files, 'package.json'].toSorted());
});

test('the program in it serves', async () => {
  const [, program] = image.entrypoint;
  const { ready } = await startProgram({
    command: [process.execPath, moved(program!), ...image.command, '--port', '0'],
    env: { ...env, ...image.env, INFRA_DATA_DIR: moved(image.env['INFRA_DATA_DIR']!), INFRA_HTTP_HOST: '127.0.0.1' },
    cwd: dirname(app()),
  });
  expect((await fetch(new URL('/readyz', ready.url))).status).toBe(200);
});
