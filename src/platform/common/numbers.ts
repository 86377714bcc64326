/** The unit of memory and disk sizes, in bytes. Texts call it MB. */
export const mebibyte = 1024 * 1024;

/** The sum of numbers; 0 if there are none. */
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
