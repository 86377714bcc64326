import type { ListedTool } from '../../../src/server/guard/index.ts';

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/** Names and descriptions of arguments, at any depth. */
const argumentTexts = ({ properties = {}, items }: Schema): readonly string[] => [
  ...Object.entries(properties).flatMap(([name, schema]) => [name, schema.description ?? '', ...argumentTexts(schema)]),
  ...(items ? argumentTexts(items) : []),
];

const stopWords = new Set(
  (
    'a an the and or of to in on at by for from with is are be was were it its this that i we you they me us my our ' +
    'your what which who when where why how can could do does did not as if has have had there'
  ).split(' '),
);

/** Without the endings of plurals, of -ing and of -ed, and without a final e. */
function stem(word: string): string {
  if (word.length <= 3) return word;
  const singular = word.replace(/ies$/, 'y').replace(/([^su])s$/, '$1');
  const plain = singular.replace(/^(.{3,})(?:ing|ed)$/, '$1').replace(/([bdgmnprt])\1$/, '$1');
  return plain.length > 3 ? plain.replace(/e$/, '') : plain;
}

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !stopWords.has(word))
    .map(stem);

function counted(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** The usual constants of BM25. */
const saturation = 1.2;
const lengthWeight = 0.75;

/**
 * Searches as hosts do that offer a search instead of the whole list: BM25 over names, descriptions and arguments. Titles
 * are not searched.
 * @returns what takes a text, and returns the names of the tools that match, best first.
 */
export function searchOf(list: readonly ListedTool[]): (text: string) => readonly string[] {
  const documents = list.map(({ name, description, inputSchema }) => {
    const words = wordsOf([name, description, ...argumentTexts(inputSchema)].join(' '));
    return { name, counts: counted(words), length: words.length };
  });
  const average = documents.reduce((sum, { length }) => sum + length, 0) / documents.length;
  const rarity = (word: string): number => {
    const having = documents.filter(({ counts }) => counts.has(word)).length;
    return Math.log(1 + (documents.length - having + 0.5) / (having + 0.5));
  };
  return (text) => {
    const words = [...new Set(wordsOf(text))].map((word) => ({ word, weight: rarity(word) }));
    const scores = documents.map(({ name, counts, length }) => {
      const damping = saturation * (1 - lengthWeight + (lengthWeight * length) / average);
      const score = words.reduce((sum, { word, weight }) => {
        const count = counts.get(word) ?? 0;
        return sum + (weight * count * (saturation + 1)) / (count + damping);
      }, 0);
      return { name, score };
    });
    return scores
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1))
      .map(({ name }) => name);
  };
}
