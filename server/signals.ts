// How a process hears that it shall end: the first signal begins a graceful stop, one that comes later forces it.
const ECHO_MS = 1_000;

/**
 * True for the first signal. What comes within a second of it is the same signal, told by npm, the launcher and the
 * terminal's process group alike, and is ignored; a later one ends the process at once (O32).
 */
export function onceOrForced(
  monotonic: () => number,
  force: () => void = () => process.exit(1),
): () => boolean {
  let firstAt: number | null = null;
  return () => {
    if (firstAt === null) {
      firstAt = monotonic();
      return true;
    }
    if (monotonic() - firstAt > ECHO_MS) force();
    return false;
  };
}
