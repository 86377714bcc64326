import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { linkedPages, pageLink, repositoryUrl } from '../../src/cli/config/page-links.ts';
import { textPaths } from '../../src/server/browse/index.ts';
import { pageText, root } from './pages.ts';

/** Pages that come with the program. */
const shipped: readonly string[] = [...manifest.files, ...Object.values(textPaths)];

const withoutComments = (code: string): string => code.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

/** The pages that a text refers to by their path in the repository. */
const pagesNamed = (code: string): string[] =>
  [...withoutComments(code).matchAll(/\b(?:docs\/)?[\w-]+\.md\b/g)]
    .map(([path]) => path)
    .filter((path) => existsSync(join(root, path)) && !shipped.includes(path));

const sources = ['src', 'tools', 'prompts', 'skills'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|md)$/.test(name) && !name.endsWith('README.md'))
    .map((name) => join(folder, name)),
);

describe('a page that the program refers to', () => {
  test.each(linkedPages)('%s is there, and its link leads to it', (page) => {
    expect(existsSync(join(root, `docs/${page}.md`))).toBe(true);
    expect(pageLink(page)).toBe(`${repositoryUrl}/blob/main/docs/${page}.md`);
  });

  test('is a link or comes with the program: who installed it has no docs/', () => {
    expect(sources.length).toBeGreaterThan(300);
    expect(sources.flatMap((path) => pagesNamed(pageText(path)).map((page) => `${path}: ${page}`))).toEqual([]);
  });

  test('is found', () => {
    expect(
      pagesNamed("todo('See docs/policy.md.') // docs/http.md\n/* docs/tools.md */ 'CONTRIBUTING.md', 'README.md'"),
    ).toEqual(['docs/policy.md', 'docs/http.md', 'CONTRIBUTING.md']);
  });
});

test('the manifest says in one place where the repository is, and the rest agrees', () => {
  const [, owner, name] = /^https:\/\/github\.com\/([\w-]+)\/([\w-]+)$/.exec(repositoryUrl)!;
  expect(manifest).toMatchObject({
    homepage: `${repositoryUrl}#readme`,
    bugs: `${repositoryUrl}/issues`,
    mcpName: `io.github.${owner}/${name}`,
  });
});
