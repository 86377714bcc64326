import type { Piece } from './cell.ts';
import { riskStyles, type Style } from './style.ts';

const outcomeStyles: Readonly<Record<string, Style>> = {
  done: 'green',
  approved: 'green',
  failed: 'red',
  unknown: 'red',
  denied: 'yellow',
  refused: 'yellow',
  pending: 'cyan',
};

const styledBy =
  (styles: Readonly<Record<string, Style>>) =>
  (text: string): Piece => ({ text, style: Object.hasOwn(styles, text) ? styles[text] : undefined });

/** The risk of a call in its colour. */
export const riskCell = styledBy(riskStyles);

/** The outcome of a call in its colour. */
export const outcomeCell = styledBy(outcomeStyles);
