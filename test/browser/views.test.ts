import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Frame } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { viewUri } from '../../src/views/index.ts';
import { viewPage } from '../../src/views/build-page.ts';
import { hasBrowser } from '../support/browser.ts';
import { connectModern } from '../support/mcp-clients.ts';
import { showing } from '../support/view-clients.ts';
import { startFullServer } from '../transport/full-server.ts';
import { useTabs } from './tabs.ts';
import { showView, type JsonRecord, type Shown, type ToolResult } from './view-host.ts';
import { failedResult, foundLog, measuredLater, viewStates, type ViewState } from './view-results.ts';

const openTab = useTabs();

/** Shows one of the states. */
async function show({ view, ...shown }: ViewState, more: Partial<Shown> = {}) {
  const tab = await openTab();
  return { tab, ...(await showView(tab, { ...shown, html: await viewPage(view), ...more })) };
}

/** Answers calls with results in turn, and keeps what was called. The last result is repeated. */
function answering(...results: readonly ToolResult[]) {
  const calls: (readonly [string, JsonRecord])[] = [];
  return {
    calls,
    answer: async (tool: string, args: JsonRecord): Promise<ToolResult> => {
      calls.push([tool, args]);
      return results[Math.min(calls.length, results.length) - 1]!;
    },
  };
}

/** The texts that a view wrote for the assistant. */
const written = async (said: Awaited<ReturnType<typeof show>>['said']): Promise<readonly string[]> =>
  (await said()).flatMap(({ method, params }) =>
    method === 'ui/message' ? [(params!['content'] as readonly { text: string }[])[0]!.text] : [],
  );

const button = (frame: Frame, name: string) => frame.getByRole('button', { name, exact: true });

describe.skipIf(!hasBrowser)('the view of an organization', () => {
  test('shows projects with the worst environment first, and reads the services of one that is opened, once', async () => {
    const { answer, calls } = answering(viewStates['an environment'].result);
    const { frame } = await show(viewStates['an organization'], { answer });
    expect(await frame.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      expect.stringMatching(/^data\b.*failed$/),
      expect.stringMatching(/^shop\b.*alerting$/),
      'What could be done next',
    ]);
    expect(calls).toEqual([]);
    const summary = frame.locator('summary').filter({ hasText: 'development' });
    await summary.click();
    await frame.getByText('migrate-schema', { exact: true }).waitFor();
    expect(calls).toEqual([['get_environment_overview', { environment: 'data/development' }]]);
    await summary.click();
    await summary.click();
    expect(calls).toHaveLength(1);
  });

  test('reads again with the arguments of its call, and keeps what it shows if that fails', async () => {
    const { answer, calls } = answering(failedResult, viewStates['an environment'].result);
    const { frame } = await show(viewStates['an environment'], { answer });
    await button(frame, 'Refresh').click();
    await frame.getByRole('alert').filter({ hasText: 'The platform did not answer.' }).waitFor();
    expect(await frame.getByText('importer', { exact: true }).count()).toBeGreaterThan(0);
    await button(frame, 'Refresh').click();
    await frame.getByRole('alert').waitFor({ state: 'detached' });
    expect(calls).toEqual([0, 1].map(() => ['get_environment_overview', { environment: 'data/development' }]));
  });
});

describe.skipIf(!hasBrowser)('the view of a deployment', () => {
  test('shows its steps and its cause, and searches the log of the diagnosed service by level and text', async () => {
    const { answer, calls } = answering(foundLog);
    const { frame } = await show(viewStates['a failed deployment'], { answer });
    expect(await frame.locator('.timeline li').allInnerTexts()).toEqual([
      expect.stringContaining('deploy begun by Cleo Marchetti'),
      expect.stringMatching(/SUCCESS\s+DEPLOYMENT_QUEUEING\s+took 7 s/),
      expect.stringMatching(/SUCCESS\s+MIRROR_IMAGE\s+took 2 s/),
      expect.stringMatching(/ERROR\s+DEPLOYMENT\s+took 2 min/),
      expect.stringContaining('ended as DEPLOYMENT_ERROR'),
    ]);
    await frame.getByLabel('Text').fill('ready');
    await frame.getByLabel('Level').selectOption('warn');
    await frame.getByLabel('Text').press('Enter');
    await frame.getByRole('region', { name: 'Lines that were found' }).getByText('connection refused').waitFor();
    expect(calls).toEqual([
      ['search_logs', { service: 's1', deployment: 'd1', text: 'ready', level: 'warn', limit: 100 }],
    ]);
  });

  test('changes nothing: the next call is a message for the assistant, which the host may refuse', async () => {
    const { answer, calls } = answering(foundLog);
    const { frame, said } = await show(viewStates['a failed deployment'], { answer });
    await button(frame, 'Ask for update_container').click();
    await frame.getByText('Written into the conversation.').waitFor();
    const [message] = await written(said);
    expect(message).toContain('update_container');
    expect(JSON.parse(message!.split('\n')[1]!)).toMatchObject({ container: 's1' });
    expect(calls).toEqual([]);

    const other = await show(viewStates['a failed deployment'], { refusesMessages: true });
    await button(other.frame, 'Ask for update_container').click();
    await other.frame.getByText('The host did not take the message.').waitFor();
  });
});

