/**
 * Descriptions of request members by name, for names that occur in many places. Where the meaning depends on the place,
 * the schema has its own description, which takes precedence. They are short, because every client receives all of
 * them.
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
  dockerfile_path: 'From root_path.',

  // The runtime configuration.
  entrypoint: 'Command to start.',
  arguments: 'Of entrypoint.',

  // Ports.

  // Helm.
  skip_tls_verification: 'Trust any certificate.',

  // Alerts.
  condition: 'When it fires.',
  operator: 'Value to threshold.',
  function: 'Joins the values.',
  severity: 'How grave it is.',

  // Invoices.
  first_name: 'Given name.',
  last_name: 'Family name.',
  address: 'Street, number.',
  city: 'Town.',
  zip: 'Postal code.',
  company: 'Company name.',
  vat_number: 'Tax number.',
};
