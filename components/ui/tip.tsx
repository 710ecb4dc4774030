'use client';

import { type CSSProperties, useEffect, useState } from 'react';
import classes from './tip.module.css';

interface Tip {
  text: string;
  x: number;
  y: number;
  above: boolean;
}

function tipOf(target: EventTarget | null): Tip | null {
  if (!(target instanceof Element)) return null;
  const owner = target.closest('[data-tip]');
  const text = owner?.getAttribute('data-tip');
  if (!owner || !text) return null;
  const box = owner.getBoundingClientRect();
  const above = box.bottom + 48 > window.innerHeight;
  const x = Math.min(Math.max(box.left + box.width / 2, 96), window.innerWidth - 96);
  return { text, x, y: above ? box.top : box.bottom, above };
}

/**
 * One tooltip for the whole console: whatever carries `data-tip` shows it on hover and on focus.
 * A list of a hundred rows costs two listeners, not three hundred.
 */
export function TipLayer() {
  const [tip, setTip] = useState<Tip | null>(null);
  useEffect(() => {
    const show = (event: Event) => setTip(tipOf(event.target));
    const focus = (event: FocusEvent) => {
      if (event.target instanceof Element && event.target.matches(':focus-visible')) show(event);
    };
    const hide = () => setTip(null);
    const key = (event: KeyboardEvent) => event.key === 'Escape' && hide();
    document.addEventListener('pointerover', show);
    document.addEventListener('focusin', focus);
    document.addEventListener('focusout', hide);
    document.addEventListener('pointerdown', hide);
    document.addEventListener('keydown', key);
    document.addEventListener('scroll', hide, true);
    return () => {
      document.removeEventListener('pointerover', show);
      document.removeEventListener('focusin', focus);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('pointerdown', hide);
      document.removeEventListener('keydown', key);
      document.removeEventListener('scroll', hide, true);
    };
  }, []);
  if (!tip) return null;
  const place = { '--tip-x': `${tip.x}px`, '--tip-y': `${tip.y}px` } as CSSProperties;
  return (
    <div className={classes.tip} data-above={tip.above || undefined} style={place} role="tooltip">
      {tip.text}
    </div>
  );
}
