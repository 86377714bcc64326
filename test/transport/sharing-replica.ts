import { httpCommand } from '../../src/cli/commands/http.ts';
import { readConfig } from '../../src/cli/config/read-config.ts';
import { keyRingIn } from '../../src/server/context/index.ts';
import { storeAtAddress } from '../server/guard/storage/test-stores.ts';

// A server over HTTP, configured by its environment, that shares a store and a folder of keys with others.
const [address = '', keys = ''] = process.argv.slice(2);
const store = storeAtAddress(address);
await httpCommand(readConfig('http', {}, process.env).config, { store, keyRing: keyRingIn(keys), anchorFailed: (error) => process.stderr.write(`${String(error)}\n`) });
await store.close();
