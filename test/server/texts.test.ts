import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Policy, policyFileFor, listed } from '../../src/server/guard/index.ts';
import { highRisks } from '../../src/server/guard/risk/risk.ts';
import { instructions } from '../../src/server/protocol/index.ts';
import type { JsonSchema } from '../../src/server/json/index.ts';
import { naming, orElse, visibleText, toolAnswerSchema, toolArgumentSchema } from '../../src/server/tool/index.ts';
import { resourceAt, allResources } from '../../src/server/browse/resources/catalog.ts';
import { isPlatformResource } from '../../src/server/browse/index.ts';
import { textsIn } from '../../src/server/browse/texts.ts';
import { KeyEntry } from '../../src/transport/http/api-keys.ts';
import { tools } from '../../tools/index.ts';

const root = join(import.meta.dirname, '../..');

/** A text that models or users read, and where it stands. */
interface Text {
  readonly at: string;
  readonly text: string;
}

/** Every member that a schema prints, at any depth. */
function membersOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(membersOf);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === 'properties' ? [...Object.keys(value as object), ...membersOf(value)] : membersOf(value),
  );
}

/** Under which tools take every argument that they ever take. */
const everything: Policy = {
  readOnly: false,
  rules: [{ deny: [], freezes: [], unattended: { tiers: highRisks, tools: [] }, valueFromEnv: ['ANY'] }],
};

const toolNames = tools.map(({ name }) => name);
const argumentsOf = (name: string): string[] =>
  membersOf(
    listed(
      tools.find((tool) => tool.name === name)!,
      everything,
    ).inputSchema,
  );
const taken = tools.flatMap((tool) => [
  ...membersOf(listed(tool, everything).inputSchema),
  ...membersOf(toolArgumentSchema(tool)),
]);
const given = tools.flatMap((tool) => membersOf(toolAnswerSchema(tool)));
const known = new Set([
  ...toolNames,
  ...taken,
  ...given,
  ...Object.keys(policyFileFor(tools).shape),
  ...Object.keys(KeyEntry.shape),
  ...allResources.map(({ name }) => name),
]);

const filesIn = (folder: string, ending: string): Text[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => ({ at: join(folder, name), text: readFileSync(join(root, folder, name), 'utf8') }));

const isForMachines = (text: string): boolean =>
  /\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|PRAGMA|WHERE|DESC)\b|[=<>] \?|<\w+ \w+=/.test(text);

/**
 * What quotation marks stand in without quoting: comments and regular expressions, and imports, which quote nothing
 * that is said.
 */
const unquoted = /^\s*(?:\/\*[\s\S]*?\*\/|\/\/.*)|^import .*$|(?<=[=(,:] )\/(?:[^/\\\n]|\\.)+\/[a-z]*/gm;

/** The literals of a source that are sentences: what is said to somebody. */
const sentencesIn = ({ at, text }: Text): Text[] =>
  [...text.replaceAll(unquoted, '').matchAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g)]
    .map(([literal]) => literal.replaceAll(/\$\{[^}]*\}/g, '{x}'))
    .filter((literal) => /\w \w/.test(literal) && !isForMachines(literal))
    .map((literal) => ({ at, text: literal }));

const descriptions: Text[] = tools.map((tool) => ({
  at: tool.name,
  text: [
    visibleText(tool.description, []),
    typeof tool.next === 'function' ? '' : visibleText(tool.next ?? '', []),
    ...descriptionsIn(listed(tool).inputSchema),
  ].join(' '),
}));

function descriptionsIn(node: JsonSchema): string[] {
  const inner = [...Object.values(node.properties ?? {}), ...(node.items ? [node.items] : []), ...(node.anyOf ?? [])];
  return [...(node.description === undefined ? [] : [node.description]), ...inner.flatMap(descriptionsIn)];
}

const guides: Text[] = [...filesIn('skills', '.md'), ...filesIn('prompts', '.md')];
const instructed: Text[] = [true, false].map((readOnly) => ({ at: 'instructions', text: instructions({ readOnly }) }));
const sources: Text[] = ['src/server/tool', 'src/client', 'src/transport', 'tools'].flatMap((folder) =>
  filesIn(folder, '.ts'),
);
const said: Text[] = sources.flatMap(sentencesIn);
const resourceTexts: Text[] = allResources.map(({ name, title, description }) => ({
  at: name,
  text: `${title} ${description}`,
}));

const everyText = [...descriptions, ...guides, ...instructed, ...said, ...resourceTexts];

const prompts = [...(await textsIn(root).prompts()).values()];
const own = new Set(prompts.flatMap(({ arguments: taking }) => Object.keys(taking)));

const isKnown = (name: string): boolean => known.has(name) || own.has(name);

const isRead = (uri: string): boolean =>
  allResources.some((resource) => resource.uri === uri) ||
  resourceAt(uri.replaceAll(/\{\+?(\w+)\}/g, '$1')) !== undefined;

const namesIn = (text: string): string[] => text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];

