import { expect } from 'vitest';
import { operatorSecret } from '../support/guard-fixture.ts';

/**
 * Approves a call on the approvals page, like the operator does: enters the secret, then approves the call that the URL
 * names.
 */
export async function approveOnPage(address: string): Promise<void> {
  const page = new URL(address);
  const code = page.searchParams.get('code')!;
  const send = (fields: Record<string, string>, cookie = '') =>
    fetch(new URL('/approvals', page), {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: page.origin, cookie },
      body: new URLSearchParams(fields),
    });
  const cookie = (await send({ do: 'enter', secret: operatorSecret })).headers.get('set-cookie')!.split(';')[0]!;
  const markup = await (await fetch(page, { headers: { cookie } })).text();
  const token = /name="form_token" value="([^"]+)"/.exec(markup)![1]!;
  const typed = /type <strong>([^<]*)<\/strong>/.exec(markup)?.[1];
  const approved = await send(
    { do: 'approve', code, form_token: token, ...(typed !== undefined && { typed }) },
    cookie,
  );
  expect(approved.headers.get('location')).toBe('/approvals?said=approved');
}
