import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** Between two signals further apart than this, the second is meant: a terminal and npm both pass one on. */
const SAME_SIGNAL_MS = 1_000;

const exitCodeOf = (code, signal) => code ?? 128 + (constants.signals[signal] ?? 1);

/**
 * Runs a command to its end. `quiet` gathers its output instead of passing it on.
 * Resolves with `{ code, output }`; when we are told to stop meanwhile, the child is stopped and we end with it.
 */
export function run(command, args, { cwd, env = process.env, quiet = false } = {}) {
  return new Promise((resolve) => {
    const flow = quiet ? 'pipe' : 'inherit';
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', flow, flow] });
    const chunks = [];
    let stopping = false;
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    const stop = (signal) => {
      stopping = true;
      child.kill(signal);
    };
    process.on('SIGTERM', stop).on('SIGINT', stop);
    const end = (code, note = '') => {
      process.off('SIGTERM', stop).off('SIGINT', stop);
      if (stopping) process.exit(code || 143);
      resolve({ code, output: Buffer.concat(chunks).toString('utf8') + note });
    };
    child.on('error', (error) => end(1, `${command}: ${error.message}\n`));
    child.on('close', (code, signal) => end(exitCodeOf(code, signal)));
  });
}

/**
 * Starts a long-lived child that shares our terminal, hands signals on to it, and ends as it ends.
 * We stay until the child is gone, so that whoever waits for us waits for its drain.
 */
export function runAsUs(command, args, { cwd, env }) {
  const child = spawn(command, args, { cwd, env, stdio: 'inherit' });
  let last = Number.NEGATIVE_INFINITY;
  const passOn = (signal) => {
    const now = performance.now();
    if (now - last < SAME_SIGNAL_MS) return;
    last = now;
    child.kill(signal);
  };
  process.on('SIGTERM', () => passOn('SIGTERM'));
  // Ctrl-C reaches everything on the terminal by itself; handed on, the child would take it for a second one.
  process.on('SIGINT', () => (process.stdin.isTTY ? undefined : passOn('SIGINT')));
  process.on('SIGHUP', () => passOn('SIGTERM'));
  child.on('error', (error) => {
    console.error(`hookladder: could not start: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(exitCodeOf(code, signal)));
}
