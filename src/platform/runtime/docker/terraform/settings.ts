/** How a cluster runs Terraform. */
export interface TerraformSettings {
  /** The image that has it, with its registry. It starts the program, and has a shell. */
  readonly image: string;
}
