/** One step of an example: a change of a file, commands to run, or what is said when a line is missing. */
export type Step =
  | { readonly kind: 'new file'; readonly path: string; readonly text: string }
  | {
      readonly kind: 'edit';
      readonly path: string;
      readonly where: 'after' | 'before' | 'instead of';
      readonly anchor: string;
      readonly text: string;
    }
  | { readonly kind: 'refusal'; readonly path: string; readonly line: string; readonly text: string }
  | { readonly kind: 'commands'; readonly text: string };

export interface Example {
  readonly title: string;
  readonly steps: readonly Step[];
}

const block = /^```(?<language>\w*)\n(?<text>[\s\S]*?)^```$/gm;

const newFile = /New file `(?<path>[^`]+)`:$/;
const edit = /In `(?<path>[^`]+)`, (?<where>after|before|instead of) `(?<anchor>[^`]+)`:$/;
const refusal = /Without the line `(?<line>[^`]+)` in `(?<path>[^`]+)`, the program refuses to start:$/;

/** @throws Error when the words before a block don't say where it goes. */
function stepOf(heading: string, language: string, text: string): Step {
  if (language === 'sh') return { kind: 'commands', text };
  const file = newFile.exec(heading)?.groups;
  if (file) return { kind: 'new file', path: file['path']!, text };
  const change = edit.exec(heading)?.groups;
  if (change)
    return { kind: 'edit', path: change['path']!, where: change['where'] as 'after', anchor: change['anchor']!, text };
  const refused = refusal.exec(heading)?.groups;
  if (refused) return { kind: 'refusal', path: refused['path']!, line: refused['line']!, text };
  throw new Error(`Nothing says where this block goes: "${heading}"`);
}

/** The steps of a section: each block with the paragraph before it. */
const stepsOf = (section: string): Step[] =>
  [...section.matchAll(block)].map((match) => {
    const before = section.slice(0, match.index).trimEnd();
    const heading = before.slice(before.lastIndexOf('\n\n') + 2).replaceAll(/\s+/g, ' ');
    return stepOf(heading, match.groups!['language']!, match.groups!['text']!);
  });

/** The worked examples of a page. */
export function examplesOf(page: string): Example[] {
  const [, examples = ''] = page.split(/^## Worked examples$/m);
  return examples
    .split(/^### /m)
    .slice(1)
    .map((section) => ({ title: section.slice(0, section.indexOf('\n')), steps: stepsOf(section) }));
}

/**
 * A text with a block put where its step says.
 * @throws Error unless exactly one line starts with the step's anchor.
 */
export function edited(source: string, { path, where, anchor, text }: Extract<Step, { kind: 'edit' }>): string {
  const lines = source.split('\n');
  const found = lines.flatMap((line, index) => (line.trimStart().startsWith(anchor) ? [index] : []));
  const [at] = found;
  if (at === undefined || found.length > 1)
    throw new Error(`${path}: ${found.length} lines start with "${anchor}", and it has to be one`);
  const inserted = text.replace(/\n$/, '').split('\n');
  return lines.toSpliced(where === 'after' ? at + 1 : at, where === 'instead of' ? 1 : 0, ...inserted).join('\n');
}
