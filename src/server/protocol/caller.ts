import type { ServerContext } from '@modelcontextprotocol/server';
import type { Credential, Trace } from '../../client/index.ts';

/** The caller of one request. */
export interface Caller {
  readonly principal: string;
  /** The caller's identity, whatever its credential: limits per caller are counted by it. Default: the principal. */
  readonly identity?: string;
  /** The conversation in which a person asks through the caller, if it names one. */
  readonly conversation?: string | undefined;
  /** How the caller reached this server, for the record. */
  readonly connection?: string;
  /** The credential for the platform. Default: that of the client. */
  readonly credential?: Credential;
  /** Called when the platform rejects the credential: the caller may be able to send a better one. */
  readonly credentialRefused?: () => void;
  /** Default: a new one. */
  readonly requestId?: string;
  /** The trace in the headers of the request. A trace in its metadata takes precedence. */
  readonly trace?: Trace;
}

/** The configuration of one server instance. */
export interface ServerInstanceConfig {
  readonly era: 'legacy' | 'modern';
  /** Called for every request, because one instance may serve many callers. */
  readonly callerOf: (context: ServerContext) => Caller;
  /** The only method that the instance answers, if it is built for one request. */
  readonly method?: string | undefined;
  /** Gets each answer as it is sent. */
  readonly answered?: ((message: object) => void) | undefined;
}
