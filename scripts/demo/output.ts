import { terminalOutcome } from '../../src/contract/index.ts';
import { columns } from '../../src/cli/terminal/columns.ts';
import { withProgress } from '../../src/cli/terminal/progress.ts';
import { type Style, styled } from '../../src/cli/terminal/style.ts';

/** An event of the demo. */
export type DemoEvent =
  | { readonly event: 'chapter'; readonly title: string }
  /** `hidden` is the name of an argument whose value is masked. */
  | {
      readonly event: 'call';
      readonly tool: string;
      readonly arguments: Readonly<Record<string, unknown>>;
      readonly hidden?: string;
    }
  | { readonly event: 'text'; readonly text: string }
  | { readonly event: 'table'; readonly heading: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly event: 'state'; readonly of: string; readonly state: string }
  | { readonly event: 'question'; readonly text: string; readonly answer: string }
  | { readonly event: 'good'; readonly text: string };

/** Shows the events of the demo. */
export interface DemoOutput {
  readonly emit: (event: DemoEvent) => void;
  /** Runs a task and shows progress meanwhile. */
  readonly whileWaiting: <Value>(text: string, task: () => Promise<Value>) => Promise<Value>;
}

const hide = ({ arguments: args, hidden }: Extract<DemoEvent, { event: 'call' }>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).map(([name, value]) => [name, name === hidden ? '•••' : value]));

// Full ids are too long for the terminal.
const short = (text: string): string => text.replaceAll(/\b([0-9a-f]{8})-[0-9a-f-]{27}\b/g, '$1…');
const shown = (value: unknown): string => short(typeof value === 'string' ? value : JSON.stringify(value));

const indented = (text: string, by = '    '): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `${by}${line}`)
    .join('\n');

const endStyles: Readonly<Record<string, Style>> = { good: 'green', bad: 'red' };

type Renderers = { readonly [Kind in DemoEvent['event']]: (event: Extract<DemoEvent, { event: Kind }>) => string };

const renderers: Renderers = {
  chapter: ({ title }) => `\n${styled('bold', title)}`,
  call: (event) => {
    const args = Object.entries(hide(event)).map(([name, value]) => `${name}=${shown(value)}`);
    return `  ${styled('cyan', `→ ${event.tool}`)} ${styled('dim', args.join(' '))}`.trimEnd();
  },
  text: ({ text }) => indented(text),
  table: ({ heading, rows }) => indented(columns(heading, rows, { indent: 4 })),
  state: ({ of, state }) =>
    indented(`${of} ${styled(endStyles[terminalOutcome('DEPLOY', state) ?? ''] ?? 'yellow', state)}`),
  question: ({ text, answer }) =>
    `${indented(short(text), `    ${styled('magenta', '?')} `)}\n    ${styled('magenta', '!')} the user says: ${answer}`,
  good: ({ text }) => indented(`${styled('green', '✓')} ${text}`),
};

const renderEvent = (event: DemoEvent): string => (renderers[event.event] as (event: DemoEvent) => string)(event);

/** Output for people: text, coloured in a terminal. */
export const terminalOutput: DemoOutput = {
  emit: (event) => console.log(renderEvent(event)),
  whileWaiting: (text, task) => withProgress(text, task),
};

/** Output for programs: one line of JSON for each event. */
export const jsonOutput: DemoOutput = {
  emit: (event) => {
    const { hidden: _, ...visible } =
      event.event === 'call' ? { ...event, arguments: hide(event) } : { ...event, hidden: undefined };
    console.log(JSON.stringify(visible));
  },
  whileWaiting: (_, task) => task(),
};
