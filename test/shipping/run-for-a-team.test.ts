import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parsePolicy } from '../../src/server/guard/policy/load.ts';
import { tools } from '../../tools/index.ts';
import { commandsIn, commandsOfPage } from '../docs/pages.ts';
import { parseProgramCommand } from '../docs/program-commands.ts';
import { compose, composeWithDatabase, service } from './compose.ts';
import { containerEnv, objectOf, rendered } from './kubernetes.ts';
import { image, root, readText, readYaml } from './repository-files.ts';

const page = 'docs/run-for-a-team.md';
/** The pod of the release that the page installs. */
const pod = objectOf('StatefulSet', await rendered({}, compose.name)).spec.template.spec;
const lines = commandsOfPage(page)
  .filter(({ isInline: isWithin }) => !isWithin)
  .flatMap(({ text }) => commandsIn(text))
  .filter(([program]) => program !== 'infra-mcp');

/** The values of a flag, given as `--flag value` or `--flag=value`. */
const valuesOf = (flag: string, words: readonly string[]): string[] =>
  words.flatMap((word, index) =>
    words[index - 1] === flag ? [word] : word.startsWith(`${flag}=`) ? [word.slice(flag.length + 1)] : [],
  );

/** What is run inside a container: this program with arguments that it knows, or Node itself. */
async function expectRunsInside(words: readonly string[]): Promise<void> {
  if (words[1] === '--eval') return expect(words.slice(2)).toEqual(["process.kill(1, 'SIGHUP')"]);
  expect(words.slice(0, image.entrypoint.length)).toEqual(image.entrypoint);
  await parseProgramCommand(words.slice(image.entrypoint.length), {});
}

const mountedSecret = pod.volumes.find(({ secret }) => secret)!.secret!.secretName;
const secretFiles = (): string[] => {
  const mount = pod.containers[0]!.volumeMounts.find(({ name }) => name === 'secret')!.mountPath;
  return Object.values(containerEnv)
    .filter((value) => dirname(value) === mount)
    .map((path) => basename(path));
};

const composeFiles: Readonly<Record<string, { readonly services: object }>> = {
  'deploy/compose.yaml': compose,
  'deploy/compose.database.yaml': composeWithDatabase,
};

/** Values that are given to Helm are values of the chart. */
function expectChartValues(words: readonly string[]): void {
  expect(existsSync(join(root, words[3]!, 'Chart.yaml'))).toBe(true);
  const values = readYaml('deploy/helm/infra-mcp/values.yaml');
  for (const given of valuesOf('--set', words)) {
    const [path = ''] = given.split('=');
    expect(
      path.split('.').reduce<unknown>((held, name) => (held as Record<string, unknown> | undefined)?.[name], values),
      path,
    ).toBeDefined();
  }
}

const checks: Readonly<Record<string, (words: readonly string[]) => unknown>> = {
  'docker build': (words) => {
    expect(valuesOf('--file', words).every((path) => existsSync(join(root, path)))).toBe(true);
    expect(valuesOf('--tag', words)).toEqual([compose.name]);
    expect(words.at(-1)).toBe('.');
  },
  'docker compose': (words) => {
    const [file] = valuesOf('--file', words);
    const composed = composeFiles[file!];
    expect(composed, file).toBeDefined();
    const [server] = Object.keys(composed!.services);
    return words.includes('exec')
      ? expectRunsInside(words.slice(words.indexOf(server!) + 1))
      : expect(words).toContain(words.includes('kill') ? server : 'up');
  },
  'kubectl create': (words) => {
    const isShared = words[4] === 'infra-mcp-keys';
    expect(words.slice(2, 5)).toEqual(['secret', 'generic', isShared ? 'infra-mcp-keys' : mountedSecret]);
    expect(valuesOf('--from-file', words).toSorted()).toEqual(isShared ? ['keys'] : secretFiles().toSorted());
  },
  'kubectl apply': (words) => expect(existsSync(join(root, valuesOf('--filename', words)[0]!))).toBe(true),
  'kubectl exec': (words) => {
    expect(words).toContain(`${compose.name}-0`);
    return expectRunsInside(words.slice(words.indexOf('--') + 1));
  },
  'helm install': expectChartValues,
  'helm upgrade': (words) => {
    expectChartValues(words);
    expect(valuesOf('--set', words)).toContain('database.keysSecretName=infra-mcp-keys');
  },
  'head -c': (words) => {
    expect(words).toEqual(['head', '-c', '32', '/dev/urandom']);
    expect([...readText(page).matchAll(/urandom > keys\/(\S+)/g)].map(([, name]) => name)).toEqual([
      'guard.key',
      'question-1.key',
    ]);
  },
};

describe('the page on running it for a team', () => {
  test.each(lines.map((words) => [words.join(' '), words] as const))(
    'tells what the manifests have: %s',
    async (_, words) => {
      const check = checks[words.slice(0, 2).join(' ')];
      expect(check, 'no check for this command').toBeDefined();
      await check!(words);
    },
  );

  test('shows a policy that holds, which is also that of the chart', async () => {
    const [, shown] = /```yaml\n(.*?)```/s.exec(readText(page))!;
    const [{ deny }, chart] = await Promise.all([
      parsePolicy(page, shown!, tools),
      parsePolicy('values.yaml', objectOf('ConfigMap').data!['policy.yaml']!, tools),
    ]);
    expect(deny.map(({ conditions }) => conditions)).toEqual(chart.deny.map(({ conditions }) => conditions));
  });

  test('names the folder that Compose mounts', () => {
    expect(service.volumes.some((volume) => volume.startsWith('./config:'))).toBe(true);
    for (const file of Object.entries(service.environment)
      .filter(([name]) => name.endsWith('_FILE'))
      .map(([, path]) => basename(path)))
      expect(readText(page)).toContain(`\`${file}\``);
  });
});
