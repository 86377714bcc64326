import * as z from 'zod';
import { shortened } from '../../../../contract/index.ts';
import type { DockerContext, OwnObjects } from '../docker-context.ts';
import { readDockerContainerLogs } from '../api/index.ts';
import { proxyName } from '../names.ts';

/** A line of the proxy's log about a certificate that it could not get. Other lines don't match. */
const Failure = z.object({
  level: z.literal('error'),
  logger: z.string().regex(/^tls\.|acme/),
  identifier: z.string(),
  error: z.string(),
});

/**
 * How much of the log is read, in lines and in milliseconds, and the timeout of the read. At first, failures are
 * repeated within minutes.
 */
const newestLines = 500;
const newestMilliseconds = 10 * 60_000;
const timeoutMilliseconds = 5000;

/** The longest reason that is reported, in characters. */
const longestReason = 300;

const failureIn = (line: string): z.output<typeof Failure> | undefined => {
  try {
    return Failure.safeParse(JSON.parse(line)).data;
  } catch {
    // Not every line is JSON.
    return undefined;
  }
};

/**
 * Returns why the proxy has no certificate for a host yet, as the authority or the proxy reports it.
 * @returns undefined if nothing was reported
 */
export async function certificateProblem(
  { docker, platformId, clock }: OwnObjects & Pick<DockerContext, 'clock'>,
  host: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  let found: string | undefined;
  try {
    for await (const { text } of readDockerContainerLogs(docker, proxyName(platformId), {
      since: String(Math.floor((clock.now() - newestMilliseconds) / 1000)),
      tail: newestLines,
      signal,
      timeoutMilliseconds,
    })) {
      const failure = failureIn(text);
      if (failure?.identifier === host) found = failure.error;
    }
  } catch {
    // The lines that could be read count: the reason only adds to the report.
    signal.throwIfAborted();
  }
  return found && shortened(found, longestReason);
}
