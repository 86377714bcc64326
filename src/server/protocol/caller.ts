import type { ServerContext } from '@modelcontextprotocol/server';
import type { Credential } from '../../client/credential.ts';

/** Who makes one call. */
export interface Caller {
  readonly principal: string;
  /** Who it is, whatever right on the platform it brought along: by it is counted what it takes up. Default: the principal. */
  readonly identity?: string;
  /** How it reached this server, for the record. */
  readonly connection?: string;
  /** What the platform is called with, where it isn't the client's own. */
  readonly credential?: Credential;
  /** Told when the platform refuses the credential: then the caller may be able to bring a better one. */
  readonly credentialRefused?: () => void;
  /** Default: a new one. */
  readonly requestId?: string;
}

/** What one server instance is built for. */
export interface ServerInstanceConfig {
  readonly era: 'legacy' | 'modern';
  /** One instance may serve many requests, so this is asked for each. */
  readonly callerOf: (context: ServerContext) => Caller;
  /** The only method that it is to answer, where it is built for one request. */
  readonly method?: string;
}
