import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chosen, type Choice, DIFFERENCES, type DifferenceName } from '../other-platform/differences.ts';
import { type Asked, everything } from './calls.ts';
import { type ForeignServer, startForeignServer } from './foreign-server.ts';
import { type TouchedCall, touchedCalls, withNeeds } from './touched.ts';

// Each call finds what the ones before it left.

/**
 * Set it to true to measure the table again: after calls, differences or tools were changed. It takes a quarter of an
 * hour and more, on an idle machine: on a busy one calls are taken for touched that aren't.
 */
const isRewriting = process.env['REWRITE_TOUCHED'] === 'true';

type Needs = Readonly<Record<string, Pick<TouchedCall, 'needs'> | undefined>>;

const names = Object.keys(DIFFERENCES) as DifferenceName[];

async function onServer<Result>(differences: Choice, use: (server: ForeignServer) => Promise<Result>): Promise<Result> {
  const server = await startForeignServer(differences);
  try {
    return await use(server);
  } finally {
    await server.close();
  }
}

const passing = /\d{4}-\d\d-\d\dT[\d:.]+Z|[\da-f]{8}-[\da-f-]{27}|"\w*(?:duration|progress)\w*\\?":[\d.]+/g;

/**
 * The requests that belong to a call, and their answers, without times and ids: those of one call are the same each
 * time.
 */
const exchanged = (server: ForeignServer, from: number): string =>
  [...new Set(server.platform.requests.slice(from).map((exchange) => JSON.stringify(exchange).replaceAll(passing, '')))]
    .toSorted()
    .join('\n');

/** What is exchanged with the platform for each call that is made with these differences. */
const exchangesWith = (differences: Choice): Promise<ReadonlyMap<string, string>> =>
  onServer(differences, async (server) => {
    const found = new Map<string, string>();
    for (const asked of everything.filter(({ isMade }) => isMade(server))) {
      const from = server.platform.requests.length;
      await asked.problems(server);
      found.set(asked.label, exchanged(server, from));
    }
    return found;
  });

/** Whether a call is right when only these, and nothing else before, are made. */
const isRight = (labels: ReadonlySet<string>, asked: Asked, differences: Choice): Promise<boolean> =>
  onServer(differences, async (server) => {
    for (const before of everything.slice(0, everything.indexOf(asked)))
      if (labels.has(before.label) && before.isMade(server)) await before.problems(server).catch(() => []);
    return (await asked.problems(server).catch(() => ['threw'])).length === 0;
  });

/** What a call that is wrong by itself needs: the nearest earlier one with which it is right, or all of them. */
async function neededBy(
  asked: Asked,
  differences: Choice,
  known: Needs,
  given: readonly string[] = [],
): Promise<readonly string[]> {
  const earlier = everything
    .slice(0, everything.indexOf(asked))
    .filter(({ tool }) => tool !== undefined)
    .map(({ label }) => label);
  for (const label of earlier.toReversed())
    if (await isRight(withNeeds([...given, label], known), asked, differences)) return [...given, label];
  return earlier;
}

/** The earlier calls without which each is wrong where nothing is different, or everything if it isn't made there. */
async function measureNeeds(): Promise<Record<string, Pick<TouchedCall, 'needs'>>> {
  const known: Record<string, Pick<TouchedCall, 'needs'>> = {};
  for (const asked of everything) {
    const differences: Choice = asked.isMade({ on: chosen('none') }) ? 'none' : 'all';
    known[asked.label] = {
      needs: (await isRight(new Set(), asked, differences)) ? [] : await neededBy(asked, differences, known),
    };
  }
  return known;
}

/** Completes what calls need by what they need with each difference that touches them. */
async function completeNeeds(table: Record<string, TouchedCall>): Promise<Record<string, TouchedCall>> {
  for (const name of names) {
    const touched = everything.filter(
      ({ label, isMade }) => table[label]!.touchedBy.includes(name) && isMade({ on: chosen({ [name]: true }) }),
    );
    for (const asked of touched) {
      const { needs, touchedBy } = table[asked.label]!;
      if (await isRight(withNeeds(needs, table), asked, { [name]: true })) continue;
      table[asked.label] = { touchedBy, needs: await neededBy(asked, { [name]: true }, table, needs) };
    }
  }
  return table;
}

async function measure(): Promise<Readonly<Record<string, TouchedCall>>> {
  // One after another: what is measured beside others shows more or fewer states on the way.
  const usual: ReadonlyMap<string, string>[] = [];
  for (let run = 0; run < 4; run += 1) usual.push(await exchangesWith('none'));
  const different: (readonly [DifferenceName, ReadonlyMap<string, string>])[] = [];
  for (const name of names) different.push([name, await exchangesWith({ [name]: true })]);
  const needs = await measureNeeds();
  const isUsual = (label: string, exchange: string): boolean => usual.some((found) => found.get(label) === exchange);
  return completeNeeds(
    Object.fromEntries(
      everything.map(({ label }) => [
        label,
        {
          touchedBy: different
            .filter(([, found]) => found.has(label) && !isUsual(label, found.get(label)!))
            .map(([name]) => name),
          needs: needs[label]!.needs,
        },
      ]),
    ),
  );
}

const oneLineEach = (table: Readonly<Record<string, TouchedCall>>): string =>
  `{\n${Object.entries(table)
    .map(([label, call]) => `  ${JSON.stringify(label)}: ${JSON.stringify(call)}`)
    .join(',\n')}\n}\n`;

describe('the table of the calls that a difference touches', () => {
  test.runIf(isRewriting)(
    'is measured',
    async () => {
      await writeFile(join(import.meta.dirname, 'touched-calls.json'), oneLineEach(await measure()));
    },
    3_600_000,
  );

  test.skipIf(isRewriting)('names calls and differences that there are, and every difference touches one', () => {
    const labels = everything.map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
    const known = Object.values(touchedCalls).filter((call) => call !== undefined);
    expect(
      Object.keys(touchedCalls)
        .concat(known.flatMap(({ needs }) => needs))
        .filter((label) => !labels.includes(label)),
    ).toEqual([]);
    const touching = new Set(known.flatMap(({ touchedBy }) => touchedBy));
    expect([...touching].toSorted()).toEqual(names.toSorted());
  });
});
