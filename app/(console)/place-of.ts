import { notFound } from 'next/navigation';
import type { Place } from '@/components/shell/navigation-items';

/** The app and environment of a page's address; an environment that is none is not found. */
export async function placeOf(params: Promise<{ app: string; env: string }>): Promise<Place> {
  const { app, env } = await params;
  if (env !== 'test' && env !== 'live') notFound();
  return { appId: app, environment: env };
}
