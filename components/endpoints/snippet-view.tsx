'use client';

import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import type { EndpointResource } from '@/server/services/contract';
import { t } from '../messages';
import { CopyButton } from '../ui/copy-id';
import { Section } from '../ui/page-head';
import classes from './endpoints.module.css';
import { LANGUAGE_NAMES, LANGUAGES, type Language, verifySnippet } from './snippets';

const OPTIONS = LANGUAGES.map((language) => ({ value: language, label: LANGUAGE_NAMES[language] }));

/** How a receiver checks the signature, in the language of its choice, with this scheme's header names. */
export function SnippetSection({ scheme }: Pick<EndpointResource, 'scheme'>) {
  const [language, setLanguage] = useState<Language>('node');
  const code = verifySnippet(language, scheme);
  return (
    <Section
      title={t.endpoints.snippet.title}
      beside={
        <SegmentedControl
          aria-label={t.endpoints.snippet.language}
          value={language}
          onChange={(value) => setLanguage(LANGUAGES.find((known) => known === value) ?? 'node')}
          data={OPTIONS}
        />
      }
    >
      <p className={classes.note}>{t.endpoints.snippet.note(scheme)}</p>
      <div className={classes.code}>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <pre tabIndex={0}>{code}</pre>
        <CopyButton text={code} what={t.endpoints.snippet.copy} />
      </div>
    </Section>
  );
}
