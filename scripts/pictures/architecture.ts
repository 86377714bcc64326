/** Makes the picture of how the parts work together, from the boxes and arrows below. */

/** The path of the picture, from the root. */
export const architecturePicturePath = 'docs/pictures/architecture.svg';

const [width, height] = [820, 340];

interface Box {
  readonly at: readonly [x: number, y: number, width: number, height: number];
  readonly title: string;
  readonly lines: readonly string[];
  readonly kind: 'person' | 'server' | 'platform' | 'other';
}

const boxes: readonly Box[] = [
  {
    at: [5, 70, 175, 100],
    title: 'Assistant',
    lines: ['Claude, Cursor, VS Code,', 'Codex, your own agent'],
    kind: 'other',
  },
  { at: [250, 20, 300, 200], title: 'infra-mcp', lines: [], kind: 'server' },
  {
    at: [625, 20, 190, 90],
    title: 'Your platform',
    lines: ['its projects, environments,', 'services and clusters'],
    kind: 'platform',
  },
  {
    at: [625, 130, 190, 90],
    title: 'Embedded platform',
    lines: ['the same API on your', 'machine, fails on request'],
    kind: 'platform',
  },
  { at: [243, 270, 152, 60], title: 'You', lines: ['asked in the assistant'], kind: 'person' },
  { at: [405, 270, 152, 60], title: 'Operator', lines: ['terminal or web page'], kind: 'person' },
];

/** What happens to a call in the server, in this order. */
const steps = [
  'names become ids',
  'policy and limits',
  'plan of what changes',
  'agreement, where it could break',
  'record in the audit log',
  'request, secrets masked',
] as const;
/** Which of the steps people take part in. */
const asks = steps.indexOf('agreement, where it could break');

interface Arrow {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
  readonly label: string;
  /** Where the middle of the label is. */
  readonly labelAt: readonly [x: number, y: number];
  readonly both?: boolean;
  readonly either?: boolean;
}

const arrows: readonly Arrow[] = [
  { from: [183, 120], to: [247, 120], label: 'MCP', labelAt: [215, 110], both: true },
  { from: [553, 65], to: [622, 65], label: 'HTTP', labelAt: [588, 55], both: true },
  { from: [553, 175], to: [622, 175], label: 'or HTTP', labelAt: [588, 165], both: true, either: true },
  { from: [320, 224], to: [320, 266], label: 'yes or no', labelAt: [360, 250], both: true },
  { from: [480, 224], to: [480, 266], label: 'yes or no', labelAt: [520, 250], both: true },
];

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const boxText = ({ at: [x, y, w, h], title, lines, kind }: Box): string => {
  const middle = x + w / 2;
  const top = lines.length === 0 ? y + 26 : y + h / 2 - lines.length * 8 + 2;
  return [
    `<rect class="${kind}" x="${x}" y="${y}" width="${w}" height="${h}" rx="10"/>`,
    `<text class="title" x="${middle}" y="${top}">${escaped(title)}</text>`,
    ...lines.map((line, index) => `<text x="${middle}" y="${top + 19 + index * 16}">${escaped(line)}</text>`),
  ].join('\n');
};

const stepText = (step: string, index: number): string => {
  const y = 58 + index * 26;
  return `<rect class="step${index === asks ? ' asks' : ''}" x="270" y="${y}" width="260" height="22" rx="5"/>\n<text x="400" y="${y + 15.5}">${index + 1}. ${escaped(step)}</text>`;
};

const arrowText = ({ from, to, label, labelAt, both, either }: Arrow): string =>
  `<path class="arrow${either ? ' either' : ''}" d="M${from.join(' ')}L${to.join(' ')}"${both ? ' marker-start="url(#head)"' : ''} marker-end="url(#head)"/>\n<text class="label" x="${labelAt[0]}" y="${labelAt[1]}">${escaped(label)}</text>`;

/** The picture of how the parts work together, as SVG for light and dark pages. */
export const architecturePicture =
  (): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">How infra-mcp works</title>
<desc id="description">An assistant calls infra-mcp over MCP. ${escaped(steps.map((step, index) => `${index + 1}. ${step}`).join('; '))}. It sends the requests to your platform, or to the embedded one. You or an operator agree or refuse.</desc>
<style>
  svg { --line: #59636e; --text: #1f2328; --dim: #59636e; --plain: #f6f8fa; --server: #ddf4ff; --blue: #0969da; --platform: #dafbe1; --green: #1a7f37; --person: #fff8c5; --yellow: #9a6700; --step: #ffffff; }
  @media (prefers-color-scheme: dark) {
    svg { --line: #9198a1; --text: #e6edf3; --dim: #9198a1; --plain: #151b23; --server: #0c2d4a; --blue: #58a6ff; --platform: #0f2d18; --green: #3fb950; --person: #332a0c; --yellow: #d29922; --step: #0d1117; }
  }
  text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: var(--text); text-anchor: middle; }
  .title { font-size: 15px; font-weight: 700; } .label { fill: var(--dim); }
  .other { fill: var(--plain); stroke: var(--line); } .server { fill: var(--server); stroke: var(--blue); } .platform { fill: var(--platform); stroke: var(--green); }
  .person, .asks { fill: var(--person); stroke: var(--yellow); } .step:not(.asks) { fill: var(--step); }
  .arrow { stroke: var(--line); stroke-width: 1.5; fill: none; } .either { stroke-dasharray: 5 4; } marker path { fill: var(--line); }
</style>
<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L8 4L0 8Z"/></marker>
${boxes.map(boxText).join('\n')}
${steps.map(stepText).join('\n')}
${arrows.map(arrowText).join('\n')}
</svg>
`;
