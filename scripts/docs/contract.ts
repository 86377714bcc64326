import { allOperations } from '../../src/contract/operations.ts';
import { shapes } from '../../test/contract/document-shapes.ts';
import { tools } from '../../tools/index.ts';
import { code, markdownTable } from './markdown.ts';

/** What the retyped document marks with a plus: it isn't there, and fills one of its silences. */
const guessMark = '+';

interface Line {
  readonly path: string;
  readonly isGuessed: boolean;
  /** Values that the document doesn't have. */
  readonly values: readonly string[];
  /** What is said of the member beyond the document, such as required or default=10. */
  readonly marks: readonly string[];
}

const guessed = (words: readonly string[]): string[] => words.filter((word) => word.startsWith(guessMark)).map((word) => word.slice(guessMark.length));

const linesOf = (text: string): Line[] =>
  text.split('\n').map((line) => line.trim().split(/\s+/)).filter(([path]) => path).map(([path = '', type = '', ...marks]) => ({
    path: path.replace(guessMark, ''),
    isGuessed: path.startsWith(guessMark),
    values: guessed(type.replace('seen:', '').split('|')),
    marks: guessed(marks),
  }));

/** Members by what they belong to: `ports[].name` → `ports[]`. */
const topOf = (path: string): string => path.split('.')[0]!;

const listed = (words: readonly string[]): string => [...new Set(words)].map(code).join(', ');

const shapeRow = ([name, text]: [string, string]): string[] => {
  const lines = linesOf(text);
  const beyond = lines.filter(({ isGuessed }) => isGuessed);
  const filled = lines.filter(({ isGuessed }) => !isGuessed);
  return [
    name,
    String(filled.length),
    String(beyond.length),
    listed(beyond.map(({ path }) => topOf(path))),
    filled.filter(({ values }) => values.length > 0).map(({ path, values }) => `${code(path)} ${values.join(', ')}`).join('; '),
    filled.filter(({ marks }) => marks.length > 0).map(({ path, marks }) => `${code(path)} ${marks.join(', ')}`).join('; '),
  ];
};

const areTools = (documented: boolean): number =>
  allOperations.filter((operation) => operation.documented === documented && tools.some(({ operations }) => operations.includes(operation))).length;

const count = (documented: boolean): number => allOperations.filter((operation) => operation.documented === documented).length;

/** docs/contract.md: what of the contract the API document says, what lies outside it, and what is guessed. */
export const contractPage = (): string =>
  `${[
    '# Contract coverage',
    'The contract in `src/contract/` has three kinds of things: what the API document says, operations outside it that platforms of this kind serve, and guesses that fill its silences. A test compares the contract with the document, typed again by hand.',
    markdownTable(
      ['Operations', 'In the contract', 'Called by tools', 'On another platform'],
      [
        ['documented', String(count(true)), String(areTools(true)), 'there'],
        ['outside the document', String(count(false)), String(areTools(false)), 'perhaps: tried once, then taken as not offered'],
      ],
    ),
    'Each of them: [operations.md](operations.md). Where the document contradicts itself, or is silent: [decisions](decisions).',
    '## Members of requests and answers',
    'Guessed members may be left out of requests, and answers may lack them. Guessed values are passed on when others come. Guessed rules hold on the embedded platform and in the tools; another platform may be laxer. A member in "beyond the document" stands for all below it.',
    markdownTable(['Shape', 'Documented members', 'Guessed members', 'Beyond the document', 'Guessed values', 'Guessed rules'], Object.entries(shapes).map(shapeRow)),
  ].join('\n\n')}\n`;
