import * as z from 'zod';
import { addressFaultText, type ParsedAddress, readHttpAddress } from '../../contract/index.ts';

/** Whether an address consists only of scheme, host, port and path. */
export const isBare = ({ url }: ParsedAddress): boolean => !/[?#@]/.test(url);

/**
 * An http or https address in the clusters file. The result is reassembled from the parsed parts, because the programs
 * that use it may parse an unusual address differently.
 * @param error the message for an address that isn't accepted
 * @param accepts whether an address is accepted
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

/** An image with its registry: a first part without dot or port would be a namespace of the public registry. */
export const ImageName = z
  .string()
  .regex(
    /^(?=[^/]*[.:]|localhost\/)[\w.:-]+\/[\w./-]+(?::\w[\w.-]*)?$/,
    'must be an image with its registry, such as docker.io/library/mariadb:11',
  );
