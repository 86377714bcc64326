import type { StyledLine } from './styled-lines.ts';

/** Rows of a terminal that appear together. */
export interface TerminalStep {
  readonly rows: readonly StyledLine[];
  /** Seconds after the start. */
  readonly at: number;
}

/** A recording of a terminal. */
export interface Recording {
  readonly title: string;
  readonly description: string;
  readonly columns: number;
  /** How many rows the window shows; older ones move out at its top. */
  readonly height: number;
  readonly steps: readonly TerminalStep[];
  /** Seconds until it starts again. */
  readonly duration: number;
}

const [fontSize, characterWidth, rowHeight, bar, margin] = [13, 7.8, 19, 30, 18];

const colours = `
  svg { --back: #ffffff; --frame: #d0d7de; --bar: #f6f8fa; --text: #1f2328; --dim: #59636e; --red: #cf222e; --green: #1a7f37; --yellow: #9a6700; --magenta: #8250df; --cyan: #0969da; }
  @media (prefers-color-scheme: dark) {
    svg { --back: #0d1117; --frame: #3d444d; --bar: #151b23; --text: #e6edf3; --dim: #9198a1; --red: #ff7b72; --green: #3fb950; --yellow: #d29922; --magenta: #d2a8ff; --cyan: #79c0ff; }
  }
  text { font: ${fontSize}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: var(--text); white-space: pre; }
  .bold { font-weight: 700; } .dim { fill: var(--dim); } .red { fill: var(--red); } .green { fill: var(--green); } .yellow { fill: var(--yellow); } .magenta { fill: var(--magenta); } .cyan { fill: var(--cyan); }`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const rounded = (value: number): string => String(Math.round(value * 100) / 100);

/** A row of text. Its length is given, so that columns stay below each other in every font. */
function rowText(row: StyledLine, index: number): string {
  const text = row
    .map((span) => span.text)
    .join('')
    .trimEnd();
  if (text === '') return '';
  const indent = text.length - text.trimStart().length;
  const spans = row
    .map((span) =>
      span.styles.length === 0
        ? escaped(span.text)
        : `<tspan class="${span.styles.join(' ')}">${escaped(span.text)}</tspan>`,
    )
    .join('');
  const [x, y, length] = [
    margin + indent * characterWidth,
    (index + 1) * rowHeight,
    (text.length - indent) * characterWidth,
  ];
  return `<text x="${rounded(x)}" y="${y}" textLength="${rounded(length)}">${spans.trim()}</text>`;
}

/** The picture of a recording, as SVG that plays by itself. Who prefers less motion sees its end. */
export function terminalSvg({ title, description, columns, height, steps, duration }: Recording): string {
  const share = (at: number): string => `${rounded((100 * at) / duration)}%`;
  const ends = steps.map((_, index) => steps.slice(0, index + 1).reduce((sum, { rows }) => sum + rows.length, 0));
  const scrolled = (index: number): string =>
    `transform: translateY(${-Math.max(0, ends[index]! - height) * rowHeight}px)`;
  const [wide, high] = [columns * characterWidth + 2 * margin, bar + (height + 1) * rowHeight];
  const appear = steps.map(
    ({ at }, index) => `  @keyframes s${index} { 0% { opacity: 0 } ${share(at)} { opacity: 1 } }`,
  );
  const scroll = steps.map(({ at }, index) => `${share(at)} { ${scrolled(index)} }`);
  const groups = steps.map(({ rows }, index) => {
    const first = ends[index]! - rows.length;
    return `<g class="step" style="animation-name: s${index}">\n${rows
      .map((row, offset) => rowText(row, first + offset))
      .filter((text) => text !== '')
      .join('\n')}\n</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${rounded(wide)} ${rounded(high)}" width="${rounded(wide)}" height="${rounded(high)}" role="img" aria-labelledby="title description">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description)}</desc>
<style>${colours}
  .step { animation: ${duration}s step-end infinite; }
  .scroll { animation: scroll ${duration}s step-end infinite; ${scrolled(steps.length - 1)}; }
${appear.join('\n')}
  @keyframes scroll { 0% { transform: none } ${scroll.join(' ')} }
  @media (prefers-reduced-motion: reduce) { .step, .scroll { animation: none; } }
</style>
<clipPath id="window"><rect x="0" y="${bar + 5}" width="100%" height="${rounded(high - bar - 7)}"/></clipPath>
<rect x="0.5" y="0.5" width="${rounded(wide - 1)}" height="${rounded(high - 1)}" rx="8" style="fill: var(--back); stroke: var(--frame)"/>
<path d="M0.5 ${bar}V8.5a8 8 0 0 1 8-8H${rounded(wide - 8.5)}a8 8 0 0 1 8 8V${bar}Z" style="fill: var(--bar); stroke: var(--frame)"/>
<text x="50%" y="20" text-anchor="middle" class="dim">${escaped(title)}</text>
<g clip-path="url(#window)"><g transform="translate(0 ${bar})"><g class="scroll">
${groups.join('\n')}
</g></g></g>
</svg>
`;
}
