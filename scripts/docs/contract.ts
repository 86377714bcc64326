import { allOperations } from '../../src/contract/index.ts';
import { shapes } from '../../test/contract/document-shapes.ts';
import { tools } from '../../tools/index.ts';
import { code, markdownTable } from './markdown.ts';

/** Marks what isn't in the API document but guessed, in the retyped document. */
const guessMark = '+';

interface Line {
  readonly path: string;
  readonly isGuessed: boolean;
  /** Guessed values. */
  readonly values: readonly string[];
  /** Guessed properties of the member, such as `required` or `default=10`. */
  readonly marks: readonly string[];
}

const guessed = (words: readonly string[]): string[] =>
  words.filter((word) => word.startsWith(guessMark)).map((word) => word.slice(guessMark.length));

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([path]) => path)
    .map(([path = '', type = '', ...marks]) => ({
      path: path.replace(guessMark, ''),
      isGuessed: path.startsWith(guessMark),
      values: guessed(type.replace('seen:', '').split('|')),
      marks: guessed(marks),
    }));

/** The top-level member that a path belongs to: `ports[].name` → `ports[]`. */
const topOf = (path: string): string => path.split('.')[0]!;

const listed = (words: readonly string[]): string => [...new Set(words)].map(code).join(', ');

const shapeRow = ([name, text]: [string, string]): string[] => {
  const lines = linesOf(text);
  const beyond = lines.filter(({ isGuessed }) => isGuessed);
  const documented = lines.filter(({ isGuessed }) => !isGuessed);
  return [
    name,
    String(documented.length),
    String(beyond.length),
    listed(beyond.map(({ path }) => topOf(path))),
    documented
      .filter(({ values }) => values.length > 0)
      .map(({ path, values }) => `${code(path)} ${values.join(', ')}`)
      .join('; '),
    documented
      .filter(({ marks }) => marks.length > 0)
      .map(({ path, marks }) => `${code(path)} ${marks.join(', ')}`)
      .join('; '),
  ];
};

const calledByTools = (documented: boolean): number =>
  allOperations.filter(
    (operation) =>
      operation.documented === documented && tools.some(({ operations }) => operations.includes(operation)),
  ).length;

const count = (documented: boolean): number =>
  allOperations.filter((operation) => operation.documented === documented).length;

/**
 * docs/contract.md: which parts of the contract are documented, which are outside the API document, and which are
 * guessed.
 */
export const contractPage = (): string =>
  `${[
    '# Contract coverage',
    'For developers, and for whoever has a platform of their own: how sure each operation is. The contract in `src/contract/` consists of three parts: what the API document specifies, operations outside it that platforms of this kind serve, and guesses where the document specifies nothing. A test compares the contract with a copy of the document that was typed by hand.',
    markdownTable(
      ['Operations', 'In the contract', 'Called by tools', 'On another platform'],
      [
        ['documented', String(count(true)), String(calledByTools(true)), 'present'],
        [
          'outside the document',
          String(count(false)),
          String(calledByTools(false)),
          'optional: tried once, then treated as not offered',
        ],
      ],
    ),
    '[operations.md](operations.md) lists all operations. The [decisions](decisions) explain what applies where the document contradicts itself or specifies nothing.',
    '## Members of requests and responses',
    'Guessed members are optional in requests and may be missing from responses. Where values are guessed, other values are accepted, too. Guessed rules apply on the embedded platform and in the tools; another platform may be less strict. A member under "Beyond the document" includes everything nested in it.',
    markdownTable(
      ['Shape', 'Documented members', 'Guessed members', 'Beyond the document', 'Guessed values', 'Guessed rules'],
      Object.entries(shapes).map(shapeRow),
    ),
  ].join('\n\n')}\n`;
