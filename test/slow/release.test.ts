import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { copyRepository, type CommandResult, type RepositoryCopy } from '../contributing/repository-copy.ts';

const name = `${manifest.name}-${manifest.version}`;
const tag = `v${manifest.version}`;
/** Of no commit: a copy has none. */
const moment = '1800000000';

/** A container engine that says whether it is there, and saves an image. */
const engine = (isThere: boolean): string => `#!/bin/sh
case "$1" in
  info) exit ${isThere ? 0 : 1} ;;
  save) echo "$4" > "$3" ;;
esac
`;

let scratch: string;
let copy: RepositoryCopy;
let elsewhere: RepositoryCopy;

/** Makes a release in a copy of the repository, with a container engine that is there or not. */
async function release(
  where: RepositoryCopy,
  args: string,
  { isEngineThere = false, before = 'true' } = {},
): Promise<CommandResult> {
  const programs = await mkdtemp(join(scratch, 'programs-'));
  for (const program of ['docker', 'podman'])
    await writeFile(join(programs, program), engine(isEngineThere), { mode: 0o755 });
  return where.run(
    `${before}; PATH="${programs}:$PATH" SOURCE_DATE_EPOCH=${moment} npm run --silent release:artifacts -- ${args}`,
    AbortSignal.timeout(300_000),
  );
}

const sumsOf = async (where: RepositoryCopy): Promise<Map<string, string>> =>
  new Map(
    (await where.read('release/SHA256SUMS'))
      .trim()
      .split('\n')
      .map((line) => line.split('  ').toReversed() as [string, string]),
  );

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'infra-mcp-release-test-'));
  [copy, elsewhere] = await Promise.all([copyRepository(), copyRepository()]);
  for (const one of [copy, elsewhere])
    await one.write(
      'CHANGELOG.md',
      `# Changelog\n\n## Unreleased\n\n## ${manifest.version} - 2027-01-15\n\n### Added\n\n- A thing.\n\n## 0.0.1 - 2026-01-01\n`,
    );
});

afterAll(async () => {
  await Promise.all([copy.remove(), elsewhere.remove()]);
  await rm(scratch, { recursive: true });
});

describe('a release', () => {
  beforeAll(async () => {
    const { code, output } = await release(copy, `--tag ${tag}`, { isEngineThere: true });
    expect(code, output).toBe(0);
  });

  test('is the package, the bundle, the image, the registry entry and the bill of materials, with their checksums', async () => {
    const sums = await sumsOf(copy);
    expect([...sums.keys()]).toEqual([
      `${name}-image.tar`,
      `${name}.cdx.json`,
      `${name}.mcpb`,
      `${name}.tgz`,
      'server.json',
    ]);
    expect(sums.get('server.json')).toBe(
      createHash('sha256')
        .update(await copy.read('release/server.json'))
        .digest('hex'),
    );
    expect(await copy.read(`release/${name}-image.tar`)).toBe(`${manifest.name}:${manifest.version}\n`);
  });

  test('names the bundle in the registry, with its checksum', async () => {
    const { packages } = JSON.parse(await copy.read('release/server.json')) as { packages: object[] };
    expect(packages).toEqual([
      expect.objectContaining({ registryType: 'npm', identifier: manifest.name, version: manifest.version }),
      {
        registryType: 'mcpb',
        identifier: `https://github.com/infra-mcp/infra-mcp/releases/download/${tag}/${name}.mcpb`,
        fileSha256: (await sumsOf(copy)).get(`${name}.mcpb`),
        transport: { type: 'stdio' },
      },
    ]);
  });

  test('lists what is bundled, and nothing that only builds and tests it', async () => {
    const bill = JSON.parse(await copy.read(`release/${name}.cdx.json`)) as {
      metadata: object;
      components: { name: string; version: string }[];
      dependencies: { ref: string; dependsOn: string[] }[];
    };
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: {
        timestamp: new Date(Number(moment) * 1000).toISOString(),
        component: { name: manifest.name, version: manifest.version },
      },
    });
    const names = bill.components.map((component) => component.name);
    expect(names).toEqual(expect.arrayContaining(['zod', 'undici', 'fastify', '@modelcontextprotocol/server']));
    for (const tool of ['vitest', 'esbuild', 'typescript', 'playwright-core']) expect(names).not.toContain(tool);
    for (const component of bill.components)
      expect(component).toMatchObject({
        purl: expect.stringContaining('pkg:npm/'),
        licenses: [expect.anything()],
        hashes: [expect.anything()],
      });
    const refs = [
      `${manifest.name}@${manifest.version}`,
      ...bill.components.map((component) => `${component.name}@${component.version}`),
    ];
    expect(
      bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((ref) => !refs.includes(ref)),
    ).toEqual([]);
    const notices = await copy.read('dist/THIRD-PARTY-NOTICES.txt');
    for (const component of bill.components) expect(notices).toContain(`${component.name} ${component.version} (`);
  });

  test('tells what the changelog says of its version', async () => {
    expect(await copy.read('release/NOTES.md')).toBe('### Added\n\n- A thing.\n');
  });

  test('is the same from another folder, time zone and file mode', async () => {
    const { code, output } = await release(elsewhere, '', {
      before: 'umask 002; export TZ=Asia/Tokyo; chmod -R g+w src bin prompts',
    });
    expect(code, output).toBe(0);
    const [sums, others] = await Promise.all([sumsOf(copy), sumsOf(elsewhere)]);
    for (const file of [`${name}.tgz`, `${name}.mcpb`, `${name}.cdx.json`, 'server.json'])
      expect(others.get(file), file).toBe(sums.get(file));
    expect(output).toContain('The image is skipped: no container engine answers');
    expect(others.has(`${name}-image.tar`)).toBe(false);
  });
});

describe('a release is refused', () => {
  test('for a tag of another version', async () => {
    const { code, output } = await release(copy, '--tag v99.0.0');
    expect(code).toBe(1);
    expect(output).toContain(`The tag v99.0.0 is not that of the version in package.json: ${tag}.`);
    // What was made before is still there.
    expect((await sumsOf(copy)).has(`${name}.tgz`)).toBe(true);
  });

  test('without a section in the changelog', async () => {
    await elsewhere.write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n- A thing.\n');
    const { code, output } = await release(elsewhere, `--tag ${tag}`);
    expect(code).toBe(1);
    expect(output).toContain(`CHANGELOG.md has no section "## ${manifest.version} - <date>".`);
  });
});
