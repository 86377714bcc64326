/** How the tools that take a job print what only jobs have. */
export const jobFields = {
  fields: {
    source:
      '{image: {image_name, tag, registry_id: name or id}} or {docker: {git_repository: {url, branch, root_path}, dockerfile_path}}.',
    schedule:
      '{cronjob: {scheduled_at: "0 3 * * *", timezone, entrypoint, arguments}}, or at events {on_start, on_stop, on_delete}: each {entrypoint, arguments}.',
  },
  folded: ['source', 'schedule'],
  hidden: ['port', 'description'],
};
