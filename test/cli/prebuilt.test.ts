import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { expect, onTestFinished, test } from 'vitest';
import type { Policy } from '../../src/server/guard/index.ts';
import { createDependencies, prebuiltSurface } from '../../src/server/protocol/index.ts';
import { textsIn } from '../../src/server/browse/index.ts';
import { startStdioServer } from '../../src/transport/index.ts';
import { defaultTools } from '../../tools/index.ts';
import { toolsLeftOut } from '../../src/cli/wiring/offered-tools.ts';
import { derivePrebuilt } from '../../scripts/build/prebuilt.ts';
import { memoryLog } from '../support/call-context.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';

type Transport = Parameters<Client['connect']>[0];

/** Everything that a server shows before it is called. */
async function shownOver(transport: Transport): Promise<unknown> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const [listed, resources, templates] = await Promise.all([
    client.listTools(),
    client.listResources(),
    client.listResourceTemplates(),
  ]);
  const shown = {
    instructions: client.getInstructions(),
    tools: listed.tools,
    resources: resources.resources,
    templates: templates.resourceTemplates,
  };
  await client.close();
  return shown;
}

async function shownByBundle(env: Record<string, string>): Promise<{ shown: unknown; loaded: string }> {
  const hooks = `import { registerHooks } from 'node:module'; registerHooks({ resolve: (specifier, context, next) => { process.stderr.write(specifier + ' '); return next(specifier, context); } });`;
  const {
    command: [command = '', ...args],
    env: environment,
  } = commandLine([], {
    ...env,
    INFRA_DATA_DIR: await temporaryDirectory(),
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hooks)}`,
  });
  const transport = new StdioClientTransport({ command, args, env: environment, stderr: 'pipe' });
  let loaded = '';
  transport.stderr!.on('data', (text: Buffer) => (loaded += text.toString()));
  return { shown: await shownOver(transport), loaded };
}

const connect = () => Promise.reject(new Error('nothing is called here'));

/** The same by a server that derives it when it is asked. */
async function shownBySource(policy: Policy): Promise<unknown> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const texts = textsIn(join(import.meta.dirname, '../..'));
  const server = startStdioServer(
    createDependencies({
      tools: defaultTools,
      otherTools: toolsLeftOut(defaultTools),
      policy,
      connect,
      secrets: () => [],
      version: '0',
      log: memoryLog(),
      clock: { now: Date.now },
      texts,
    }),
    far,
  );
  onTestFinished(() => server.close());
  return shownOver(near);
}

/** The files of the program that were loaded. */
const filesIn = (loaded: string): Set<string> => new Set(loaded.match(/\S+\.mjs\b/g));

const work = /\/(?:server-dependencies|requests)-\w+\.mjs/;

test.each([
  ['without rules', {}, { readOnly: false }],
  ['that only reads', { INFRA_READ_ONLY: 'true' }, { readOnly: true }],
])(
  'a bundled server %s shows what one from source derives, and loads no code of tools for it',
  async (_, env, policy) => {
    const { shown, loaded } = await shownByBundle(env);
    expect(shown).toEqual(await shownBySource(policy));
    expect(loaded).toContain('chunks/');
    // The program, the command, and what is merged for both. Each file takes its time to be found and linked.
    expect(filesIn(loaded).size).toBeLessThanOrEqual(8);
    expect(loaded).not.toMatch(work);
  },
);

test('a server with tools of its own choice derives them', async () => {
  const { shown, loaded } = await shownByBundle({ INFRA_TOOLS: 'list_projects' });
  expect(shown).toMatchObject({ tools: [{ name: 'list_projects' }] });
  expect(loaded).toMatch(work);
});

test('what was derived is not used where the policy could make it another', () => {
  const derived = derivePrebuilt();
  expect(prebuiltSurface({ readOnly: false, rules: [] }, derived)?.tools()).toBe(derived.tools);
  expect(prebuiltSurface({ readOnly: false, rules: [{ deny: [], freezes: [] }] }, derived)).toBeUndefined();
  expect(
    prebuiltSurface({ readOnly: false, scope: { project: { name: 'shop', setBy: 'INFRA_PROJECT' } } }, derived),
  ).toBeUndefined();
  expect(prebuiltSurface({ readOnly: false }, undefined)).toBeUndefined();
});
