/**
 * Descriptions of request members by name, for names that occur in many places. Where the meaning depends on the place,
 * the schema has its own description, which takes precedence. They are short, because every client receives all of them.
 */
export const fieldDescriptions: Readonly<Record<string, string>> = {
  // Common to everything that can be created.
  name: 'Its name.',
  description: 'Free text.',
  enabled: 'false switches it off.',

  // Variables.
  value: 'Its value.',
  enable_interpolation_in_file: 'Fill variables into the file.',

  // The source of a service.
  git_repository: 'Its source.',
  branch: 'Git branch.',
  root_path: 'Folder inside.',
  git_token_id: 'If private.',
  dockerfile_path: 'From root_path.',

  // The runtime configuration.
  entrypoint: 'Command to start.',
  arguments: 'Of the entrypoint.',

  // Ports.
  ports: 'What it listens on.',
  internal_port: 'Where it listens.',
  publicly_accessible: 'From the internet.',
  protocol: 'Spoken there.',

  // Helm.
  skip_tls_verification: 'Trust any certificate.',
  username: 'User.',
  password: 'Password.',
  region: 'Cloud region.',
  access_key_id: 'AWS key id.',
  secret_access_key: 'AWS secret key.',
  role_arn: 'AWS role.',
  vendor_access_key: "Vendor's key id.",
  vendor_secret_key: "Vendor's secret key.",
  vendor_project_id: "Vendor's project.",
  azure_tenant_id: 'Azure tenant.',
  azure_subscription_id: 'Azure subscription.',

  // Alerts.
  condition: 'When it fires.',
  operator: 'Value to threshold.',
  function: 'Joins the values.',
  severity: 'How grave it is.',
  summary: 'One line.',
  runbook_url: 'What to do then.',

  // Invoices.
  first_name: 'Given name.',
  last_name: 'Family name.',
  address: 'Street, number.',
  city: 'Town.',
  zip: 'Postal code.',
  company: 'Company name.',
  vat_number: 'Tax number.',
};
