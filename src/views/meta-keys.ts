/** Keys that this server adds to the metadata of results. */
export const metaKeys = {
  next: 'infra-mcp/next',
  budget: 'infra-mcp/budget',
  failure: 'infra-mcp/failure',
  /** What became of a call that waits for an operator, as codes. */
  approval: 'infra-mcp/approval',
  /** Facts that a view draws, where the answer has them only as text. Sent only to clients that show views. */
  view: 'infra-mcp/view',
} as const;
