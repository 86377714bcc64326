/** The unit in which memory and sizes of disks are given, in bytes. Texts call it MB. */
export const mebibyte = 1024 * 1024;

/** The sum of numbers; 0 of none. */
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
