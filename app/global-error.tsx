'use client';

import { t } from '@/components/messages';

/** The last resort: the layout itself broke, so nothing of it may be used. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en">
      <body>
        <main>
          <h1>{t.common.errors.title}</h1>
          <p>{t.common.errors.internal}</p>
          {error.digest ? <p>{t.common.requestId(error.digest)}</p> : null}
          <a href="/">{t.common.errors.toStart}</a>
        </main>
      </body>
    </html>
  );
}
