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

/** Creates a folder and those above it that are missing. Node's own way to do so never returns below /proc. */
function makeFolder(folder, files, path) {
  if (files.existsSync(folder)) return;
  makeFolder(path.dirname(folder), files, path);
  files.mkdirSync(folder);
}

/** Lets Node keep what it compiles for the next start, in a folder of the user's own. Starts go on without it. */
function keepCompiled() {
  var path = process.getBuiltinModule('node:path');
  try {
    var given = process.env.XDG_CACHE_HOME || '';
    var caches = path.isAbsolute(given) ? given : path.join(process.getBuiltinModule('node:os').homedir(), '.cache');
    if (!path.isAbsolute(caches)) return;
    var folder = path.join(caches, 'infra-mcp');
    makeFolder(folder, process.getBuiltinModule('node:fs'), path);
    process.getBuiltinModule('node:module').enableCompileCache(folder);
  } catch {
    // Nothing can be kept there: there is no such user, or no disk.
  }
}

/** Starts the program. */
function start() {
  keepCompiled();
  import('../dist/infra-mcp.mjs').catch(function (error) {
    var program = new URL('../dist/infra-mcp.mjs', import.meta.url);
    if (process.getBuiltinModule('node:fs').existsSync(program)) throw error;
    var folder = process.getBuiltinModule('node:url').fileURLToPath(new URL('..', import.meta.url));
    console.error('infra-mcp is not built in ' + folder + '. Run npm run build there, and start infra-mcp again.');
    process.exitCode = 1;
  });
}

/** Says why it doesn't start. */
function refuse() {
  console.error(
    'infra-mcp needs Node ' +
      required +
      ' or newer, but ' +
      process.execPath +
      ' is Node ' +
      found +
      '. Install a newer Node, or in a checkout run npm ci, and start infra-mcp again.',
  );
  process.exitCode = 1;
}

/**
 * Starts this file again with another Node, and ends as that one does. If a signal ended that one, the exit code is the
 * one that a shell reports: 128 and the number of the signal.
 */
function startWith(node, file, spawn, signals) {
  var child;
  // Before it starts: a signal that came in between would end this process alone.
  ['SIGTERM', 'SIGHUP', 'SIGINT'].forEach(function (signal) {
    process.on(signal, function () {
      // A terminal sends this one to both.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  });
  child = spawn(node, process.execArgv.concat(file, process.argv.slice(2)), { stdio: 'inherit' });
  child.on('error', refuse);
  child.on('exit', function (code, signal) {
    process.exitCode = code === null ? 128 + (signals[signal] || 0) : code;
  });
}

/** Starts the program with the Node that `npm ci` has installed in a checkout; refuses where there is none, or it is the one that is too old. */
async function startBesides() {
  var [{ spawn }, { existsSync, realpathSync }, { constants }, { fileURLToPath }] = await Promise.all([
    import('child_process'),
    import('fs'),
    import('os'),
    import('url'),
  ]);
  var node = fileURLToPath(new URL('../node_modules/node/bin/node', import.meta.url));
  if (existsSync(node) && realpathSync(node) !== realpathSync(process.execPath))
    startWith(node, fileURLToPath(import.meta.url), spawn, constants.signals);
  else refuse();
}

if (isNewEnough(found, required)) start();
else void startBesides();
