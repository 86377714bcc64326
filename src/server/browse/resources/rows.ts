import { record, table, type Renderer } from '../../tool/render.ts';
import { omit } from '../../json/values.ts';

const rows = ['results', 'pagination', 'page', 'page_size'];

/** Facts about a thing, one a line, and below them `{results}`: what it holds, as a table of these columns. */
export function holding(noun: string, columns: readonly string[], left?: readonly string[]): Renderer {
  const facts = record({ left });
  const held = table(noun, columns);
  return {
    view: (answer) => ({ ...facts.view(omit(answer, rows)), ...held.view(answer) }),
    text: (view) => [facts.text(omit(view, rows)), held.text(view)].filter(Boolean).join('\n\n'),
    keep: 'first',
  };
}
