import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './cgroups.ts';
import { suiteDirectory } from './own-namespaces.ts';

/** The files of an authority, and of a certificate for both sides. */
export interface TestCertificates {
  readonly directory: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/**
 * Makes an authority and a certificate that it signed, with the file names that Docker's own client looks for.
 * @param addresses of the servers; default loopback
 */
export async function makeCertificates(addresses: readonly string[] = ['127.0.0.1']): Promise<TestCertificates> {
  const directory = await mkdtemp(join(suiteDirectory(), 'certificates-'));
  const file = (name: string): string => join(directory, name);
  const [ca, caKey, cert, key, request, extensions] = [
    'ca.pem',
    'ca-key.pem',
    'cert.pem',
    'key.pem',
    'request.pem',
    'extensions',
  ].map(file) as [string, string, string, string, string, string];
  await writeFile(
    extensions,
    `subjectAltName=${addresses.map((each) => `IP:${each}`).join(',')}\nextendedKeyUsage=serverAuth,clientAuth\n`,
  );
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  runProgram(
    'openssl',
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    caKey,
    '-out',
    ca,
    '-subj',
    '/CN=authority of the tests',
    '-days',
    '2',
  );
  runProgram('openssl', 'req', ...newKey, '-keyout', key, '-out', request, '-subj', '/CN=tests');
  runProgram(
    'openssl',
    'x509',
    '-req',
    '-in',
    request,
    '-CA',
    ca,
    '-CAkey',
    caKey,
    '-CAcreateserial',
    '-out',
    cert,
    '-days',
    '2',
    '-extfile',
    extensions,
  );
  return { directory, ca, cert, key };
}
