#!/usr/bin/env node
// Plain old JavaScript on purpose: a Node too old for the program must still be able to read this and say so.
var required = '22.19';
var found = process.versions.node;

/** Whether a version such as '22.20.1' is at least the required major and minor. */
function isNewEnough(version, minimum) {
  var have = version.split('.').map(Number);
  var need = minimum.split('.').map(Number);
  return have[0] > need[0] || (have[0] === need[0] && have[1] >= need[1]);
}

/** Starts the program. What Node compiles is kept for the next start, in a directory of the user's own. */
function start() {
  var path = process.getBuiltinModule('node:path');
  var caches = process.env.XDG_CACHE_HOME || path.join(process.getBuiltinModule('node:os').homedir(), '.cache');
  process.getBuiltinModule('node:module').enableCompileCache(path.join(caches, 'infra-mcp'));
  void import('../dist/infra-mcp.mjs');
}

if (isNewEnough(found, required)) {
  start();
} else {
  console.error('infra-mcp needs Node ' + required + ' or newer, but ' + process.execPath + ' is Node ' + found + '. Install a newer Node and start infra-mcp again.');
  process.exitCode = 1;
}
