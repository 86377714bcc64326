/** A part of a text of ours that names tools: it can be followed only where all of them are shown. */
export interface ToolMention {
  readonly text: string;
  readonly tools: readonly string[];
}

export type TextPart = string | ToolMention;

/** A text of ours, or its parts in their order, each a whole sentence. A part that is a plain string names no tool. */
export type ToolText = TextPart | readonly TextPart[];

/** Makes the part of a text whose slots are names of tools: naming`Read it before ${'update_helm'}.` */
export const naming = (text: TemplateStringsArray, ...tools: readonly string[]): ToolMention => ({ text: String.raw({ raw: text }, ...tools), tools });

const partsOf = (text: ToolText): readonly TextPart[] => (Array.isArray(text) ? (text as readonly TextPart[]) : [text as TextPart]);

/**
 * A text without the parts that name a tool which isn't shown: nobody could follow them.
 * @param hidden names of tools that there are and aren't shown.
 * @returns the parts that stay, with a space between them; empty where none does.
 */
export const visibleText = (text: ToolText, hidden: readonly string[]): string =>
  partsOf(text).flatMap((part) => {
    if (typeof part === 'string') return [part];
    return part.tools.some((tool) => hidden.includes(tool)) ? [] : [part.text];
  }).join(' ');

/**
 * Steps to follow, with a word before them about those of their tools that aren't shown: what they are for can still be
 * told, and done in another way. Steps are Markdown, in which a tool is named as code.
 * @param hidden as for `visibleText`.
 */
export function withWarning(steps: string, hidden: readonly string[]): string {
  const named = hidden.map((name) => `\`${name}\``).filter((code) => steps.includes(code));
  return named.length === 0 ? steps : `This server doesn't offer ${named.join(', ')}: leave out what needs ${named.length === 1 ? 'it' : 'them'}, and say what was left out.\n\n${steps}`;
}
