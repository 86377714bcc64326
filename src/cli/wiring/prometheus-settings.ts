import * as z from 'zod';
import { readConfiguredValue } from './configured-file.ts';
import { HttpAddress, isBare } from '../../platform/common/index.ts';

/** The Prometheus of the clusters file. Without an address it only fetches metrics. */
export const PrometheusOfFile = z
  .strictObject({
    url: HttpAddress(
      'must be an address such as http://127.0.0.1:9090, without credentials, query or fragment',
      isBare,
    ).optional(),
    ca: z.string().optional(),
    token_file: z.string().optional(),
    username: z.string().optional(),
    password_file: z.string().optional(),
  })
  .refine(({ username, password_file: password }) => (username === undefined) === (password === undefined), {
    error: 'must have both username and password_file, or none of them',
  })
  .refine(({ token_file: token, username }) => token === undefined || username === undefined, {
    error: 'must have token_file or username, not both',
  })
  .refine(({ url, ...rest }) => url !== undefined || Object.keys(rest).length === 0, {
    error: 'must have a url, which the other settings are about',
  });

/**
 * Converts the Prometheus of the clusters file to the platform's settings.
 * @param from resolves a path of the clusters file
 * @throws Error that names the file that can't be read
 */
export async function prometheusSettings(
  { url, ca, token_file: token, username, password_file: password }: z.output<typeof PrometheusOfFile>,
  from: (path: string) => string,
) {
  const basic =
    username !== undefined && password !== undefined
      ? `Basic ${Buffer.from(`${username}:${await readConfiguredValue(from(password), 'The password_file of "prometheus"')}`).toString('base64')}`
      : undefined;
  const authorization =
    token === undefined ? basic : `Bearer ${await readConfiguredValue(from(token), 'The token_file of "prometheus"')}`;
  return url === undefined
    ? {}
    : {
        evaluation: {
          url: url.replace(/\/+$/, ''),
          ...(authorization !== undefined && { authorization }),
          ...(ca !== undefined && { ca: await readConfiguredValue(from(ca), 'The certificate "ca" of "prometheus"') }),
        },
      };
}
