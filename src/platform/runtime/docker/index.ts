/** Services on Docker engines in swarm mode. Everybody else knows this runtime as its provider. */

export { dockerProvider } from './provider/provider.ts';
