import { isIP } from 'node:net';
import { clean } from '../../server/redaction/index.ts';
import { portHolder } from './port-holder.ts';

/** An address that a command was told to listen on. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Why an address can't be listened on, by the system's error code. */
const listenErrors: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'this machine does not know that name',
};

/** The flags that set an address. */
export interface AddressFlags {
  readonly host: string;
  readonly port: string;
}

const addressRemedy = ({ host }: AddressFlags): string => `Choose an address of this machine with ${host}, such as 127.0.0.1.`;

const remedies: Readonly<Record<string, (flags: AddressFlags) => string>> = {
  EADDRINUSE: ({ port }) => `End that, or choose another port with ${port}; ${port} 0 takes any that is free.`,
  EACCES: ({ port }) => `Choose a port above 1023 with ${port}.`,
  EADDRNOTAVAIL: addressRemedy,
  ENOTFOUND: addressRemedy,
};

/** What Node says of an address that can't be listened on. */
export interface ListenError extends NodeJS.ErrnoException {
  /** The address in numbers that was tried: a name may stand for several. */
  readonly address?: string;
}

/** Why an address can't be listened on, with the process that has it if the system tells. */
export async function listenProblem({ code = '', message, address: tried = '' }: ListenError, port: number): Promise<string> {
  const holder = code === 'EADDRINUSE' && isIP(tried) ? await portHolder(tried, port) : undefined;
  return holder ? `process ${holder.pid} (${clean(holder.name)}) listens there` : (listenErrors[code] ?? message);
}

/**
 * Runs what starts to listen on an address.
 * @param flags that set the address.
 * @throws Error that says why the address can't be used and what to do. Other errors are passed on.
 */
export async function listeningOn<Result>(address: Address, start: () => Promise<Result>, flags: AddressFlags = { host: '--host', port: '--port' }): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    const { code = '', syscall } = error as ListenError;
    if ((syscall !== 'listen' && syscall !== 'getaddrinfo') || !Object.hasOwn(remedies, code)) throw error;
    throw new Error(`Can't listen on port ${address.port} of ${address.host}: ${await listenProblem(error as ListenError, address.port)}. ${remedies[code]!(flags)}`, { cause: error });
  }
}
