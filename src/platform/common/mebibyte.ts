/** The unit in which memory and sizes of disks are given, in bytes. Texts call it MB. */
export const mebibyte = 1024 * 1024;
