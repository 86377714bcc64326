import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { about } from '../shipping/about.ts';

const run = promisify(execFile);
const engines = ['docker', 'podman'] as const;

/** The first container engine that answers. */
async function engineHere(): Promise<(typeof engines)[number] | undefined> {
  for (const engine of engines) {
    const answers = await run(engine, ['info'], { timeout: 20_000 }).then(
      () => true,
      () => false,
    );
    if (answers) return engine;
  }
  return undefined;
}

/**
 * Builds the image for this machine's architecture and saves it as an archive.
 * @returns its path; undefined where no container engine answers.
 */
export async function saveImage(root: string, outdir: string): Promise<string | undefined> {
  const engine = await engineHere();
  if (engine === undefined) {
    console.log(
      `The image is skipped: no container engine answers (${engines.join(', ')}). The release workflow makes it.`,
    );
    return undefined;
  }
  const tag = `${about.name}:${about.version}`;
  const archive = join(outdir, `${about.name}-${about.version}-image.tar`);
  await run(engine, ['build', '--file', 'deploy/Dockerfile', '--tag', tag, '.'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  await run(engine, ['save', '--output', archive, tag]);
  return archive;
}
