// For fields that the user left empty, a host passes an empty string or the manifest's placeholder. The program would
// reject both, so they are removed.
for (const [name, value] of Object.entries(process.env)) {
  if (name.startsWith('INFRA_') && (value.trim() === '' || value.startsWith('${user_config.')))
    delete process.env[name];
}
await import('../bin/infra-mcp.mjs');
