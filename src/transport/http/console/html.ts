/** Safe markup: every interpolated value is escaped. */
export interface Html {
  readonly markup: string;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!);

type HtmlValue = string | number | Html | readonly Html[];

const markupOf = (value: HtmlValue): string => {
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value));
  return 'markup' in value ? value.markup : value.map(({ markup }) => markup).join('');
};

/** Template tag that escapes its values, except those that are `Html` already. */
export const html = (strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html => ({
  markup: strings.map((text, index) => text + (index < values.length ? markupOf(values[index]!) : '')).join(''),
});

/** Empty markup, for parts of a page that are left out. */
export const emptyHtml: Html = { markup: '' };
