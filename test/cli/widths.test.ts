import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { approvalsConfigOf } from '../../src/cli/wiring/guard.ts';
import { readConfig } from '../../src/cli/config/index.ts';
import { createApprovals } from '../../src/server/guard/index.ts';
import { startOtherPlatform } from '../other-platform/start.ts';
import { approvalRequest } from '../server/guard/approvals/approvals-fixture.ts';
import { runProgram, temporaryDirectory } from '../support/built-program.ts';
import { makesTerminals, shownInTerminal } from './pseudo-terminal.ts';

/** A command, and what prepares the environment that it runs in. */
interface Case {
  readonly name: string;
  readonly args: readonly string[];
  /** What it prints is compared with a snapshot. */
  readonly hasSnapshot: boolean;
  readonly prepare?: () => Promise<Record<string, string>>;
}

const sealed = (entry: object): string =>
  `${JSON.stringify({ chain: '1-abc', ...entry }).slice(0, -1)},"mac":"${'A'.repeat(43)}"}\n`;

const target = { kind: 'environment', id: 'e-1', mode: 'PRODUCTION' };

/** A log of calls, with names that are long, wide or hostile. */
async function recordedCalls(): Promise<Record<string, string>> {
  const dataDir = await temporaryDirectory();
  const calls = [
    {
      at: '2026-03-01T10:00:00.123Z',
      who: 'ann',
      tool: 'stop_environment',
      tier: 'destructive',
      target: { ...target, path: 'shop/production' },
      confirmed: 'elicited',
      outcome: 'done',
      duration_ms: 1234,
    },
    {
      at: '2026-03-01T10:05:07.004Z',
      who: 'release-pipeline-of-the-shop',
      tool: 'override_environment_variable',
      tier: 'disruptive',
      target: { ...target, path: '店/本番 e\u0301' },
      outcome: 'refused',
      why: 'somebody has to agree to this first, and nobody can be asked',
      duration_ms: 3,
    },
    {
      at: '2026-03-01T10:06:00.000Z',
      who: 'eve\u001B[2J\r\u202E',
      tool: 'get_application_logs',
      tier: 'read',
      target: { ...target, kind: 'application' },
      outcome: 'done',
      duration_ms: 20,
    },
  ];
  const lines = calls.map((call, index) =>
    sealed({ seq: index + 1, kind: 'outcome', request_id: String(index), connection: 'stdio', ...call }),
  );
  await writeFile(join(dataDir, 'audit.jsonl'), lines.join(''));
  return { INFRA_DATA_DIR: dataDir };
}

/** Calls that wait for approval. */
async function waitingCalls(): Promise<Record<string, string>> {
  const dataDir = await temporaryDirectory();
  const approvals = approvalsConfigOf(readConfig('approve', { dataDir }, {}).config);
  for (const identity of ['ann', 'release-pipeline-of-the-shop'])
    await createApprovals(approvals).ask(
      approvalRequest({ call: `call of ${identity}`, identity, principal: identity }),
      Date.now(),
    );
  await approvals.store.close();
  return { INFRA_DATA_DIR: dataDir };
}

const elsewhere = async (more: Record<string, string>): Promise<Record<string, string>> => ({
  INFRA_DATA_DIR: await temporaryDirectory(),
  ...more,
});

