'use client';

import { SegmentedControl } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useState } from 'react';
import type { TimelineView } from '@/server/services/contract';
import { t } from '../messages';
import { useNow, useZone } from '../ui/clock';
import { Section } from '../ui/page-head';
import { drawTimeline } from './model';
import { TimelinePicture } from './picture';
import classes from './timeline.module.css';
import { TimelineTable } from './twin';

export interface TimelineProps {
  view: TimelineView;
  /** Width for the first paint, before the place is measured. */
  firstWidth: number;
  selected?: string | null;
  /** Opens an attempt; without it a mark is a link to the attempt's anchor. */
  onSelect?: (attemptId: string) => void;
}

const LEAST_WIDTH = 440;
const ROOM_PER_MARK = 22;

/** A region that scrolls must be reachable by keyboard. */
const SCROLLS = { tabIndex: 0, role: 'group', 'aria-label': t.timeline.picture } as const;

/** Where a delivery has been, where it stands, and everything that is still to come. */
export function Timeline({ view, firstWidth, selected, onSelect }: TimelineProps) {
  const [shown, setShown] = useState<'picture' | 'table'>('picture');
  const { ref, width } = useElementSize();
  const now = Math.max(useNow(), view.now);
  const drawing = drawTimeline(view, now, useZone());
  const needed = Math.max(LEAST_WIDTH, drawing.marks.length * ROOM_PER_MARK);
  return (
    <Section
      title={t.timeline.title}
      beside={
        <SegmentedControl
          aria-label={t.timeline.view}
          value={shown}
          onChange={(value) => setShown(value === 'table' ? 'table' : 'picture')}
          data={[
            { value: 'picture', label: t.timeline.picture },
            { value: 'table', label: t.timeline.table },
          ]}
        />
      }
    >
      <div className={classes.field}>
        <div ref={ref} className={classes.scroll} {...(width > 0 && needed > width ? SCROLLS : {})}>
          {shown === 'picture' ? (
            <TimelinePicture
              drawing={drawing}
              width={Math.max(needed, Math.floor(width || firstWidth))}
              selected={selected}
              onSelect={onSelect}
            />
          ) : (
            <TimelineTable drawing={drawing} />
          )}
        </div>
      </div>
      {shown === 'picture' ? <TimelineTable drawing={drawing} hidden /> : null}
    </Section>
  );
}
