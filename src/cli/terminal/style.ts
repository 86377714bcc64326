import { styleText } from 'node:util';

/** Names of colours and weights, as Node has them. */
export type Style = Parameters<typeof styleText>[0];

/** Text in a style where the stream is a terminal that shows it; NO_COLOR and FORCE_COLOR are heeded. */
export const styled = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string => styleText(style, text, { stream });

/** How grave a call is, from plain to alarming. */
const riskStyles: Readonly<Record<string, Style>> = { read: 'green', write: 'cyan', disruptive: 'yellow', destructive: 'red', sensitive: 'magenta' };

const styledBy = (styles: Readonly<Record<string, Style>>) => (word: string): string => (Object.hasOwn(styles, word) ? styled(styles[word]!, word) : word);

/** A tier, in its colour. */
export const riskText = styledBy(riskStyles);

/** What came of a call, in its colour. */
export const outcomeText = styledBy({ done: 'green', approved: 'green', failed: 'red', unknown: 'red', denied: 'yellow', refused: 'yellow', pending: 'cyan' });
