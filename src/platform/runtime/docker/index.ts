/** Services on Docker engines in swarm mode. All other code uses this runtime through its provider. */

export { dockerProvider } from './provider/provider.ts';
