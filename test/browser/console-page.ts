import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { commandLine, temporaryDirectory } from '../support/built-program.ts';
import { operatorSecret, setOperatorSecret } from '../support/guard-fixture.ts';
import { startProgram } from '../support/started-program.ts';

/** Starts `infra-mcp http` with its console and a seeded platform. It ends with the test. */
export async function startConsole() {
  const dataDir = await temporaryDirectory();
  await setOperatorSecret(join(dataDir, 'operator.json'));
  const { ready, child } = await startProgram(
    commandLine(['http', '--port', '0', '--console', '--data-dir', dataDir, '--scenario', 'bad-image-tag']),
  );
  const endpoint = new URL(ready.url);
  return { endpoint, child, at: (path: string) => new URL(`/console/${path}`, endpoint).href };
}

/** Gives the operator's secret at a tab, as a person does. */
export async function enter(tab: Page, address: string): Promise<void> {
  await tab.goto(address);
  await tab.getByLabel('Operator secret').fill(operatorSecret);
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('navigation', { name: 'Console' }).waitFor();
}

/** The tabs, and what each shows once it has read. */
export const tabs: Readonly<Record<string, (tab: Page) => Promise<unknown>>> = {
  approvals: (tab) => tab.getByRole('heading', { name: 'Latest calls' }).waitFor(),
  organization: (tab) => tab.getByRole('heading', { name: 'shop' }).first().waitFor(),
  deployment: (tab) => tab.getByText('Name a service or an environment').waitFor(),
  'deployment?environment=shop/staging': (tab) => tab.getByRole('button', { name: 'Refresh' }).waitFor(),
  'comparison?first=shop/staging&second=shop/production': (tab) =>
    tab.getByText('services in common').first().waitFor(),
  'measurements?project=shop': (tab) => tab.getByRole('heading', { name: 'Measurements' }).waitFor(),
  'deployment?service=no/such/service': (tab) => tab.getByText("Couldn't look:").waitFor(),
  audit: (tab) => tab.getByRole('heading', { name: 'Records' }).waitFor(),
  'audit?verify=yes': (tab) => tab.getByText(/Verified: \d+ entr/).waitFor(),
};
