/** Who calls. Made by `credentialOf`; its value appears neither in JSON nor in what inspection prints. */
export interface Credential {
  readonly scheme: 'Token' | 'Bearer';
  readonly value: string;
  /** Stable identity without the secret, for caches and budgets. */
  readonly key: string;
}
