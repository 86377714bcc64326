import { prepareRestore, openVault } from '../../../../src/platform/store/index.ts';

// A process that restores a snapshot until it is killed: the data directory and the snapshot's name are its arguments.
const [dataDir = '', name = ''] = process.argv.slice(2);
const replacement = await prepareRestore(dataDir, name, openVault(dataDir));
process.stdout.write('begins\n');
await replacement.commit();
await replacement.discard();
process.stdout.write('done\n');
