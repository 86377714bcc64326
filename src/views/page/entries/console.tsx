import { render, type ComponentType } from 'preact';
import type { ReadingTool, ViewActions, ViewProps } from '../actions.ts';
import { Frame } from '../components/frame.tsx';
import { OrganizationView } from '../components/organization.tsx';
import type { JsonRecord, ToolResult } from '../mapping/result.ts';

/** The views that the console shows, by the names of its tabs. */
const shown: Readonly<Record<string, ComponentType<ViewProps>>> = { organization: OrganizationView };

const root = document.getElementById('view')!;
const { view = '', tool = '', read = '', header = '', arguments: given = '{}' } = root.dataset;
const args = JSON.parse(given) as JsonRecord;

const say = (text: string, isError: boolean): ToolResult => ({ isError, content: [{ type: 'text', text }] });

/** Reads through the server, which decides what may be read. */
async function readResult(name: string, wanted: JsonRecord): Promise<ToolResult> {
  const query = new URLSearchParams({ tool: name, arguments: JSON.stringify(wanted) });
  const answer = await fetch(`${read}?${query.toString()}`, { headers: { [header]: '1' }, cache: 'no-store' });
  // The session ended: nothing of it may stay on the screen.
  if (answer.status === 403) location.reload();
  return (await answer.json()) as ToolResult;
}

let result = say('Reading…', false);

const actions: ViewActions = {
  read: (name: ReadingTool, wanted) => readResult(name, wanted),
  // Nobody listens to messages here.
  propose: () => Promise.reject(new Error('The console only looks.')),
};

const draw = (): void =>
  render(<Frame view={shown[view]!} tool={tool} args={args} result={result} actions={actions} />, root);

let number = 0;

async function refresh(): Promise<void> {
  const own = (number += 1);
  const next = await readResult(tool, args).catch(() => undefined);
  if (own !== number) return;
  // What is shown stays when nobody answers: the page says since when it is not live.
  if (next) result = next;
  else if (result.structuredContent === undefined) result = say("Couldn't look: the server does not respond.", true);
  draw();
}

draw();
void refresh();
document.addEventListener('infra-changed', () => void refresh());
