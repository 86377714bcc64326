/** A public server that is measured beside this one, as its package is published. */
export interface PublicServer {
  readonly package: string;
  readonly version: string;
  readonly args?: readonly string[];
  /** What it must be told to start. No value is a secret: nothing is sent anywhere before a tool is called. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The reference server of the protocol, and servers of providers of infrastructure. */
export const publicServers: readonly PublicServer[] = [
  { package: '@modelcontextprotocol/server-everything', version: '2026.8.31', args: ['stdio'] },
  { package: '@digitalocean/mcp', version: '1.0.70', env: { DIGITALOCEAN_API_TOKEN: 'none' } },
  { package: '@netlify/mcp', version: '1.15.1' },
  { package: '@sentry/mcp-server', version: '0.39.0', args: ['--access-token=none'] },
  { package: 'mongodb-mcp-server', version: '3.0.4', args: ['--telemetry', 'disabled'] },
];
