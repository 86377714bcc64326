import { connectSdk } from './sdk-client.mjs';
import { carryOut } from './task.mjs';

await carryOut(connectSdk);
