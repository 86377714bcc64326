import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { copyRepository, type RepositoryCopy } from './repository-copy.ts';
import { edited, examplesOf, type Step } from './steps.ts';

const examples = examplesOf(readFileSync(join(import.meta.dirname, '../../CONTRIBUTING.md'), 'utf8'));

/** Runs commands that have to succeed. */
async function mustRun(copy: RepositoryCopy, lines: string, signal: AbortSignal): Promise<void> {
  const { code, output } = await copy.run(lines, signal);
  expect(code, output).toBe(0);
}

/** Takes a line away, and expects that the program says this instead of starting. */
async function expectRefusal(
  copy: RepositoryCopy,
  { path, line, text }: Extract<Step, { kind: 'refusal' }>,
  signal: AbortSignal,
): Promise<void> {
  const source = await copy.read(path);
  await copy.write(path, edited(source, { kind: 'edit', path, where: 'instead of', anchor: line, text: '' }));
  const { code, output } = await copy.run('npm start --silent -- tools', signal);
  expect(output).toContain(text);
  expect(code).toBe(1);
  await copy.write(path, source);
  await mustRun(copy, 'npm start --silent -- tools', signal);
}

async function follow(copy: RepositoryCopy, step: Step, signal: AbortSignal): Promise<void> {
  if (step.kind === 'commands') return mustRun(copy, step.text, signal);
  if (step.kind === 'refusal') return expectRefusal(copy, step, signal);
  if (step.kind === 'edit') return copy.write(step.path, edited(await copy.read(step.path), step));
  expect(copy.exists(step.path), `${step.path} is there already`).toBe(false);
  return copy.write(step.path, step.text);
}

describe('the worked examples of CONTRIBUTING.md', () => {
  test('are found: an operation that is refused undeclared, and two more, each with edits, files and commands', () => {
    expect(examples).toHaveLength(3);
    for (const kind of ['new file', 'edit', 'commands'])
      expect(
        examples.filter(({ steps }) => !steps.some((step) => step.kind === kind)),
        kind,
      ).toEqual([]);
    expect(examples[0]!.steps.filter(({ kind }) => kind === 'refusal')).toHaveLength(1);
  });

  test.for(examples)('$title', async ({ steps }, { signal }) => {
    const copy = await copyRepository();
    onTestFinished(() => copy.remove());
    for (const step of steps) await follow(copy, step, signal);
    // What a new file imports is nobody's business but that of its room's arrows; and the pages are as generated.
    await mustRun(
      copy,
      'npx vitest run test/architecture.test.ts --testNamePattern rooms\nnpm run docs -- --check',
      signal,
    );
  });
});

describe('a page that no longer fits is noticed', () => {
  const step = { kind: 'edit', path: 'a.ts', where: 'after', anchor: 'const a', text: 'const b = 2;\n' } as const;

  test('an anchor that is gone, or stands twice', () => {
    expect(() => edited('let a = 1;\n', step)).toThrow('a.ts: 0 lines start with "const a"');
    expect(() => edited('const a = 1;\n  const a = 2;\n', step)).toThrow('a.ts: 2 lines start with "const a"');
  });

  test('a block that says nowhere where it goes', () => {
    expect(() => examplesOf('## Worked examples\n\n### 1. One\n\nSomewhere:\n\n```ts\na\n```\n')).toThrow('Somewhere:');
  });

  test('and one that fits is applied: after, before and instead of a line', () => {
    const source = '{\n  const a = 1;\n}\n';
    expect(edited(source, step)).toBe('{\n  const a = 1;\nconst b = 2;\n}\n');
    expect(edited(source, { ...step, where: 'before' })).toBe('{\nconst b = 2;\n  const a = 1;\n}\n');
    expect(edited(source, { ...step, where: 'instead of' })).toBe('{\nconst b = 2;\n}\n');
  });
});
