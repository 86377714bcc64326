import { join } from 'node:path';

/** The TLS files for an engine, by the names that its own client uses. */
export const tlsFilesIn = (directory: string) => ({ ca: join(directory, 'ca.pem'), cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') });
