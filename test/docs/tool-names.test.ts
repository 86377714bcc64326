import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { operations } from '../../src/contract/index.ts';
import { tools } from '../../tools/index.ts';
import { pages, pageText, root } from './pages.ts';

/**
 * Where operations of the API are named too: the platform that serves them, and pages about the API or for whoever
 * changes the code.
 */
const namesOperations = [
  'src/platform/api/',
  'src/contract/',
  'docs/operations.md',
  'docs/performance.md',
  'docs/decisions/',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'tools/README.md',
];

/** Names that begin like a tool and are something else. */
const others: Readonly<Record<string, string>> = {
  create_app: 'a function in the log of a simulated application',
  list_total: 'a table of the database',
  silence_reason: 'a member of alert rules',
  start_time: 'a member of deployment rules',
  stop_time: 'a member of deployment rules',
  plan_token: 'an argument of every tool that changes something',
  lock_timeout: 'a setting of PostgreSQL',
  upgrade_error: 'an effect of a fault rule',
  set_archive_policy: 'the tool that CONTRIBUTING.md adds',
};

const operationNames = Object.keys(operations);
const toolNames = new Set(tools.map(({ name }) => name));
const verbs = [...new Set(tools.map(({ name }) => name.split('_')[0]!))];
/** A name that reads like a tool: not a part of a path, of a longer name or of a template, and not a call in code. */
const toolLike = new RegExp(String.raw`(?<![\w/.-])(?:${verbs.join('|')})(?:_[a-z]+)+(?![\w($-])`, 'g');

/** Texts of more than one word: what is neither a key nor an identifier. */
const sentences = (code: string): string[] =>
  [...code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').matchAll(/'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g)]
    .map(([text]) => text)
    .filter((text) => text.includes(' '));

/** The names in a file that read like a tool and are none. */
function wrongNames(path: string, text: string): string[] {
  // Names of operations are also composed of their beginnings.
  const isKnown = (name: string): boolean =>
    toolNames.has(name) ||
    Object.hasOwn(others, name) ||
    (operationNames.some((operation) => `${operation}_`.startsWith(`${name}_`)) &&
      namesOperations.some((place) => path.startsWith(place)));
  const texts = path.endsWith('.ts') ? sentences(text) : [text];
  return texts.flatMap((one) => [...one.matchAll(toolLike)].map(([name]) => name)).filter((name) => !isKnown(name));
}

const sources = ['src', 'tools', 'prompts', 'skills'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|md)$/.test(name))
    .map((name) => join(folder, name)),
);

describe('a name that reads like a tool', () => {
  test('is one, in what the program says and on the pages', () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(
      [...sources, ...pages].flatMap((path) => wrongNames(path, pageText(path)).map((name) => `${path}: ${name}`)),
    ).toEqual([]);
  });

  test('is noticed where it is none', () => {
    expect(wrongNames('docs/errors.md', 'Call `deploy_job`, then deploy_service or list_everything.')).toEqual([
      'deploy_job',
      'list_everything',
    ]);
    expect(
      wrongNames(
        'src/server/x.ts',
        "const a = { deploy_job: 'deploy_job' }; say('Run deploy_job again.'); // stop_job of it",
      ),
    ).toEqual(['deploy_job']);
    expect(wrongNames('docs/operations.md', '`deploy_job`')).toEqual([]);
  });

  test('is listed as something else only where it occurs', () => {
    const all = [...sources, ...pages].map(pageText).join('\n');
    expect(Object.keys(others).filter((name) => !all.includes(name) || toolNames.has(name))).toEqual([]);
  });
});
