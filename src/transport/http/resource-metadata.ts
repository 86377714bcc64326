import {
  buildOAuthProtectedResourceMetadata,
  getOAuthProtectedResourceMetadataUrl,
  oauthMetadataResponse,
  type AuthMetadataOptions,
  type OAuthMetadata,
} from '@modelcontextprotocol/server';
import { permissionLevels } from '../../contract/index.ts';
import type { HttpHandler } from './exchange.ts';
import { asWebRequest } from './http-request.ts';

/** URL of the metadata of a resource server. By RFC 9728 the resource's path follows the well-known prefix. */
export const resourceMetadataUrl = (resource: URL): URL => new URL(getOAuthProtectedResourceMetadataUrl(resource));

/**
 * Serves the metadata that tells clients which authorization server to use.
 * @throws Error if the issuer is invalid: without https, or with a query or fragment.
 */
export function resourceMetadata(resource: URL, issuer: string): HttpHandler {
  const options: AuthMetadataOptions = {
    // The protected-resource document uses only the issuer.
    oauthMetadata: { issuer } as OAuthMetadata,
    resourceServerUrl: resource,
    scopesSupported: [...permissionLevels],
    resourceName: 'infra-mcp',
  };
  buildOAuthProtectedResourceMetadata(options);
  // The library compares only the path, so the host name of the request doesn't matter.
  return async ({ request }) => oauthMetadataResponse(asWebRequest(request), options)!;
}
