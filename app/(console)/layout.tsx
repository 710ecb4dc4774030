import type { ReactNode } from 'react';
import { serverTrpc } from './server-query';

/** Nothing of the console is drawn for a stranger. */
export default async function ConsoleLayout({ children }: { children: ReactNode }) {
  await serverTrpc();
  return children;
}
