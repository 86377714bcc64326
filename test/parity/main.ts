/**
 * Compares the embedded platform with another one: what each read answers and, with --write, some changes. Prints
 * shapes, never values. Exits with 1 if there are differences.
 */
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { removeTemporaryDirectory, temporaryDirectory } from '../../scripts/temporary-directory.ts';
import { columns } from '../../src/cli/terminal/columns.ts';
import { startPlatform } from '../../src/platform/index.ts';
import { changeEverything } from './changes.ts';
import { differencesBetween, notCompared, type Difference } from './compare.ts';
import { readEverything, type ComparedPlatform } from './exchanges.ts';

const usage = 'npm run parity -- --base-url https://api.example.com --token-file token [--write] [--json]';

const asHeader = (token: string): string => (/^(?:Token|Bearer) /.test(token) ? token : `Token ${token}`);

const row = ({ path, member, embedded, other }: Difference): string[] => [path, member, embedded, other];

/** Runs a comparison with an embedded platform of its own, which is removed afterwards. */
async function withEmbedded<Result>(use: (platform: ComparedPlatform) => Promise<Result>): Promise<Result> {
  const dataDir = await temporaryDirectory('infra-mcp-parity-');
  const token = randomBytes(16).toString('hex');
  const platform = await startPlatform({ dataDir, token, rateLimit: 100_000, timeScale: 0 });
  try {
    return await use({ url: platform.url, authorization: `Token ${token}` });
  } finally {
    await platform.close();
    removeTemporaryDirectory(dataDir);
  }
}

const { values } = parseArgs({
  options: {
    'base-url': { type: 'string' },
    'token-file': { type: 'string' },
    write: { type: 'boolean' },
    json: { type: 'boolean' },
  },
});
const { 'base-url': baseUrl, 'token-file': tokenFile, write, json } = values;
if (baseUrl === undefined || tokenFile === undefined)
  throw new Error(`Give the address and the token of the other platform: ${usage}`);
const other: ComparedPlatform = {
  url: baseUrl.replace(/\/+$/, ''),
  authorization: asHeader((await readFile(tokenFile, 'utf8')).trim()),
};

const report = await withEmbedded(async (embedded) => {
  const reads = [await readEverything(embedded), await readEverything(other)] as const;
  const name = `parity-${randomBytes(4).toString('hex')}`;
  const changes = write
    ? ([await changeEverything(embedded, name), await changeEverything(other, name)] as const)
    : undefined;
  const changed = changes?.map(({ exchanges }) => exchanges) ?? [[], []];
  return {
    differences: [...differencesBetween(...reads), ...differencesBetween(changed[0]!, changed[1]!)],
    compared: reads[0].length + changed[0]!.length,
    not_compared: [...notCompared(...reads), ...notCompared(changed[0]!, changed[1]!)],
    left_over: changes?.[1].leftOver,
  };
});

const text = (): string =>
  [
    columns(['request', 'member', 'embedded', 'other'], report.differences.map(row)),
    `Differences: ${report.differences.length}, in ${report.compared - report.not_compared.length} requests that both answered.`,
    ...(report.not_compared.length > 0
      ? [`Not compared, because one of the two has no resource for it: ${report.not_compared.join(', ')}.`]
      : []),
    ...(report.left_over === undefined
      ? []
      : [`The project ${report.left_over} could not be removed there: remove it yourself.`]),
    '',
  ].join('\n');

if (report.differences.length > 0) process.exitCode = 1;
process.stdout.write(json ? `${JSON.stringify(report)}\n` : text());
