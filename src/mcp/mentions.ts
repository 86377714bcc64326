/** What finds any of these names in a text. */
const naming = (names: readonly string[], flags = ''): RegExp => new RegExp(`\\b(?:${names.join('|')})\\b`, flags);

const betweenSentences = /(?<=[.!?]) +/;

/**
 * A text of ours without the sentences that name a tool which isn't shown: nobody could follow them.
 * @param hidden names of tools that there are and aren't shown.
 */
export function sayable(text: string, hidden: readonly string[]): string {
  if (hidden.length === 0) return text;
  const names = naming(hidden);
  const lines = text.split('\n').flatMap((line) => {
    const left = line.split(betweenSentences).filter((sentence) => !names.test(sentence)).join(' ');
    return left === '' && line !== '' ? [] : [left];
  });
  return lines.join('\n');
}

/**
 * Steps to follow, with a word before them about those of their tools that aren't shown: what they are for can still be
 * told, and done in another way.
 * @param hidden as for `sayable`.
 */
export function withWarning(steps: string, hidden: readonly string[]): string {
  const named = hidden.length === 0 ? [] : [...new Set(steps.match(naming(hidden, 'g')))];
  return named.length === 0 ? steps : `This server doesn't offer ${named.map((name) => `\`${name}\``).join(', ')}: leave out what needs ${named.length === 1 ? 'it' : 'them'}, and say what was left out.\n\n${steps}`;
}
