/**
 * Descriptions of request members by name, for names that occur in many places. Where the meaning depends on the place,
 * the schema has its own description, which takes precedence. They are short, because every client receives all of them.
 */
export const fieldDescriptions: Readonly<Record<string, string>> = {
  // Common to everything that can be created.
  name: 'Its name.',
  description: 'Free text.',
  enabled: 'false switches it off.',
  icon_uri: 'Address of an icon.',
  id: 'Its id.',

  // Variables.
  value: 'Its value.',
  enable_interpolation_in_file: 'Fill variables into the file.',

  // The source of a service.
  git_repository: 'Its source.',
  branch: 'Git branch.',
  root_path: 'Folder inside.',
  provider: 'Git provider.',
  git_token_id: 'If private.',
  dockerfile_path: 'From root_path.',

  // The runtime configuration.
  entrypoint: 'Command to start.',
  arguments: 'Of the entrypoint.',
  gpu: 'Number of GPUs.',
  storage: 'Disks.',
  mount_point: 'Absolute path.',
  annotations_groups: 'Groups to attach.',
  labels_groups: 'Groups to attach.',

  // Ports.
  ports: 'What it listens on.',
  internal_port: 'Where it listens.',
  external_port: 'Where it is reached.',
  publicly_accessible: 'From the internet.',
  protocol: 'Spoken there.',
  is_default: 'The main port.',
  public_path: 'Path of requests.',
  public_path_rewrite: 'What the path becomes.',
  namespace: 'Kubernetes namespace.',
  service_selectors: 'Labels of its pods.',
  key: "The label's key.",

  // Probes.
  healthchecks: 'Probes.',
  readiness_probe: 'May get traffic?',
  tcp: 'Connects.',
  http: 'Sends GET.',
  exec: 'Runs a command.',
  grpc: 'Asks for health.',
  port: 'Port number.',
  host: 'Host name.',
  path: 'Path asked for.',
  scheme: 'HTTP or HTTPS.',
  command: 'With arguments.',
  service: 'gRPC service.',
  initial_delay_seconds: 'Before the first.',
  period_seconds: 'Between two.',
  timeout_seconds: 'For one.',
  success_threshold: 'Good ones to pass.',
  failure_threshold: 'Bad ones to fail.',

  // Autoscaling.
  autoscaling: 'When to scale.',
  polling_interval_seconds: 'Between looks.',
  cooldown_period_seconds: 'Before scaling down.',
  scalers: 'What it follows.',
  config_json: 'Settings.',
  config_yaml: 'Settings as YAML.',
  trigger_authentication: 'Credentials.',

  // Helm.
  helm_repository: 'Chart to take.',
  chart_name: 'Chart.',
  chart_version: 'Exact version.',
  file: 'Values files.',
  paths: 'In the repository.',
  values: 'Files in order.',
  content: 'YAML text.',
  allow_cluster_wide_resources: 'Beyond its namespace.',
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
