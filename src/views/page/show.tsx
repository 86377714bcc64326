import { render, type ComponentType } from 'preact';
import { readingTools, type ViewActions, type ViewProps } from './actions.ts';
import { connectToHost } from './bridge.ts';
import { Frame } from './components/frame.tsx';
import { isRecord, textOf, type JsonRecord, type ToolResult } from './mapping/result.ts';

/** The host's styles that views take over. Some alone could make text that nobody can read. */
const takenTogether = [
  '--color-background-primary',
  '--color-background-secondary',
  '--color-text-primary',
  '--color-text-secondary',
  '--color-border-primary',
];
const takenAlone = ['--font-sans', '--font-mono'];

/** Takes over the theme and the styles of the host. */
function wear({ theme, styles }: JsonRecord): void {
  const { style } = document.documentElement;
  if (theme === 'light' || theme === 'dark') style.colorScheme = theme;
  const variables = isRecord(styles) && isRecord(styles['variables']) ? styles['variables'] : {};
  const hasAll = takenTogether.every((name) => typeof variables[name] === 'string');
  for (const name of [...takenAlone, ...(hasAll ? takenTogether : [])])
    if (typeof variables[name] === 'string') style.setProperty(name, variables[name]);
}

const waiting = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });

/** Shows a view in its page: the results that the host sends, until the page ends. */
export function show(name: string, view: ComponentType<ViewProps>): void {
  const root = document.getElementById('view')!;
  let [tool, args, result]: [string | undefined, JsonRecord, ToolResult] = [
    undefined,
    {},
    waiting('Waiting for the result…'),
  ];
  const draw = (): void =>
    render(<Frame view={view} tool={tool} args={args} result={result} actions={actions} />, root);
  const host = connectToHost(name, {
    input: (given) => {
      args = given;
      draw();
    },
    result: (given) => {
      result = given;
      draw();
    },
    cancelled: () => {
      result = waiting('The call was cancelled.');
      draw();
    },
    begun: () => {
      const { documentElement: page } = document;
      new ResizeObserver(() => host.tellHeight(Math.ceil(page.getBoundingClientRect().height))).observe(page);
    },
    context: (context) => {
      wear(context);
      const { toolInfo } = context;
      if (isRecord(toolInfo) && isRecord(toolInfo['tool'])) tool = textOf(toolInfo['tool']['name']);
      draw();
    },
  });
  const actions: ViewActions = {
    read: (reader, given) =>
      readingTools.includes(reader) ? host.callTool(reader, given) : Promise.reject(new Error('Views only read.')),
    propose: host.writeMessage,
  };
  draw();
}
