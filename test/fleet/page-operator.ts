import { setTimeout } from 'node:timers/promises';
import { operatorSecret } from '../support/guard-fixture.ts';

/** An operator who signed in once on the approvals page, and approves calls there, whichever server answers. */
export interface PageOperator {
  /** Approves a call. */
  readonly approve: (code: string) => Promise<void>;
  /** How often the secret was entered. */
  readonly signIns: () => number;
}

const mostAttempts = 40;

/** Tries again what a proxy or a server that is gone didn't answer. */
async function answered(request: () => Promise<Response>): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    // One attempt after the other.
    const answer = await request().catch(() => undefined);
    if (answer && answer.status < 500) return answer;
    if (attempt === mostAttempts) throw new Error(`The approvals page was not there: ${answer?.status}`);
    await setTimeout(100);
  }
}

/** Signs in on the page behind an address. */
export async function signInOnPage(address: URL): Promise<PageOperator> {
  const page = new URL('/approvals', address);
  let cookie = '';
  let count = 0;
  const send = (fields: Record<string, string>): Promise<Response> =>
    answered(() =>
      fetch(page, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: page.origin, cookie },
        body: new URLSearchParams(fields),
      }),
    );
  const signIn = async (): Promise<void> => {
    count += 1;
    cookie = (await send({ do: 'enter', secret: operatorSecret })).headers.get('set-cookie')!.split(';')[0]!;
  };
  await signIn();
  return {
    approve: async (code) => {
      const markup = await (await answered(() => fetch(`${page.href}?code=${code}`, { headers: { cookie } }))).text();
      const token = /name="form_token" value="([^"]+)"/.exec(markup)?.[1];
      if (token === undefined) {
        await signIn();
        throw new Error('The operator was signed out.');
      }
      const typed = /type <strong>([^<]*)<\/strong>/.exec(markup)?.[1];
      await send({ do: 'approve', code, form_token: token, ...(typed !== undefined && { typed }) });
    },
    signIns: () => count,
  };
}
