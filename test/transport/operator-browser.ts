import { operatorSecret } from '../support/guard-fixture.ts';

/**
 * What a browser does, without scripts: keeps cookies, sends forms with where they come from, follows redirects.
 * @param path of the page that it is on.
 */
export function browserAt(base: URL, path = '/approvals') {
  const page = new URL(path, base);
  let cookie = '';
  const keep = (answer: Response): Response => {
    const set = answer.headers.get('set-cookie');
    if (set) cookie = set.split(';')[0]!;
    return answer;
  };
  const get = async (query = '', headers: Record<string, string> = {}) =>
    keep(await fetch(new URL(page.href + query), { headers: { ...(cookie && { cookie }), ...headers } }));
  const post = async (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    keep(
      await fetch(page, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          origin: page.origin,
          'content-type': 'application/x-www-form-urlencoded',
          ...(cookie && { cookie }),
          ...headers,
        },
        body: new URLSearchParams(fields),
      }),
    );
  /** The hidden fields of the form about a code, or of the first form. */
  const fieldsFor = async (code?: string): Promise<Record<string, string>> => {
    const markup = await (await get()).text();
    const forms = markup.match(/<form[\s\S]*?<\/form>/g) ?? [];
    const form = code === undefined ? forms[0] : forms.find((one) => one.includes(`value="${code}"`));
    return Object.fromEntries(
      [...(form ?? '').matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
        name!,
        value!,
      ]),
    );
  };
  const follow = async (answer: Response) =>
    answer.status === 303 ? get(answer.headers.get('location')!.replace(path, '')) : answer;
  return {
    get,
    post,
    fieldsFor,
    follow,
    enter: (more: Record<string, string> = {}) => post({ do: 'enter', secret: operatorSecret, ...more }),
    cookie: () => cookie,
  };
}
