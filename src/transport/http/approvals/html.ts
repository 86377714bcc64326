/** Markup that is safe to send: what was put into it is escaped. */
export interface Html {
  readonly markup: string;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!);

type HtmlValue = string | number | Html | readonly Html[];

const markupOf = (part: HtmlValue): string => {
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
};

/** A template whose values are escaped, unless they are markup themselves. */
export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlValue[]): Html => ({
  markup: strings.map((text, index) => text + (index < parts.length ? markupOf(parts[index]!) : '')).join(''),
});

/** Nothing. */
export const emptyHtml: Html = { markup: '' };