describe.skipIf(!hasBrowser)('the view of a difference', () => {
  test('shows both sides of each difference, and which has nothing', async () => {
    const { frame } = await show(viewStates['two environments']);
    const row = frame.getByRole('row', { name: 'PAYMENT_API_KEY' });
    expect(await row.getByRole('cell').allInnerTexts()).toEqual(['set', 'not there']);
  });

  test('of a dry run says what would happen, and asks for it without the dry run', async () => {
    const { frame, said } = await show(viewStates['a plan']);
    expect(await frame.getByRole('list', { name: 'What would happen' }).innerText()).toContain('cpu: 500 → 750');
    await button(frame, 'Ask to carry it out').click();
    await frame.getByText('Written into the conversation.').waitFor();
    const [message] = await written(said);
    expect(JSON.parse(message!.split('\n')[1]!)).toEqual({ application: 'shop/production/api', cpu: 750 });
  });
});

describe.skipIf(!hasBrowser)('the view of measurements', () => {
  test('draws a line once there are two measurements, and says it in words', async () => {
    const { answer, calls } = answering(measuredLater);
    const { frame } = await show(viewStates['what was measured'], { answer });
    expect(await frame.getByRole('img').count()).toBe(0);
    expect(await frame.getByText('120 of 500 m (24 %)').count()).toBe(1);
    await button(frame, 'Refresh').click();
    await frame.getByRole('img', { name: 'CPU: 2 measurements, from 120 to 260 m' }).waitFor();
    expect(calls).toEqual([['get_service', { service: 'shop/staging/api' }]]);
  });
});

describe.skipIf(!hasBrowser)('a view', () => {
  test('is used by keyboard: what can be pressed has the focus in order, and the log can be scrolled', async () => {
    const { tab, frame } = await show(viewStates['a failed deployment']);
    await frame.getByRole('button', { name: 'Refresh' }).focus();
    const order: string[] = [];
    for (let step = 0; step < 6; step += 1) {
      await tab.keyboard.press('Tab');
      order.push(
        await frame.evaluate<string>(
          `(({ localName, ariaLabel, textContent }) => [localName, ariaLabel ?? textContent].join(' '))(document.activeElement)`,
        ),
      );
    }
    expect(order).toEqual([
      'button Ask for update_container',
      'button Ask for deploy_service',
      'div Lines that matter',
      'input ',
      expect.stringMatching(/^select /),
      'button Search',
    ]);
  });

  test('opens what is closed by the return key', async () => {
    const { answer, calls } = answering(viewStates['an environment'].result);
    const { tab, frame } = await show(viewStates['an organization'], { answer });
    await frame.locator('summary').first().focus();
    await tab.keyboard.press('Enter');
    await frame.getByText('migrate-schema', { exact: true }).waitFor();
    expect(calls).toHaveLength(1);
  });

  test('takes over the theme of its host, its height is told, and both change', async () => {
    const { frame, said, send } = await show(viewStates['an organization'], { context: { theme: 'dark' } });
    const ground = (): Promise<string> => frame.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(await ground()).toBe('rgb(20, 24, 29)');
    await send({ method: 'ui/notifications/host-context-changed', params: { theme: 'light' } });
    await expect.poll(ground).toBe('rgb(255, 255, 255)');
    const heights = (await said()).flatMap(({ method, params }) =>
      method === 'ui/notifications/size-changed' ? [Number(params!['height'])] : [],
    );
    expect(heights.at(-1)).toBe(await frame.evaluate<number>('Math.ceil(document.documentElement.offsetHeight)'));
  });

  test('says in words what failed, and that a call was cancelled', async () => {
    const { frame, send } = await show({ ...viewStates['an organization'], result: failedResult });
    expect(await frame.locator('pre').innerText()).toBe('The platform did not answer.');
    await send({ method: 'ui/notifications/tool-cancelled', params: {} });
    await frame.getByText('The call was cancelled.').waitFor();
  });

  test('listens to its host only', async () => {
    const { tab, frame } = await show(viewStates['an organization']);
    await tab.evaluate(
      `new Promise((done) => {
        const other = document.createElement('iframe');
        other.srcdoc = '<script>parent.frames[0].postMessage({ jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: [{ type: "text", text: "from elsewhere" }] } }, "*")</' + 'script>';
        other.onload = done;
        document.body.append(other);
      })`,
    );
    expect(await frame.getByText('from elsewhere').count()).toBe(0);
    expect(await frame.getByRole('heading', { name: 'Acme' }).count()).toBe(1);
  });
});

