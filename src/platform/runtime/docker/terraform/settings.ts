/** Settings of Terraform on a cluster. */
export interface TerraformSettings {
  /** The image of Terraform, with its registry. Its entrypoint is the program, and it contains a shell. */
  readonly image: string;
}
