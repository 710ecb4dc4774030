/** Runs once when the server starts: the engine's loop begins, and a signal ends the process cleanly. */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return;
  const { beginServing } = await import('@/server/serving');
  beginServing();
}
