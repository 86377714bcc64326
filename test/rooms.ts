/** A part of the code: where it lives, and what its files may import. A path that ends in a slash means all below it. */
export interface Room {
  name: string;
  home: string[];
  mayImport: string[];
  /** The packages its files may import; any where left out. */
  packages?: string[];
  /** The only file of it that others import; any where left out. */
  door?: string;
}

/** Every room: what lies under src/ or tools/ belongs to one. */
export const rooms: readonly Room[] = [
  { name: 'contract', home: ['src/contract/'], mayImport: ['src/contract/'], packages: ['zod'] },
  { name: 'client', home: ['src/client/'], mayImport: ['src/client/', 'src/contract/'] },
  {
    name: 'redaction', home: ['src/mcp/redaction/'], door: 'src/mcp/redaction/index.ts', packages: ['lru-cache', 'node:buffer'],
    // A leaf: it knows values and schemas, and neither guard, tool nor pipeline.
    mayImport: ['src/mcp/redaction/', 'src/mcp/json-schema.ts', 'src/mcp/memoised.ts', 'src/mcp/values.ts', 'src/mcp/context.ts', 'src/client/known-values.ts', 'src/contract/'],
  },
  { name: 'mcp', home: ['src/mcp/'], mayImport: ['src/mcp/', 'src/client/', 'src/insight/', 'src/contract/'] },
  { name: 'serve', home: ['src/serve/'], mayImport: ['src/serve/', 'src/mcp/', 'src/client/', 'src/contract/'] },
  { name: 'platform', home: ['src/platform/'], mayImport: ['src/platform/', 'src/contract/'] },
  { name: 'insight', home: ['src/insight/'], mayImport: ['src/insight/', 'src/contract/'], packages: ['zod', 're2js'] },
  { name: 'tools', home: ['tools/'], mayImport: ['tools/', 'src/mcp/tool.ts', 'src/insight/', 'src/contract/'], packages: ['zod'] },
  { name: 'config', home: ['src/config.ts', 'src/config/'], mayImport: ['src/config/', 'src/contract/'] },
  {
    name: 'composition root',
    home: ['src/main.ts', 'src/commands/'],
    // Not src/main.ts: nobody imports that.
    mayImport: [
      'src/commands/', 'src/config.ts', 'src/contract/', 'src/client/', 'src/mcp/', 'src/serve/', 'src/platform/',
      'tools/', 'package.json',
    ],
  },
];
