import { maskPatternSource, mask } from '../../client/secret-masking.ts';

const markStart = mask.slice(0, -1);
const markEnd = mask.slice(-1);

/** Whether a text contains what stands for a secret. */
export const containsMark = (text: string): boolean => text.includes(markStart);

const whole = new RegExp(`^${maskPatternSource}$`);

/** Whether a text is nothing but what stands for a secret. */
export const isMark = (text: string): boolean => whole.test(text);

/** What stands for a secret that is about to be sent: that it is there, and how long it is. */
export const markOfLength = ({ length }: string): string => `${markStart}, ${length} character${length === 1 ? '' : 's'}${markEnd}`;

/**
 * What stands for a secret that the platform holds now, where that is told beside what is to be sent. Nothing else is
 * written so: a platform's own mark may mean that there is nothing to be compared.
 */
export const presentMark = `${markStart}, the present one${markEnd}`;

/** Longest name of a variable that a mark tells. */
const longestName = 70;

/** What stands for a value that is taken from a variable of this server's environment. */
export const markOfVariable = (name: string): string => `${markStart}, from ${name.slice(0, longestName)}${markEnd}`;
