import * as z from 'zod';
import { readConfiguredFile } from './configured-file.ts';
import { HttpAddress } from './http-address.ts';

const Port = z.int().min(1).max(65_535);

/** What a cluster of the clusters file may say of the proxy that serves its public ports. */
export const ProxyOfCluster = z.strictObject({
  http_port: Port.optional(),
  https_port: Port.optional(),
  certificates: z.boolean().optional(),
  bind: z.union([z.ipv4(), z.ipv6()]).optional(),
  image: z.string().min(1).optional(),
  email: z.email().optional(),
  acme_directory: HttpAddress('must be the https:// address of the directory of an ACME server', ({ scheme }) => scheme === 'https').optional(),
  acme_root_file: z.string().optional(),
}).refine(({ acme_directory: directory, acme_root_file: root }) => root === undefined || directory !== undefined, { error: 'must have acme_directory where it has acme_root_file' });

/**
 * The same in the words of the runtime. What is left out is its default.
 * @param from resolves a path of the clusters file
 * @throws Error if the file with the root of the authority can't be read, or has no certificate
 */
export async function publicPortSettings({ http_port: httpPort, https_port: httpsPort, acme_directory: directory, acme_root_file: file, ...rest }: z.output<typeof ProxyOfCluster>, from: (path: string) => string) {
  const root = file === undefined ? undefined : await readConfiguredFile(from(file), 'The file that "acme_root_file" names');
  if (root !== undefined && !root.includes('-----BEGIN CERTIFICATE-----')) throw new Error(`The file that "acme_root_file" names has no certificate in PEM format: ${from(file!)}.`);
  return {
    ...rest, ...(httpPort !== undefined && { httpPort }), ...(httpsPort !== undefined && { httpsPort }),
    ...(directory !== undefined && { authority: { directory, ...(root !== undefined && { root }) } }),
  };
}