describe('what texts name is there:', () => {
  test('every tool, resource and argument', () => {
    const unknown = everyText.flatMap(({ at, text }) =>
      namesIn(text)
        .filter((name) => !isKnown(name))
        .map((name) => `${name} in ${at}`),
    );
    expect(unknown).toEqual([]);
  });

  test('every tool and argument that a skill or prompt puts in backquotes', () => {
    const quoted = guides.flatMap(({ at, text }) =>
      [...text.matchAll(/`(\w+)(?:: [^`]*)?`/g)].map(([, name]) => ({ at, name: name! })),
    );
    expect(quoted.length).toBeGreaterThan(50);
    expect(quoted.filter(({ name }) => !toolNames.includes(name) && !taken.includes(name))).toEqual([]);
  });

  test('every argument of the very tool that it is given to', () => {
    const uses = guides.flatMap(({ at, text }) =>
      text
        .split('. ')
        .flatMap((sentence) =>
          [...sentence.matchAll(/`(\w+)`,? (?:with|and) (?:the )?`(\w+)[`:]/g)].map(([, tool, argument]) => ({
            at,
            tool: tool!,
            argument: argument!,
          })),
        ),
    );
    expect(uses.length).toBeGreaterThan(8);
    expect(
      uses.filter(({ tool, argument }) => !toolNames.includes(argument) && !argumentsOf(tool).includes(argument)),
    ).toEqual([]);
  });

  test('every resource, by its address', () => {
    const addresses = everyText.flatMap(({ at, text }) =>
      [...text.matchAll(/infra:\/\/[\w/%{}<>-]+/g)].map(([uri]) => ({ at, uri })),
    );
    // With <angles> it is the form of an address.
    expect(addresses.filter(({ uri }) => !uri.includes('<') && !isRead(uri))).toEqual([]);
  });

  test('every resource or tool that a prompt reads, with the variables it has', () => {
    const reads = prompts.flatMap(({ name, arguments: taking, prefetch }) =>
      prefetch.map((one) => ({ name, taking, ...one })),
    );
    const wrong = reads.filter(({ taking, source, given: wanted }) => {
      const tool =
        allResources.filter(isPlatformResource).find(({ name }) => name === source)?.tool ??
        tools.find(({ name, operation }) => name === source && operation.effect === 'read');
      return (
        !tool ||
        Object.entries(wanted).some(([variable, argument]) => !(variable in tool.input) || !(argument in taking))
      );
    });
    expect(wrong).toEqual([]);
  });

  test('every argument that another one of a prompt is about', () => {
    const named = prompts.flatMap(({ name, arguments: taking }) =>
      Object.values(taking).flatMap(({ of, unlike }) =>
        [of, unlike].filter((one) => one !== undefined).map((one) => ({ name, one, isThere: one in taking })),
      ),
    );
    expect(named.length).toBeGreaterThan(1);
    expect(named.filter(({ isThere }) => !isThere)).toEqual([]);
  });
});

/** The tools that the sentences of a source name otherwise than in a slot of `naming`. */
const namedPlainly = (source: Text): string[] =>
  sentencesIn(source).flatMap(({ at, text }) =>
    namesIn(text)
      .filter((name) => toolNames.includes(name))
      .map((name) => `${name} in ${at}`),
  );

describe('a text that names tools', () => {
  test('names them in slots, so that it can be left out where they are not shown', () => {
    expect([...sources, ...filesIn('src/analysis', '.ts')].flatMap(namedPlainly)).toEqual([]);
    expect(namedPlainly({ at: 'here', text: "next: 'Read it before update_helm.'" })).toEqual(['update_helm in here']);
    expect(namedPlainly({ at: 'here', text: "next: naming`Read it before ${'update_helm'}.`" })).toEqual([]);
  });

  test('names only tools that there are, in a slot', () => {
    const parts = sources.flatMap(({ text }) => text.replaceAll(unquoted, '').match(/\bnaming`[^`]*`/g) ?? []);
    const slots = parts.flatMap((part) => [...part.matchAll(/\$\{'(\w+)'\}/g)].map(([, name]) => name!));
    expect(slots.length).toBeGreaterThan(20);
    expect(slots.filter((name) => !toolNames.includes(name))).toEqual([]);
  });

  test('loses the parts that name one which is not shown, each as a whole, and no other', () => {
    const text = ['It is made.', naming`Read it. Then ${'deploy_application'}, or v1.2 of ${'update_helm'}.`, 'Done.'];
    expect(visibleText(text, [])).toBe('It is made. Read it. Then deploy_application, or v1.2 of update_helm. Done.');
    for (const name of ['deploy_application', 'update_helm'])
      expect(visibleText(text, [name])).toBe('It is made. Done.');
    expect(visibleText(text, ['update', 'helm', 'made'])).toBe(visibleText(text, []));
    expect(visibleText(naming`${'get_helm'} shows it.`, ['get_helm'])).toBe('');
    const either = orElse(naming`${'get_helm'} shows it.`, 'Nothing here shows it.');
    expect([visibleText(either, []), visibleText(either, ['get_helm'])]).toEqual([
      'get_helm shows it.',
      'Nothing here shows it.',
    ]);
  });
});

test('texts with a wrong name are found', () => {
  expect(namesIn('Call deploy_everything, then `wait_for_it`.').filter((name) => !isKnown(name))).toEqual([
    'deploy_everything',
    'wait_for_it',
  ]);
});

test('skills are short enough to be read before anything is done', () => {
  expect(guides.filter(({ text }) => text.length > 3_000).map(({ at }) => at)).toEqual([]);
});