/** Markup that would run something, or reach something, wherever it became more than text. */
const attack = `<img src=x onerror="parent.postMessage('run','*')"><script>parent.postMessage('run','*')</script><a href="javascript:parent.postMessage('run','*')">here</a>`;

/** The same value with markup in every text that is shown. */
const attacked = (value: unknown, name = ''): unknown => {
  if (Array.isArray(value)) return value.map((one) => attacked(one, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, attacked(one, key)]));
  // Times and what is told apart by its word stay as they are.
  return typeof value === 'string' && !['at', 'since', 'measured_at', 'outcome'].includes(name)
    ? `${value} ${attack}`
    : value;
};

describe.skipIf(!hasBrowser)('with markup in every text, a view', () => {
  test.each(Object.keys(viewStates) as (keyof typeof viewStates)[])(
    'of %s shows it as text, and runs nothing',
    async (name) => {
      const { view, tool, args, result } = viewStates[name];
      const hostile = attacked(result) as ToolResult;
      const { frame, said } = await show(
        { view, tool, args, result: { ...hostile, isError: undefined } },
        { answer: async () => attacked(foundLog) as ToolResult },
      );
      expect(await frame.locator('img:not(svg), a, main script').count()).toBe(0);
      expect(await frame.locator('main').innerText()).toContain('<img src=x onerror=');
      for (const search of await frame.getByRole('button', { name: 'Search' }).all()) {
        await search.click();
        await frame.getByRole('region', { name: 'Lines that were found' }).waitFor();
      }
      expect(await frame.locator('img:not(svg), a, main script').count()).toBe(0);
      expect((await said()).filter((message) => (message as unknown) === 'run')).toEqual([]);
    },
  );

  test('can neither make markup of text, nor run another script, nor reach anything', async () => {
    const { frame } = await show(viewStates['an organization']);
    const tried = await frame.evaluate<readonly string[]>(`(async () => {
      const outcomes = [];
      try { document.body.insertAdjacentHTML('beforeend', '<b>bold</b>'); outcomes.push('markup'); } catch (error) { outcomes.push(error.name); }
      const script = document.createElement('script');
      try { script.text = 'window.ran = true'; document.body.append(script); } catch (error) { outcomes.push(error.name); }
      outcomes.push(String(window.ran));
      outcomes.push(await fetch('https://example.invalid/').then(() => 'reached', (error) => error.name));
      outcomes.push(await new Promise((done) => {
        addEventListener('securitypolicyviolation', ({ effectiveDirective }) => effectiveDirective === 'img-src' && done(effectiveDirective));
        const image = new Image();
        image.src = 'https://example.invalid/x.png';
      }));
      return outcomes;
    })()`);
    expect(tried).toEqual(['TypeError', 'TypeError', 'undefined', 'TypeError', 'img-src']);
  });
});

/** A view, the call whose result it shows, its heading, and what it reads when somebody uses it. */
const realCalls = [
  [
    'organization',
    'get_organization_overview',
    {},
    'Acme',
    async (frame: Frame) => {
      await frame.locator('summary').filter({ hasText: 'development' }).click();
      await frame.getByText('importer', { exact: true }).waitFor();
    },
  ],
  [
    'deployment',
    'diagnose_deployment',
    { environment: 'data/development' },
    'importer',
    async (frame: Frame) => {
      await button(frame, 'Search').click();
      const found = frame.getByRole('region', { name: 'Lines that were found' });
      await found.getByText('never became ready').first().waitFor();
    },
  ],
  [
    'comparison',
    'compare_environments',
    { first: 'shop/staging', second: 'shop/production' },
    'shop/staging',
    undefined,
  ],
  ['measurements', 'get_service', { service: 'shop/staging/checkout-api' }, 'Measurements', undefined],
] as const;

describe.skipIf(!hasBrowser)('with a real server', () => {
  test('every view shows what its tool answers, and reads more through the host', async () => {
    const { server, close } = await startFullServer();
    onTestFinished(close);
    const transport = new StreamableHTTPClientTransport(server.url);
    const { client } = await connectModern(transport, undefined, undefined, showing);
    const call = async (name: string, args: JsonRecord): Promise<ToolResult> =>
      (await client.callTool({ name, arguments: { ...args } })) as ToolResult;
    for (const [view, tool, args, heading, use] of realCalls) {
      const { contents } = await client.readResource({ uri: viewUri(view) });
      const { text: html } = contents[0] as { text: string };
      const { frame } = await showView(await openTab(), {
        html,
        tool,
        args,
        result: await call(tool, args),
        answer: call,
      });
      expect(await frame.getByRole('heading', { level: 1 }).innerText()).toContain(heading);
      await use?.(frame);
    }
    await client.close();
  });
});
