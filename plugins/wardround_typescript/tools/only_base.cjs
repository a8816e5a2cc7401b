// Node runs this before a tool whose configuration is code. It ends the run where code would be loaded that
// the change under review brings: the configuration counts as it is on the trusted side, with all it loads.
// What a configuration makes code of by itself, out of a text that it reads, is not seen here.
"use strict";

const { createHash } = require("node:crypto");
const fs = require("node:fs");
const Module = require("node:module");
const path = require("node:path");
const { fileURLToPath } = require("node:url");
const vm = require("node:vm");

const VARIABLE = "WARDROUND_ONLY_BASE";
const STARTED = "WARDROUND_STARTED";
process.env[STARTED] ??= String(Date.now()); // the first process tells those that it starts
const { tool, room, worktree, brought, sealed } = JSON.parse(fs.readFileSync(process.env[VARIABLE], "utf8"));
const tops = [room, worktree].map((top) => fs.realpathSync(top));
const folded = brought.map((one) => one.toLowerCase());

/** Whether the change touches a path, something above it, or, on demand, something below it. */
function isBrought(inside, below) {
  const asked = inside.toLowerCase();
  return folded.some(
    (one) => one === asked || asked.startsWith(`${one}/`) || (below && one.startsWith(`${asked}/`)),
  );
}

/** The folder of the package that a file belongs to, below the top of the project. */
function packageOf(top, inside) {
  let folder = path.dirname(inside);
  while (folder !== "." && !fs.existsSync(path.join(top, folder, "package.json"))) folder = path.dirname(folder);
  return folder === "." ? null : folder;
}

function isOfTheChange(real) {
  // What is written meanwhile may be made of anything, as a bundle of modules is.
  if (fs.statSync(real).ctimeMs > Number(process.env[STARTED])) return true;
  for (const top of tops) {
    const inside = path.relative(top, real);
    if (inside === "" || inside.startsWith("..") || path.isAbsolute(inside)) continue;
    const digest = top === tops[0] ? sealed[inside] : undefined;
    if (digest && digest === createHash("sha256").update(fs.readFileSync(real)).digest("hex")) return false;
    if (isBrought(inside, false)) return true;
    if (inside.split(path.sep).includes("node_modules")) return false;
    const folder = packageOf(top, inside);
    return folder !== null && isBrought(folder, true);
  }
  return false;
}

/** The path, from the top of the project, of a file that must not be run; undefined for all others. */
function refused(file) {
  if (typeof file !== "string") return undefined;
  let real;
  try {
    real = fs.realpathSync(file.startsWith("file:") ? fileURLToPath(file) : file);
  } catch {
    return undefined; // there is no such file, so nothing is loaded from it
  }
  if (!isOfTheChange(real)) return undefined;
  const top = tops.find((one) => !path.relative(one, real).startsWith(".."));
  return top === undefined ? real : path.relative(top, real);
}

const complaint = (inside) => `the change edits what ${tool} would run: ${inside}`;

function check(file) {
  const inside = refused(file);
  if (inside === undefined) return;
  fs.writeSync(2, `${complaint(inside)}\n`);
  process.exit(2);
}

function guarded(owner, name, fileOf) {
  const usual = owner[name];
  owner[name] = function (...given) {
    check(fileOf(given));
    return Reflect.apply(usual, this, given);
  };
}

const named = (options) => (typeof options === "string" ? options : options?.filename);
guarded(Module.prototype, "load", ([file]) => file);
guarded(Module.prototype, "_compile", ([, file]) => file);
guarded(vm, "runInThisContext", ([, options]) => named(options));
guarded(vm, "runInContext", ([, , options]) => named(options));
guarded(vm, "runInNewContext", ([, , options]) => named(options));
guarded(vm, "compileFunction", ([, , options]) => named(options));
vm.Script = class extends vm.Script {
  constructor(code, options) {
    check(named(options));
    super(code, options);
  }
};
Module.syncBuiltinESMExports();

if (Module.registerHooks) {
  Module.registerHooks({
    load(url, context, next) {
      check(url);
      return next(url, context);
    },
  });
} else if (Module.register) {
  // These hooks run in a thread of their own, which cannot end the process: there the import itself fails.
  const hooks = `
    import { createRequire } from "node:module";
    const { refused, complaint } = createRequire("file:///")(${JSON.stringify(__filename)});
    export async function load(url, context, next) {
      const inside = refused(url);
      if (inside !== undefined) throw Object.assign(new Error(complaint(inside)), { stack: complaint(inside) });
      return next(url, context);
    }`;
  if (require("node:worker_threads").isMainThread) {
    Module.register(`data:text/javascript,${encodeURIComponent(hooks)}`);
  }
} else {
  fs.writeSync(2, `this Node cannot tell what ${tool} loads; it needs 18.19, 20.6 or later\n`);
  process.exit(2);
}

module.exports = { complaint, refused };
