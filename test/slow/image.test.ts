import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { closeTestServers, connectModernHttp } from '../transport/test-server.ts';
import { startProgram } from '../support/started-program.ts';
import { image, instructions, root, readText } from '../shipping/repository-files.ts';
import { textOf as resultText } from '../support/mcp-clients.ts';

const run = promisify(execFile);
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name, value]) => !/^(?:INFRA|npm)_/i.test(name) && value !== undefined),
) as Record<string, string>;

let scratch: string;
const app = (): string => join(scratch, 'app');
const temporary = (): string => join(scratch, 'tmp');
const [user, group] = image.user.split(':');

/** A text of the Dockerfile, with the folders of the image below the test's own. */
const moved = (text: string): string => text.replaceAll(/(?<=^|[\s=])\/(?=app|tmp|data)/g, `${scratch}/`);

/** What is sent to the build: the files of the checkout, without those that are left out of it. */
async function sendContext(to: string): Promise<void> {
  const ignored = readText('deploy/Dockerfile.dockerignore').trim().split('\n');
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const files = [...new Set(stdout.split('\0'))].filter(
    (file) => file !== '' && !ignored.includes(file.split('/')[0]!),
  );
  await Promise.all(
    files.map((file) =>
      cp(join(root, file), join(to, file)).catch((error: NodeJS.ErrnoException) => {
        // Deleted in the working tree, and not yet in the index.
        if (error.code !== 'ENOENT') throw error;
      }),
    ),
  );
}

// There is no Docker where this runs, so the steps of the Dockerfile are carried out in folders, as root like there.
const isLeftOut = process.getuid?.() !== 0 && !process.env['CI'];
if (isLeftOut) console.warn('The steps of the Dockerfile are not carried out: that needs root.');

describe.skipIf(isLeftOut)('the container image', () => {
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'infra-mcp-image-'));
    const source = join(scratch, 'src');
    await Promise.all([mkdir(source), mkdir(temporary())]);
    await Promise.all([chmod(scratch, 0o755), chmod(temporary(), 0o777)]);
    await sendContext(source);
    // The user of the image may not come to where this one is.
    await cp(process.execPath, join(scratch, 'node'));
    const [install, build, prepare] = instructions('RUN');
    expect(install).toBe('npm ci');
    await symlink(join(root, 'node_modules'), join(source, 'node_modules'), 'junction');
    await run('sh', ['-c', moved(build!)], { cwd: source, env });
    await run('sh', ['-c', moved(prepare!)], { env });
  });

  afterAll(() => rm(scratch, { recursive: true }));

  test('is what is published, and nothing else', async () => {
    expect((await readdir(app())).toSorted()).toEqual([...manifest.files, 'package.json'].toSorted());
  });

  test('serves as its user, who can write its data and temporary files only', async () => {
    const [, program] = image.entrypoint;
    const { ready } = await startProgram({
      command: [
        'setpriv',
        `--reuid=${user}`,
        `--regid=${group}`,
        '--clear-groups',
        join(scratch, 'node'),
        moved(program!),
        ...image.command,
        '--port',
        '0',
      ],
      env: {
        ...env,
        ...image.env,
        INFRA_DATA_DIR: moved(image.env['INFRA_DATA_DIR']!),
        INFRA_HTTP_HOST: '127.0.0.1',
        TMPDIR: temporary(),
        HOME: '/nonexistent',
      },
      cwd: '/',
    });
    expect((await fetch(new URL('/readyz', ready.url))).status).toBe(200);
    const client = await connectModernHttp(new URL(ready.url));
    expect(resultText(await client.call('get_organization'))).toContain('Acme');
    await closeTestServers();
  });
});
