'use client';

import { type CSSProperties, useEffect, useState } from 'react';
import classes from './tip.module.css';

interface Tip {
  text: string;
  x: number;
  y: number;
  above: boolean;
}

/** A row's link lies over its cells: then what is meant is what lies under the pointer. */
function ownerOf(event: Event): Element | null {
  if (!(event.target instanceof Element)) return null;
  const owner = event.target.closest('[data-tip]');
  if (owner || !(event instanceof PointerEvent) || !event.target.closest('[data-row]')) return owner;
  const under = document.elementsFromPoint(event.clientX, event.clientY);
  return under.find((element) => element.hasAttribute('data-tip')) ?? null;
}

function tipOf(owner: Element | null): Tip | null {
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
    let last: Element | null = null;
    const show = (event: Event) => {
      const owner = ownerOf(event);
      if (owner === last) return;
      last = owner;
      setTip(tipOf(owner));
    };
    const focus = (event: FocusEvent) => {
      if (event.target instanceof Element && event.target.matches(':focus-visible')) show(event);
    };
    const hide = () => {
      last = null;
      setTip(null);
    };
    const key = (event: KeyboardEvent) => event.key === 'Escape' && hide();
    document.addEventListener('pointermove', show);
    document.addEventListener('focusin', focus);
    document.addEventListener('focusout', hide);
    document.addEventListener('pointerdown', hide);
    document.addEventListener('keydown', key);
    document.addEventListener('scroll', hide, true);
    return () => {
      document.removeEventListener('pointermove', show);
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
