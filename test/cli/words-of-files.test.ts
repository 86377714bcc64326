import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { chosenProfile } from '../../src/cli/config/index.ts';
import { describeClusters } from '../../src/cli/wiring/real-clusters.ts';
import { engineProvider } from '../../src/platform/runtime-providers.ts';
import { parseFaults } from '../../src/platform/testing/control/faults/load.ts';
import { parsePrompt } from '../../src/server/browse/prompts/prompt.ts';
import { readChatSettings } from '../../src/server/guard/approvals/chat/load.ts';
import { parseOperators } from '../../src/server/guard/approvals/operators.ts';
import { parsePolicy } from '../../src/server/guard/policy/load.ts';
import { loadApiKeys } from '../../src/transport/index.ts';
import { tools } from '../../tools/index.ts';
import { temporaryDirectory } from '../support/built-program.ts';

/** Something that a person writes in a file: how it is read, and one that is as it should be. */
interface Written {
  readonly read: (path: string, text: string) => unknown;
  readonly document: string;
}

const files: Readonly<Record<string, Written>> = {
  operators: {
    read: parseOperators,
    document: 'operators: [{ name: ada, chat: [U0123], callers: ["key:ada"], may: [{ project: shop }] }]',
  },
  chat: {
    read: readChatSettings,
    document:
      '{ kind: slack, channel: C0123456789, token_file: token, signing_secret_file: secret, api: https://slack.example.com }',
  },
  keys: {
    read: (path) => loadApiKeys(path, tools),
    document: `keys: [{ name: ann, sha256: [${'0'.repeat(64)}], level: deploy, read_only: true }]`,
  },
  policy: {
    read: (path, text) => parsePolicy(path, text, tools),
    document:
      '{ read_only: true, deny: [{ tool: [stop_environment], project: shop }], unattended: [disruptive], max_disruptive_per_hour: 5, freeze: [{ cron: 0 0 * * *, time_zone: UTC, duration: PT1H }] }',
  },
  clusters: {
    read: async (clustersFile) =>
      describeClusters(
        { engine: '', engineTlsDir: undefined, domain: 'localhost', clustersFile },
        await engineProvider(),
      ),
    document:
      '{ clusters: { one: { engine: "unix:///nowhere.sock", proxy: { http_port: 80 }, limits: { cpu: 5 } } }, registries: { own: { url: "https://registry.example.com" } }, git: { code.example.com: { private: true } } }',
  },
  profiles: {
    read: (path) => chosenProfile('stdio', {}, { INFRA_PROFILES_FILE: path, INFRA_PROFILE: 'a' }),
    document: 'profiles: { a: { read-only: true, project: [shop] } }',
  },
  faults: {
    read: parseFaults,
    document: 'faults: [{ name: a, effect: latency, latency_ms: 5, operation: [list_projects], probability: 1 }]',
  },
  prompts: {
    read: (_, text) => parsePrompt('deploy', `---\n${text}\n---\nDo {{it}}.`),
    document: '{ title: A, description: B, arguments: { it: { description: C, required: true } }, prefetch: [] }',
  },
};

const wrongValues: readonly unknown[] = [null, 5, -1, true, '', 'words of a person', [], [5], {}, { unknown: 1 }];

/** A document with each of its parts wrong in each way, left out, or under another name. */
function* wrongly(value: unknown): Generator {
  yield* wrongValues;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const wrong of wrongly(item)) yield value.with(index, wrong) as unknown;
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...others } = value as Record<string, unknown>;
      yield others;
      yield { ...others, [`${name}s`]: member };
      for (const wrong of wrongly(member)) yield { ...others, [name]: wrong };
    }
  }
}

/** Words that the schema library has and the program never says. */
const ofLibrary =
  /\bInvalid (?:input|option|key|string|value)|\bexpected\b|\breceived\b|\bToo (?:small|big)\b|Unrecognized|✖/;

test.each(Object.entries(files))(
  'no fault in a file of %s is told in words of a library',
  async (_, { read, document }) => {
    const path = join(await temporaryDirectory(), 'written.yaml');
    const refusals: string[] = [];
    for (const wrong of wrongly(parse(document))) {
      const text = JSON.stringify(wrong);
      await writeFile(path, text, { mode: 0o600 });
      try {
        await read(path, text);
      } catch (error) {
        expect(error, text).not.toBeInstanceOf(TypeError);
        refusals.push((error as Error).message);
      }
    }
    expect(refusals.length).toBeGreaterThan(wrongValues.length / 2);
    expect(refusals.filter((refusal) => ofLibrary.test(refusal))).toEqual([]);
  },
);
