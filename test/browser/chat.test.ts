import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import type { FakeChat } from '../support/chats/fake-chat.ts';
import { startFakeMattermost } from '../support/chats/fake-mattermost.ts';
import { startFakeSlack } from '../support/chats/fake-slack.ts';
import { failureIn, textOf } from '../support/mcp-clients.ts';
import { secretOf, writeOperators } from '../support/operators-file.ts';
import { startProgram } from '../support/started-program.ts';
import { connectModernHttp } from '../transport/test-server.ts';
import { isWiderThanWindow, problemsIn } from './accessibility.ts';
import { openChatPage } from './chat-page.ts';
import { useTabs } from './tabs.ts';

const openTab = useTabs();

const path = 'shop/production/checkout-api';

const calls = {
  /** Has a path to type. */
  deploy: ['deploy_application', { application_id: path }],
  /** Has a plan that no message shows whole. */
  configure: [
    'set_environment_variables',
    {
      application: path,
      variables: Object.fromEntries(
        Array.from({ length: 30 }, (_, index) => [`SETTING_${index}`, `${index} ${'of many words '.repeat(12)}`]),
      ),
    },
  ],
} as const;

/** A server with a chat, which people see in tabs. The chat is gone with the test. */
async function open(start: () => Promise<FakeChat>) {
  const [dataDir, chat] = [await temporaryDirectory(), await start()];
  onTestFinished(() => chat.close());
  const files = { ...chat.files, 'policy.yaml': 'operator_only: [disruptive, destructive, sensitive]\n' };
  for (const [name, text] of Object.entries(files)) await writeFile(join(dataDir, name), text);
  await writeOperators(join(dataDir, 'operators.json'), { ada: { chat: 'U-ADA' } });
  const options = ['--policy-file', 'policy.yaml', '--approvals-operators', 'operators.json'];
  const { ready } = await startProgram({
    ...commandLine(['http', '--port', '0', '--approvals-page', ...options, '--approvals-chat', 'chat.yaml'], {
      INFRA_DATA_DIR: dataDir,
      INFRA_TIME_SCALE: '0',
    }),
    cwd: dataDir,
  });
  chat.connect(new URL('/approvals/chat', ready.url).href);
  const page = await openChatPage(chat);
  onTestFinished(() => page[Symbol.asyncDispose]());
  const client = await connectModernHttp(new URL(ready.url));
  return {
    /** Makes a call, which waits or is carried out. */
    call: (which: keyof typeof calls) => {
      const [tool, args] = calls[which];
      return client.call(tool, args);
    },
    /** The chat as one person sees it. */
    as: async (user: string): Promise<Page> => {
      const tab = await openTab();
      await tab.goto(page.addressFor(user));
      return tab;
    },
  };
}

const message = (tab: Page) => tab.getByRole('article');
const buttons = (tab: Page) => message(tab).getByRole('button').allInnerTexts();

/** Looks at a page of ours as everybody may see it. */
async function examine(tab: Page, what: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await tab.emulateMedia({ colorScheme });
    expect(await problemsIn(tab), `${what}, ${colorScheme}`).toEqual([]);
    expect(await isWiderThanWindow(tab), `${what}, ${colorScheme}`).toBe(false);
  }
}

describe.skipIf(!hasBrowser).each([
  ['Slack', async () => (await startFakeSlack(Date.now)).chat],
  ['Mattermost', async () => (await startFakeMattermost()).chat],
])('in a browser, a channel of %s', (_, start) => {
  test('has a call approved once its path is typed, and tells everybody by whom', async () => {
    const { call, as } = await open(start);
    const [ada, other] = [await as('U-ADA'), await as('U-OTHER')];
    expect(failureIn(await call('deploy'))).toMatchObject({ kind: 'pending' });
    await message(ada).getByRole('button', { name: 'Approve' }).click();
    await ada.getByLabel('What to type').fill('shop/staging/checkout-api');
    await ada.locator('form').getByRole('button', { name: 'Approve' }).click();
    await ada.getByRole('alert').filter({ hasText: /./ }).waitFor();
    expect(await buttons(other)).toHaveLength(2);
    await ada.getByLabel('What to type').fill(path);
    await ada.locator('form').getByRole('button', { name: 'Approve' }).click();
    await other.getByText('Approved by ada, in the chat.').first().waitFor();
    expect(await buttons(other)).toEqual([]);
    expect(await ada.locator('form').count()).toBe(0);
    expect((await call('deploy')).isError).toBeFalsy();
  });

  test('has a call refused with a reason, which the assistant is told', async () => {
    const { call, as } = await open(start);
    const ada = await as('U-ADA');
    await call('deploy');
    await message(ada).getByRole('button', { name: 'Refuse' }).click();
    await ada.getByLabel('Why, for whoever asked').fill('the sale has begun');
    await ada.locator('form').getByRole('button', { name: 'Refuse' }).click();
    await ada.getByText('Refused by ada, in the chat.').first().waitFor();
    expect(await message(ada).innerText()).toContain('the sale has begun');
    expect(await buttons(ada)).toEqual([]);
    const told = await call('deploy');
    expect(failureIn(told)).toMatchObject({ why: 'operator_refused' });
    expect(textOf(told)).toContain('the sale has begun');
  });

  test('tells only whoever pressed a button that they may not decide', async () => {
    const { call, as } = await open(start);
    const [ada, stranger] = [await as('U-ADA'), await as('U-STRANGER')];
    await call('deploy');
    await message(stranger).getByRole('button', { name: 'Approve' }).click();
    await stranger.getByRole('listitem').waitFor();
    expect(await ada.getByRole('listitem').count()).toBe(0);
    expect(await buttons(ada)).toHaveLength(2);
    expect(failureIn(await call('deploy'))).toMatchObject({ kind: 'pending' });
  });

  test('leads to the page where a plan is too long to be approved in it, and says what was decided there', async () => {
    const { call, as } = await open(start);
    const ada = await as('U-ADA');
    await call('configure');
    await message(ada).getByRole('button').waitFor();
    expect(await buttons(ada)).toEqual(['Refuse']);
    const [page] = await Promise.all([
      ada.waitForEvent('popup'),
      ada.getByRole('link', { name: 'This call on the approvals page' }).click(),
    ]);
    await page.getByLabel('Operator secret').waitFor();
    await examine(page, 'signing in');
    await page.getByLabel('Operator name').fill('ada');
    await page.getByLabel('Operator secret').fill(secretOf('ada'));
    await page.getByRole('button', { name: 'Sign in' }).click();
    const waiting = page.getByRole('article');
    await waiting.getByText('SETTING_29').first().waitFor();
    await examine(page, 'the call');
    await waiting.getByLabel('To approve it, type').fill(path);
    await waiting.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved, for one call').waitFor();
    await examine(page, 'after the decision');
    await ada.getByText('Approved by ada, on the approvals page.').first().waitFor();
    expect(await buttons(ada)).toEqual([]);
    expect((await call('configure')).isError).toBeFalsy();
  });
});
