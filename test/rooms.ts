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
    name: 'redaction', home: ['src/server/redaction/'], door: 'src/server/redaction/index.ts', packages: ['lru-cache', 'node:buffer'],
    // A leaf: it knows values and schemas, and neither guard, tool nor pipeline.
    mayImport: ['src/server/redaction/', 'src/server/json/', 'src/server/context/context.ts', 'src/client/known-values.ts', 'src/contract/'],
  },
  { name: 'server', home: ['src/server/'], mayImport: ['src/server/', 'src/client/', 'src/analysis/', 'src/contract/'] },
  { name: 'transport', home: ['src/transport/'], mayImport: ['src/transport/', 'src/server/', 'src/client/', 'src/contract/'] },
  { name: 'platform', home: ['src/platform/'], mayImport: ['src/platform/', 'src/contract/'] },
  { name: 'analysis', home: ['src/analysis/'], mayImport: ['src/analysis/', 'src/contract/'], packages: ['zod', 're2js'] },
  { name: 'tools', home: ['tools/'], mayImport: ['tools/', 'src/server/tool/tool.ts', 'src/analysis/', 'src/contract/'], packages: ['zod'] },
  { name: 'config', home: ['src/cli/config/'], mayImport: ['src/cli/config/', 'src/contract/'] },
  {
    name: 'cli',
    home: ['src/main.ts', 'src/cli/'],
    // Not src/main.ts: nobody imports that.
    mayImport: [
      'src/cli/', 'src/contract/', 'src/client/', 'src/server/', 'src/transport/', 'src/platform/',
      'tools/', 'package.json',
    ],
  },
];
