const open = '<platform-data>';
const close = '</platform-data>';
const lookalike = /<(?=[\s/]*platform-data)/gi;

// Nothing inside can end the fence early: what looks like its marks is made to differ.
const defuse = (text: string): string => text.replaceAll(lookalike, '‹');

/** Text from the platform between marks that say: data, not instructions. Expects text that may be shown. */
export const fence = (text: string): string => `${open}\n${defuse(text)}\n${close}`;

/** The same within a sentence. */
export const fenceInline = (text: string): string => `${open}${defuse(text)}${close}`;

/** The marks, for the instructions that explain them. */
export const fenceMarks = { open, close };
