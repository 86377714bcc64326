import * as fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { approveCommand } from '../../src/cli/commands/approve.ts';
import { wrappedFacts } from '../../src/cli/terminal/lines.ts';
import { approvalsPathsAt } from '../../src/transport/http/console/page-frame.ts';
import { waitingCalls } from '../../src/transport/http/approvals/pages.ts';
import { tools } from '../../tools/index.ts';
import { approvalCodeIn, openGuardFixture, type GuardFixture } from '../support/guard-fixture.ts';
import { startGuardedServer } from '../support/guarded-server.ts';
import { failureIn, textOf, userAnswering } from '../support/mcp-clients.ts';
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts';
import { takenBy, textPlaces, type TextPlace } from '../support/text-places.ts';
import { toolCallsOn } from '../support/tool-calls.ts';
import { isLanding } from '../suites.ts';

/**
 * Every text that a call sends stands in the question whole: in the form, on the page, in the terminal and in a dry
 * run.
 */

const changing = tools.filter(({ operation }) => operation.effect !== 'read');

let platform: TestPlatform;
let guard: GuardFixture;
let server: Awaited<ReturnType<typeof startGuardedServer>>;
let asking: Awaited<ReturnType<(typeof server)['connect']>>;
const user = userAnswering(() => ({ action: 'decline' }));

beforeAll(async () => {
  platform = await startTestPlatform();
  guard = await openGuardFixture({ operator: true });
  server = await startGuardedServer(platform, { guard, mode: 'PRODUCTION' });
  asking = await server.connect({ user });
});
beforeEach(() => guard.dropWaiting());
afterEach(() => expect(server.proxy.writes()).toEqual([]));
afterAll(async () => {
  await server.close();
  await guard.close();
  await platform.close();
});

/** A text at a place. */
interface Sent {
  readonly place: TextPlace;
  readonly text: string;
}

/** What terminals act on, and what nobody sees. */
const parts = [
  'echo ready',
  'token=evil1234567',
  'Aa1Aa1Aa1Aa1Aa1Aa1',
  'curl ',
  'rm -rf /data;',
  '"',
  '\\',
  '<b>',
  '</pre>',
  '<!--',
  '[x](y)',
  '&lt;',
  '\u00A0',
  '\uE000',
  '\u200B',
  '\u2066',
  '\u{E0061}',
  '\u00AD',
  'é',
  '\n',
  '\t',
];
const sequences = [
  '\u001B]0;',
  '\u0007',
  '\u001B[',
  '\u001B[31m',
  '\u009D',
  '\u009C',
  '\u009B',
  '\u001B\\',
  '\u0000',
  '\b',
  '\r',
  '\r\n',
  '\u007F',
];
const textsOf = (all: readonly string[]) =>
  fc.array(fc.constantFrom(...all), { minLength: 1, maxLength: 8 }).map((chosen) => `a${chosen.join('')}z`);

/** The worst text for a place. @param mark tells it from other texts. */
const worstFor = ({ isFree }: TextPlace, mark: number): string =>
  isFree
    ? `a${mark} echo ready\u001B]0;rm -rf /data;\u0007 \u001B[curl \u009Dx\u009C\u0000\r\u200Bz`
    : `a${mark} echo ready\u200B rm -rf "x" \u2066<b>z`;

/** The first of these that a place takes: some want a word. */
const fitting = (place: TextPlace, text: string, mark: number): Sent[] => {
  const taken = takenBy(place, [text, `a${mark}\u200Bz`, `a${mark}z`]);
  return taken === undefined ? [] : [{ place, text: taken }];
};

