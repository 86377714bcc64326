/** A part of a text that names tools. It is left out unless clients see all of them. */
export interface ToolMention {
  readonly text: string;
  readonly tools: readonly string[];
  /** What is said in its place then; nothing without it. */
  readonly otherwise?: string;
}

export type TextPart = string | ToolMention;

/** A text or its parts in order, each a whole sentence. A part that is a plain string names no tool. */
export type ToolText = TextPart | readonly TextPart[];

/** Template tag for a part whose slots are names of tools: naming`Read it before ${'update_helm'}.` */
export const naming = (text: TemplateStringsArray, ...tools: readonly string[]): ToolMention => ({
  text: String.raw({ raw: text }, ...tools),
  tools,
});

/** A part with what is said in its place where clients don't see all of its tools. */
export const orElse = (mention: ToolMention, otherwise: string): ToolMention => ({ ...mention, otherwise });

/** Who does what takes a tool of administration that clients don't see, as a clause. */
export const whoAdministers =
  'the operator has to choose the toolset administration for that, or somebody does it on the platform itself';

const partsOf = (text: ToolText): readonly TextPart[] =>
  Array.isArray(text) ? (text as readonly TextPart[]) : [text as TextPart];

/**
 * A text without the parts that name a hidden tool, which clients can't call, or with what stands in their place.
 * @param hidden names of tools that exist but that clients don't see.
 * @returns the remaining parts, joined by spaces; empty if none remain.
 */
export const visibleText = (text: ToolText, hidden: readonly string[]): string =>
  partsOf(text)
    .flatMap((part) => {
      if (typeof part === 'string') return [part];
      return part.tools.some((tool) => hidden.includes(tool)) ? (part.otherwise ?? []) : [part.text];
    })
    .join(' ');

/**
 * Puts a warning about hidden tools before the steps of a skill or prompt. Steps that use them stay, because they can
 * still be explained or done in another way. Steps are Markdown in which tool names are code.
 * @param hidden as for `visibleText`.
 */
export function withWarning(steps: string, hidden: readonly string[]): string {
  const named = hidden.map((name) => `\`${name}\``).filter((code) => steps.includes(code));
  return named.length === 0
    ? steps
    : `This server doesn't offer ${named.join(', ')}: leave out what needs ${named.length === 1 ? 'it' : 'them'}, and say what was left out.\n\n${steps}`;
}
