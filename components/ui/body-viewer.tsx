'use client';

import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { t } from '../messages';
import { bodyBytes, jsonTokens, prettyJson } from './body-text';
import classes from './body-viewer.module.css';
import { CopyButton } from './copy-id';

export interface BodyViewerProps {
  body: string | undefined;
  encoding: 'utf8' | 'base64';
}

const SHADED_UP_TO = 20_000;

/** A body as inert text. Pretty is a view of it; what is copied are the exact characters. */
export function BodyViewer({ body, encoding }: BodyViewerProps) {
  const pretty = body && encoding === 'utf8' ? prettyJson(body) : null;
  const [view, setView] = useState<'pretty' | 'raw'>('pretty');
  if (!body) return <p className={classes.none}>{t.common.body.empty}</p>;
  const size = bodyBytes(body, encoding);
  const text = view === 'pretty' && pretty ? pretty : body;
  return (
    <div className={classes.viewer}>
      <div className={classes.bar}>
        {pretty ? (
          <SegmentedControl
            aria-label={t.common.body.view}
            value={view}
            onChange={(value) => setView(value === 'raw' ? 'raw' : 'pretty')}
            data={[
              { value: 'pretty', label: t.common.body.pretty },
              { value: 'raw', label: t.common.body.raw },
            ]}
          />
        ) : null}
        <span className={classes.size}>
          {encoding === 'base64' ? t.common.body.binary(size) : t.common.body.size(size)}
        </span>
        <CopyButton text={body} what={t.common.body.raw.toLowerCase()} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
      <section className={classes.text} tabIndex={0} aria-label={t.common.body.region}>
        <pre>{pretty && text.length <= SHADED_UP_TO ? <Shaded text={text} /> : text}</pre>
      </section>
    </div>
  );
}

function Shaded({ text }: { text: string }) {
  return jsonTokens(text).map((token) => (
    <span key={token.at} data-kind={token.kind}>
      {token.text}
    </span>
  ));
}
