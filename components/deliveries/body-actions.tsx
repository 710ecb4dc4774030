'use client';

import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { DeliveryDetail } from '@/server/services/contract';
import { t } from '../messages';
import { bytesOf } from '../ui/body-text';
import { curlCommand } from './curl';

/** Saves the bytes as they are sent; the browser is handed a file, never a document to run. */
function download(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

export function BodyActions({ detail }: { detail: DeliveryDetail }) {
  const clipboard = useClipboard({ timeout: 1_500 });
  const { event, endpoint } = detail;
  const { body } = event;
  const encoding = event.body_encoding ?? 'utf8';
  if (body === undefined) return null;
  const ending = event.content_type.includes('json') ? 'json' : 'bin';
  const url = endpoint?.url ?? detail.attempts.at(-1)?.url;
  const command =
    url &&
    curlCommand({
      url,
      contentType: event.content_type,
      body,
      encoding,
      headers: [['webhook-id', event.id]],
    });
  return (
    <>
      {command ? (
        <Button variant="subtle" data-tip={t.delivery.curlNote} onClick={() => clipboard.copy(command)}>
          {clipboard.copied ? t.common.actions.copied : t.delivery.curl}
        </Button>
      ) : null}
      <Button variant="subtle" onClick={() => download(`${event.id}.${ending}`, bytesOf(body, encoding))}>
        {t.delivery.download}
      </Button>
    </>
  );
}
