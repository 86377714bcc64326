import { render, type ComponentType } from 'preact';
import type { ReadingTool, ViewActions, ViewProps } from '../actions.ts';
import { Words } from '../components/basics.tsx';
import { Frame } from '../components/frame.tsx';
import { ComparisonView } from '../components/comparison.tsx';
import { DeploymentView } from '../components/deployment.tsx';
import { MeasurementsView } from '../components/measurements.tsx';
import { OrganizationView } from '../components/organization.tsx';
import type { JsonRecord, ToolResult } from '../mapping/result.ts';

/** The views that the console shows, by the names of its tabs. */
const shown: Readonly<Record<string, ComponentType<ViewProps>>> = {
  organization: OrganizationView,
  deployment: DeploymentView,
  comparison: ComparisonView,
  measurements: MeasurementsView,
};

const say = (text: string, isError: boolean): ToolResult => ({ isError, content: [{ type: 'text', text }] });

/** Shows a view in an element, which says what it shows and where it is read. */
function showIn(root: HTMLElement): void {
  const { view = '', title = '', tool = '', read = '', header = '', arguments: given = '{}' } = root.dataset;
  const args = JSON.parse(given) as JsonRecord;
  let result = say('Reading…', false);
  let latest = 0;

  /** Reads through the server, which decides what may be read. */
  const readResult = async (name: string, wanted: JsonRecord): Promise<ToolResult> => {
    const query = new URLSearchParams({ tool: name, arguments: JSON.stringify(wanted) });
    const answer = await fetch(`${read}?${query.toString()}`, { headers: { [header]: '1' }, cache: 'no-store' });
    // The session ended: nothing of it may stay on the screen.
    if (answer.status === 403) location.reload();
    if (!answer.ok) throw new Error(String(answer.status));
    return (await answer.json()) as ToolResult;
  };

  const actions: ViewActions = {
    read: (name: ReadingTool, wanted) => readResult(name, wanted),
    // Nobody listens to messages here.
    propose: () => Promise.reject(new Error('The console only looks.')),
  };

  /** Words in place of a view: it reads, or why there is nothing to show. */
  const Waiting = () => (
    <main class="view">
      <h1>{title}</h1>
      <div role="status">
        <Words result={result} />
      </div>
    </main>
  );

  const draw = (): void => {
    const isDrawn = result.isError !== true && result.structuredContent !== undefined;
    render(
      isDrawn ? <Frame view={shown[view]!} tool={tool} args={args} result={result} actions={actions} /> : <Waiting />,
      root,
    );
  };

  const refresh = async (): Promise<void> => {
    const own = (latest += 1);
    const next = await readResult(tool, args).catch(() => undefined);
    if (own !== latest) return;
    // What is shown stays when nobody answers: the page says since when it is not live.
    if (next) result = next;
    else if (result.structuredContent === undefined) result = say("Couldn't look: the server does not respond.", true);
    draw();
  };

  draw();
  void refresh();
  document.addEventListener('infra-changed', () => void refresh());
}

const element = document.getElementById('view');
if (element) showIn(element);
