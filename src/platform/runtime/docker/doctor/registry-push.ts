import { sendRequest } from '../../../../outgoing/index.ts';
import { errorMessage } from '../../../common/index.ts';

/** The time limit for each answer, in milliseconds. */
const timeoutMilliseconds = 10_000;

/** The registry and repository to try a push to. */
interface PushTarget {
  /** The address of the registry, with its scheme. */
  readonly url: string;
  /** A repository that the platform may use. */
  readonly repository: string;
  readonly credentials: { readonly username: string; readonly password: string } | undefined;
}

/**
 * The result of the attempt: images are accepted, or refused for a reason; or it is unknown, because this machine
 * doesn't reach the registry.
 */
export type PushTry = { readonly is: 'taken' } | { readonly is: 'refused' | 'unknown'; readonly why: string };

/** The maximum size of a token's response, in bytes. */
const maximumBytes = 1024 * 1024;

const send = (method: 'GET' | 'POST' | 'DELETE', url: URL, authorization: string | undefined) =>
  sendRequest(url, {
    method,
    headers: authorization === undefined ? {} : { authorization },
    signal: AbortSignal.timeout(timeoutMilliseconds),
    limit: maximumBytes,
  });

/** A header of a response; empty if it has none. */
const headerOf = ({ headers }: Awaited<ReturnType<typeof send>>, name: string): string => String(headers[name] ?? '');

/** The value of a parameter of a challenge, such as its realm. */
const parameter = (challenge: string, name: string): string | undefined =>
  new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1];

/** Gets the token that a registry requires, as registry clients do. @throws Error that says why it is refused */
async function tokenOf(
  challenge: string,
  registry: URL,
  repository: string,
  basic: string | undefined,
): Promise<string> {
  const realm = new URL(parameter(challenge, 'realm') ?? '');
  if (realm.protocol !== 'https:' && realm.hostname !== registry.hostname)
    throw new Error(`the registry requires a sign-in at ${realm.origin}, where credentials could be intercepted`);
  const service = parameter(challenge, 'service');
  if (service !== undefined) realm.searchParams.set('service', service);
  realm.searchParams.set('scope', `repository:${repository}:pull,push`);
  const response = await send('GET', realm, basic);
  if (!response.ok) throw new Error(`${realm.host} issued no token (status ${response.status})`);
  const { token, access_token: other } = JSON.parse(response.text) as { token?: string; access_token?: string };
  return `Bearer ${token ?? other}`;
}

/** Tries whether a registry accepts images: starts an upload, and cancels it. Nothing of it is left. */
export async function tryPush({ url, repository, credentials }: PushTarget): Promise<PushTry> {
  const uploads = new URL(`/v2/${repository}/blobs/uploads/`, url);
  let authorization =
    credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`;
  try {
    let response = await send('POST', uploads, authorization);
    const challenge = headerOf(response, 'www-authenticate');
    if (response.status === 401 && challenge.toLowerCase().startsWith('bearer ')) {
      authorization = await tokenOf(challenge, uploads, repository, authorization);
      response = await send('POST', uploads, authorization);
    }
    if (response.status !== 202)
      return { is: 'refused', why: `the status ${response.status} at the start of an upload` };
    const upload = new URL(headerOf(response, 'location'), uploads);
    // Credentials are sent only to the registry.
    await send('DELETE', upload, upload.origin === uploads.origin ? authorization : undefined);
    return { is: 'taken' };
  } catch (error) {
    return { is: 'unknown', why: errorMessage(error) };
  }
}
