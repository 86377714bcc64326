import * as z from 'zod';
import { addressFaultText, type ParsedAddress, readHttpAddress } from '../../contract/index.ts';

/** Whether an address has nothing but scheme, host, port and path. */
export const isBare = ({ url }: ParsedAddress): boolean => !/[?#@]/.test(url);

/**
 * An address with http or https in the clusters file. What comes out is put together from what was read, because the
 * programs that it is for may read an odd one in another way.
 * @param error what else it has to be
 * @param accepts whether it is that
 */
export function HttpAddress(error: string, accepts: (address: ParsedAddress) => boolean) {
  return z.string().transform((text, context) => {
    const read = readHttpAddress(text);
    if (typeof read !== 'string' && accepts(read)) return read.url;
    const isOtherScheme = typeof read !== 'string' || read === 'scheme';
    context.addIssue({ code: 'custom', message: isOtherScheme ? error : addressFaultText(read) });
    return z.NEVER;
  });
}
