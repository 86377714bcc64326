import { firstPart, hiddenSecret, hiddenStart, maskPatternSource } from '../../contract/index.ts';

const markEnd = hiddenSecret.slice(-1);

/** Whether a text contains a mark, or the start of one. */
export const containsMark = (text: string): boolean => text.includes(hiddenStart);

/** Maximum length of a text that can be a mark, in characters. */
const longestMark = 42;

const wholeMark = new RegExp(`^${maskPatternSource}$`);

/** Whether a text is the mark of a hidden secret, and nothing else. */
export const isMark = (text: string): boolean => text.length <= longestMark && wholeMark.test(text);

/** The mark of a secret that will be sent: it shows the secret's length. */
export const markOfLength = ({ length }: string): string =>
  `${hiddenStart}, ${length} character${length === 1 ? '' : 's'}${markEnd}`;

/**
 * The mark of a secret that the platform has now, shown next to the one that will be sent. It is used for nothing else:
 * a platform's own mark may mean that there is nothing to compare.
 */
export const presentMark = `${hiddenStart}, the present one${markEnd}`;

/** Maximum length of a variable name in a mark, in characters; longer ones are cut. */
const longestName = 70;

/** The mark of a value that is taken from an environment variable of this server. */
export const markOfVariable = (name: string): string =>
  `${hiddenStart}, from ${firstPart(name, longestName)}${markEnd}`;
