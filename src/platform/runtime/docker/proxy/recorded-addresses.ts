import type { ServiceAddress } from '../../index.ts';
import { readRecord } from '../record.ts';
import { addressOf, routesOf } from './routes.ts';
import type { ProxySettings } from './settings.ts';

/** The addresses that the running version of a service has: none before its first deployment. Its own domains are left out. @param record what its deployment recorded */
export const recordedAddresses = (record: string | undefined, settings: ProxySettings): readonly ServiceAddress[] =>
  routesOf(readRecord(record)?.spec).filter(({ isCustom }) => !isCustom).map((route) => ({
    url: addressOf(route, settings), internalPort: route.port, externalPort: route.isSecure ? settings.httpsPort : settings.httpPort, isDefault: route.isDefault,
  }));