// oxlint-disable-next-line no-control-regex
const unseen = /(?![\n\t])\p{Cc}|\p{Cf}|\p{Default_Ignorable_Code_Point}|(?! )\p{Zs}|\p{Co}|\p{Cn}/u;
const beginsMarkup = /<(?=[a-z/!])|(?<=\])\(|&(?=\w+;)/;

/** A text as it should be shown. */
const writtenOut = (text: string): string =>
  text.replaceAll(
    new RegExp(`${unseen.source}|${beginsMarkup.source}`, 'gu'),
    (character) => `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`,
  );

/** The forms in which a text may stand in a plan: as it is, or quoted, or in an address. */
const formsOf = (text: string): readonly string[] => [
  writtenOut(text),
  JSON.stringify(writtenOut(text)).slice(1, -1),
  writtenOut(JSON.stringify(text).slice(1, -1)),
  encodeURIComponent(text),
];

const decoded = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

/** A terminal in which nobody agrees, and what it showed. */
async function inTerminal(code: string): Promise<string> {
  let seen = '';
  const write = (text: string): void => void (seen += text);
  await approveCommand(
    guard.config,
    code,
    {},
    { isInteractive: true, write, ask: async () => 'no', askHidden: async () => '' },
  ).catch(() => undefined);
  return seen;
}

const squeezed = (text: string): string => text.replaceAll(/\s/g, '');

const argsOf = (texts: readonly Sent[]): Record<string, unknown> => {
  const [first] = texts;
  return Object.assign(
    {},
    first!.place.argsWith(first!.text),
    ...texts.map(({ place, text }) => ({ [place.member]: place.argsWith(text)[place.member] })),
  ) as Record<string, unknown>;
};

/** Of secrets the mark is shown; .env text becomes variables, and only some of them are secrets. */
const formsShown = ({ place: { isSecret }, text }: Sent): readonly string[] =>
  isSecret && !text.startsWith('PLAIN=')
    ? ['[hidden']
    : formsOf(text.replace(/^PLAIN=/, '').split(isSecret ? /[\r\n]/ : /$^/)[0]!);

const asciiHost = /"(?<ascii>[^"\s]*xn--[^"\s]*)" is given as (?<given>\S+?)[.,;]?(?=\s|$)/g;

/** What is shown, with each host as it was given that is shown in ASCII and explained. */
const asGiven = (shown: string): string =>
  [...shown.matchAll(asciiHost)].reduce(
    (text, { groups }) => text.replaceAll(groups!['ascii']!, groups!['given']!),
    shown,
  );

/** Expects texts of one call in everything that shows it. @returns whether somebody was asked. */
async function areShown(name: string, texts: readonly Sent[]): Promise<boolean> {
  const args = argsOf(texts);
  user.questions.splice(0);
  const declined = await asking.call(name, args);
  if (user.questions.length === 0 && failureIn(declined)?.kind !== 'pending') return false;
  const code = approvalCodeIn(textOf(await server.call(name, args)));
  const pending = (await guard.waiting()).find((one) => one.code === code);
  const page = decoded(
    waitingCalls([pending!], {
      operator: { formToken: '' } as never,
      paths: approvalsPathsAt(''),
      now: 0,
      showsWholePlans: true,
    }).markup,
  );
  const terminal = await inTerminal(code);
  await guard.dropWaiting();
  const dry = textOf(await server.call(name, { ...args, dry_run: true }));
  const shownIn = {
    page,
    terminal,
    ...(user.questions[0] && { form: user.questions[0].message }),
    ...(!/more characters\)|more lines/.test(dry) && { 'dry run': dry }),
  };
  for (const [where, shown] of Object.entries(shownIn)) {
    const missing = texts.filter(
      (sent) => !formsShown(sent).some((form) => shown.includes(form) || asGiven(shown).includes(form)),
    );
    expect(
      missing.map(({ place: { path }, text }) => `${path}: ${JSON.stringify(text)}`),
      `${name}, ${where}: ${shown}`,
    ).toEqual([]);
    expect(shown).not.toMatch(unseen);
  }
  const narrow = wrappedFacts(terminal, { isTTY: true, columns: 40 } as NodeJS.WriteStream);
  expect(squeezed(narrow)).toBe(squeezed(terminal));
  return true;
}

/** The places whose text somebody was asked about. */
const asked = new Set<string>();

/** Puts texts of several arguments into one call where it takes them together, and otherwise into one each. */
async function expectShown(name: string, texts: readonly Sent[]): Promise<void> {
  if (texts.length === 0) return;
  const isAsked = await areShown(name, texts);
  if (isAsked) for (const { place } of texts) asked.add(`${name} ${place.path}`);
  else if (texts.length > 1) for (const one of texts) await expectShown(name, [one]);
}

const columnsOf = (rows: readonly (readonly TextPlace[])[]): TextPlace[][] =>
  Array.from({ length: Math.max(0, ...rows.map(({ length }) => length)) }, (_, column) =>
    rows.flatMap((row) => row[column] ?? []),
  );

/** Places whose text has to be asked about: each sort of text, at one of the tools that take it. */
const sortsOfText: readonly (readonly [sort: string, place: string])[] = [
  ['arguments', 'update_container arguments[]'],
  ['entrypoints', 'update_container entrypoint'],
  ['variables', 'create_environment_variable value'],
  ['several variables', 'set_environment_variables variables.*'],
  ['.env text', 'set_environment_variables env_text'],
  ['git addresses', 'update_application git_repository.url'],
  ['branches', 'update_application git_repository.branch'],
  ['image names', 'update_container image_name'],
  ['probes', 'update_container healthchecks.readiness_probe.type.exec.command[]'],
  ['paths', 'update_container ports[].public_path'],
  ['Helm values', 'update_helm values_override.file.raw.values[].content'],
  ['Helm pairs', 'update_helm values_override.set[][]'],
  ['job commands', 'update_job schedule.cronjob.arguments[]'],
  ['webhook addresses', 'create_webhook target_url'],
  ['PromQL', 'update_alert_rule condition.promql'],
  ['billing', 'update_billing_info address'],
  ['reasons', 'lock_cluster reason'],
];

// What lies in no environment yet, or is used by no service yet, is asked about by nobody.
const placeless = ['create_project', 'create_environment', 'create_labels_group', 'create_annotations_group'];
/** Before a landing, the tools that take each sort of text. */
const tried = new Set(
  isLanding ? sortsOfText.map(([, place]) => place.split(' ')[0]!) : changing.map(({ name }) => name),
);

test.each([...tried].filter((name) => !placeless.includes(name)))('every text of %s is shown whole', async (name) => {
  const places = textPlaces(
    tools.find((one) => one.name === name)!,
    toolCallsOn(platform)[name]!(),
  );
  const calls = columnsOf([...Map.groupBy(places, ({ member }) => member).values()]);
  for (const together of calls)
    await expectShown(
      name,
      together.flatMap((place, mark) => fitting(place, worstFor(place, mark), mark)),
    );
  if (calls.length === 0) return;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...calls),
      fc.array(textsOf(parts), { minLength: 60, maxLength: 60 }),
      fc.array(textsOf([...parts, ...sequences]), { minLength: 60, maxLength: 60 }),
      async (together, plain, free) =>
        expectShown(
          name,
          together.flatMap((place, mark) => fitting(place, `${(place.isFree ? free : plain)[mark]!}${mark}`, mark)),
        ),
    ),
    { numRuns: 3 },
  );
});

describe('what was looked at', () => {
  test.each(sortsOfText)('has %s', (_, place) => expect(asked).toContain(place));
});
