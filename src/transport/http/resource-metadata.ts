import { buildOAuthProtectedResourceMetadata, getOAuthProtectedResourceMetadataUrl, oauthMetadataResponse, type AuthMetadataOptions, type OAuthMetadata } from '@modelcontextprotocol/server';
import { permissionLevels } from '../../contract/operation.ts';
import type { HttpHandler } from './exchange.ts';

/** Where the metadata of a resource server is, by RFC 9728: the resource's own path comes after the well-known one. */
export const resourceMetadataUrl = (resource: URL): URL => new URL(getOAuthProtectedResourceMetadataUrl(resource));

/**
 * Tells clients which authorization server to go to.
 * @throws Error when the issuer can't be one: no https, a query, a fragment.
 */
export function resourceMetadata(resource: URL, issuer: string): HttpHandler {
  const options: AuthMetadataOptions = {
    // The resource's own document needs nothing else of the issuer's.
    oauthMetadata: { issuer } as OAuthMetadata,
    resourceServerUrl: resource,
    scopesSupported: [...permissionLevels],
    resourceName: 'infra-mcp',
  };
  buildOAuthProtectedResourceMetadata(options);
  // Asked by its path alone: under which name the host is reached makes no difference to it.
  return async ({ request }) => oauthMetadataResponse(request, options)!;
}
