import { styleText } from 'node:util';

/** Colours and weights of `node:util`'s `styleText`. */
export type Style = Parameters<typeof styleText>[0];

/** Applies a style if the stream is a terminal that supports it. Respects NO_COLOR and FORCE_COLOR. */
export const styled = (style: Style, text: string, stream: NodeJS.WriteStream = process.stdout): string =>
  styleText(style, text, { stream });

/** Colours by risk, from low to high. */
export const riskStyles: Readonly<Record<string, Style>> = {
  read: 'green',
  write: 'cyan',
  disruptive: 'yellow',
  destructive: 'red',
  sensitive: 'magenta',
};

/** A risk in its colour. */
export const riskText = (risk: string): string =>
  Object.hasOwn(riskStyles, risk) ? styled(riskStyles[risk]!, risk) : risk;
