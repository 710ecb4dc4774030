import './globals.css';
// What the error pages wear: every page would fetch it for them and say in the console that it is not used.
import '@/components/shell/header.module.css';
import '@/components/shell/shell.module.css';
import '@/components/ui/atoms.module.css';
import '@/components/ui/frames.module.css';
import { ColorSchemeScript, mantineHtmlProps } from '@mantine/core';
import type { Metadata, Viewport } from 'next';
import { headers } from 'next/headers';
import type { ReactNode } from 'react';
import { t } from '@/components/messages';
import { Providers } from '@/components/providers';
import { getContainer } from '@/server/container';

export const metadata: Metadata = {
  title: { template: `%s · ${t.common.product}`, default: t.common.product },
  icons: { icon: { url: '/icon.svg', type: 'image/svg+xml' } },
  robots: { index: false, follow: false },
};

export const viewport: Viewport = { width: 'device-width', initialScale: 1, colorScheme: 'light dark' };

/** The scheme is set before the first paint; the nonce is the policy's of this answer. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const nonce = (await headers()).get('x-nonce') ?? undefined;
  return (
    <html lang="en" {...mantineHtmlProps}>
      <head>
        <ColorSchemeScript defaultColorScheme="auto" nonce={nonce} />
      </head>
      <body>
        <Providers drawnAt={getContainer().services.clock.now()} nonce={nonce}>
          {children}
        </Providers>
      </body>
    </html>
  );
}
