// A host passes on what the user left empty as an empty text, or as the placeholder of the manifest. The program takes
// both for mistakes; here they mean that the option isn't given.
for (const [name, value] of Object.entries(process.env)) {
  if (name.startsWith('INFRA_') && (value.trim() === '' || value.startsWith('${user_config.'))) delete process.env[name];
}
await import('../bin/infra-mcp.mjs');
