import { terminalOutcome } from '../../src/contract/states.ts';
import { columns } from '../../src/cli/terminal/columns.ts';
import { withProgress } from '../../src/cli/terminal/progress.ts';
import { type Style, styled } from '../../src/cli/terminal/style.ts';

/** What happens in the story, in the order in which it does. */
export type DemoEvent =
  | { readonly event: 'chapter'; readonly title: string }
  /** `hidden` names an argument that isn't shown. */
  | { readonly event: 'call'; readonly tool: string; readonly arguments: Readonly<Record<string, unknown>>; readonly hidden?: string }
  | { readonly event: 'text'; readonly text: string }
  | { readonly event: 'table'; readonly heading: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly event: 'state'; readonly of: string; readonly state: string }
  | { readonly event: 'question'; readonly text: string; readonly answer: string }
  | { readonly event: 'good'; readonly text: string };

/** Where the story is shown. */
export interface DemoOutput {
  readonly emit: (event: DemoEvent) => void;
  /** Shows that something is waited for, for as long as the work takes. */
  readonly whileWaiting: <Value>(text: string, work: () => Promise<Value>) => Promise<Value>;
}

const hide = ({ arguments: given, hidden }: Extract<DemoEvent, { event: 'call' }>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, name === hidden ? '•••' : value]));

// Ids are too long to be read.
const short = (text: string): string => text.replaceAll(/\b([0-9a-f]{8})-[0-9a-f-]{27}\b/g, '$1…');
const shown = (value: unknown): string => short(typeof value === 'string' ? value : JSON.stringify(value));

const indented = (text: string, by = '    '): string => text.trimEnd().split('\n').map((line) => `${by}${line}`).join('\n');

const endStyles: Readonly<Record<string, Style>> = { good: 'green', bad: 'red' };

type Renderers = { readonly [Kind in DemoEvent['event']]: (event: Extract<DemoEvent, { event: Kind }>) => string };

const renderers: Renderers = {
  chapter: ({ title }) => `\n${styled('bold', title)}`,
  call: (event) => {
    const given = Object.entries(hide(event)).map(([name, value]) => `${name}=${shown(value)}`);
    return `  ${styled('cyan', `→ ${event.tool}`)} ${styled('dim', given.join(' '))}`.trimEnd();
  },
  text: ({ text }) => indented(text),
  table: ({ heading, rows }) => indented(columns(heading, rows)),
  state: ({ of, state }) => indented(`${of} ${styled(endStyles[terminalOutcome('DEPLOY', state) ?? ''] ?? 'yellow', state)}`),
  question: ({ text, answer }) => `${indented(short(text), `    ${styled('magenta', '?')} `)}\n    ${styled('magenta', '!')} the user says: ${answer}`,
  good: ({ text }) => indented(`${styled('green', '✓')} ${text}`),
};

const renderEvent = (event: DemoEvent): string => (renderers[event.event] as (event: DemoEvent) => string)(event);

/** For people: text, in colours where a terminal shows them. */
export const terminalOutput: DemoOutput = {
  emit: (event) => console.log(renderEvent(event)),
  whileWaiting: (text, work) => withProgress(text, work),
};

/** For programs: a line of JSON for each event. */
export const jsonOutput: DemoOutput = {
  emit: (event) => {
    const { hidden: _, ...told } = event.event === 'call' ? { ...event, arguments: hide(event) } : { ...event, hidden: undefined };
    console.log(JSON.stringify(told));
  },
  whileWaiting: (_, work) => work(),
};
