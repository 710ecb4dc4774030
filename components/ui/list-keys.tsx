'use client';

import { useEffect } from 'react';

/** True where a key is text or belongs to an open menu, and is no command of the list. */
function isTaken(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)) return true;
  return target.closest('[role="menu"], [role="listbox"], [aria-expanded="true"][aria-haspopup]') !== null;
}

function rowLinks(): HTMLElement[] {
  return Array.from(document.querySelectorAll<HTMLElement>('[data-row]'));
}

function step(by: 1 | -1): HTMLElement | null {
  const links = rowLinks();
  const at = links.indexOf(document.activeElement as HTMLElement);
  const current = at >= 0 ? at : links.findIndex((link) => link.getAttribute('aria-current') === 'true');
  const next = current < 0 ? (by > 0 ? 0 : links.length - 1) : current + by;
  return links[next] ?? null;
}

/** Back from the side panel to the row that was open. */
export function focusRow(key: string): void {
  document.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`)?.focus();
}

export interface ListKeysProps {
  /** A row got the focus by key while something is open beside the list: show that one. */
  onFollow?: (key: string) => void;
  onNewer?: () => void;
  onEscape?: () => void;
}

/** j and k move through the rows, `/` goes to the filter, n shows what is new, Esc closes what is open. */
export function ListKeys({ onFollow, onNewer, onEscape }: ListKeysProps) {
  useEffect(() => {
    const move = (by: 1 | -1) => {
      const link = step(by);
      link?.focus();
      link?.scrollIntoView({ block: 'nearest' });
      const key = link?.getAttribute('data-row');
      if (key) onFollow?.(key);
    };
    const commands: Record<string, (() => void) | undefined> = {
      j: () => move(1),
      k: () => move(-1),
      n: onNewer,
      Escape: onEscape,
      '/': () => document.querySelector<HTMLElement>('[data-filter-first]')?.focus(),
    };
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      if (isTaken(event.target) || document.querySelector('[role="dialog"][aria-modal="true"]')) return;
      const command = commands[event.key];
      if (!command) return;
      event.preventDefault();
      command();
    };
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, [onFollow, onNewer, onEscape]);
  return null;
}