/** A platform that has little: what is found on it stays the same. */
let smallPlatform: string;
beforeAll(async () => {
  const answers: Readonly<Record<string, object>> = {
    '/organization': { results: [{ id: '0b9d3c1e-5f0a-4c3e-9d55-0a6c1b2f3d4e', name: 'Acme' }] },
  };
  const server = createServer((request, response) => {
    const answer = answers[request.url!.split('?')[0]!];
    response
      .writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer ?? { message: 'no such page' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  smallPlatform = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return () => void server.close();
});

let otherPlatform: Record<string, string>;
beforeAll(async () => {
  const platform = await startOtherPlatform({ differences: 'all', token: 'a-token' });
  otherPlatform = { INFRA_BASE_URL: platform.url, INFRA_API_TOKEN: 'a-token', INFRA_ORGANIZATION: 'Harbour' };
  return () => platform.close();
});

const cases: readonly Case[] = [
  // All the tools would change the snapshot whenever a tool is added.
  { name: 'tools of two toolsets', args: ['tools', '--toolsets', 'clusters,alerts'], hasSnapshot: true },
  { name: 'tools', args: ['tools'], hasSnapshot: false },
  { name: 'tools list_services', args: ['tools', 'list_services'], hasSnapshot: true },
  { name: 'doctor', args: ['doctor'], hasSnapshot: true },
  {
    name: 'doctor with problems',
    args: ['doctor'],
    hasSnapshot: true,
    prepare: () =>
      elsewhere({
        INFRA_BASE_URL: 'https://127.0.0.1:1',
        INFRA_API_TOKEN: 'x',
        INFRA_POLICY_FILE: '/no/such/policy.yaml',
      }),
  },
  { name: 'doctor --verbose', args: ['doctor', '--verbose'], hasSnapshot: false },
  {
    name: 'doctor --platform',
    args: ['doctor', '--platform', '--tools', 'list_projects,list_clusters,list_environments,get_api_budget'],
    hasSnapshot: true,
    prepare: () => elsewhere({ INFRA_BASE_URL: smallPlatform, INFRA_API_TOKEN: 'a-token' }),
  },
  {
    name: 'doctor --platform --verbose',
    args: ['doctor', '--platform', '--verbose'],
    hasSnapshot: false,
    prepare: () => elsewhere(otherPlatform),
  },
  { name: 'audit show', args: ['audit', 'show'], hasSnapshot: true, prepare: recordedCalls },
  { name: 'approve', args: ['approve'], hasSnapshot: true, prepare: waitingCalls },
];

const wordsOf = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** Times, which are short where there is little room. */
const isTime = (word: string): boolean =>
  /^(?:in|ago|\d+|s|min|h|d|\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?|\d\d:\d\dZ)$/.test(word);

/**
 * What differs from run to run, or with every option that is added, and what stands in its place: as wide, so that
 * lines stay.
 */
const varying: readonly (readonly [RegExp, string])[] = [
  [/\b[2-9A-Z]{4}-[2-9A-Z]{4}\b/g, 'CODE-CODE'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-01-01T00:00:00.000Z'],
  [/(?<=\bNode )\d+\.\d+\.\d+/g, '00.00.0'],
  [/(?<=infra-mcp )\d+\.\d+\.\d+/g, '0.0.0'],
  [/\d+(?= checks found)/g, '0'],
  [/(?<=of )\d+(?=\s+options)/g, '00'],
];

const constant = (text: string): string =>
  varying.reduce((changed, [pattern, instead]) => changed.replaceAll(pattern, instead), text);

/** How many columns lines of wide characters take: those of this file are of two columns, and the accent of none. */
const widthOf = (line: string): number =>
  Array.from(line.replaceAll('\u0301', '')).reduce(
    (sum, character) => sum + (/[\u3000-\u9FFF]/.test(character) ? 2 : 1),
    0,
  );

describe.skipIf(!makesTerminals).each(cases)('$name', ({ name, args, prepare = () => elsewhere({}), hasSnapshot }) => {
  test.each([60, 80, 140])('fits into %i columns, with every word whole, and none lost', async (width) => {
    const env = await prepare();
    const [{ lines }, whole] = [
      await shownInTerminal(args, { ...env, NO_COLOR: '1' }, width),
      await runProgram(args, env),
    ];
    const shown = wordsOf(lines.join('\n'));
    const words = wordsOf(whole.stdout);
    expect(words.length).toBeGreaterThan(10);
    // A single word, as an address, is left whole, so that it can be copied.
    expect(lines.filter((line) => widthOf(line) > width && line.trim().includes(' '))).toEqual([]);
    // In a stack, headings stand before their values.
    expect(
      shown.filter(
        (word) =>
          !isTime(word) &&
          !words.includes(word) &&
          !words.includes(word.replace(/:$/, '')) &&
          !/^(?:on|production:|token|needs:|API|doc:)$/.test(word),
      ),
    ).toEqual([]);
    // The first line of each table: a stack has those of its columns that have something in them.
    const headings = wordsOf(
      whole.stdout
        .split('\n')
        .filter((_, index, all) => index === 0 || all[index - 1] === '')
        .join(' '),
    );
    expect(words.filter((word) => !isTime(word) && !headings.includes(word) && !shown.includes(word))).toEqual([]);
    if (hasSnapshot)
      await expect(`${constant(stripVTControlCharacters(lines.join('\n'))).trimEnd()}\n`).toMatchFileSnapshot(
        `__snapshots__/widths/${name.replaceAll(/[ -]+/g, '-')}.${width}.txt`,
      );
  });
});

describe.skipIf(!makesTerminals)('a help text', () => {
  test.each([60, 80, 90, 100, 110, 140])('breaks no line of %i columns for a link, wherever it fits', async (width) => {
    const { lines } = await shownInTerminal(['http', '--help'], {}, width);
    const links = lines.filter((line) => line.includes('https://'));
    expect(links.length).toBeGreaterThan(2);
    const leastIndent = 6;
    expect(lines.filter((line) => line.length > width && line.trim().length + leastIndent <= width)).toEqual([]);
    expect(lines.filter((line) => line.length > width && line.trim().includes(' '))).toEqual([]);
  });
});
