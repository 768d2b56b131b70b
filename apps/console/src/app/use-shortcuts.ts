import { useEffect, useRef } from 'react';
import { hear, type Shortcut } from './keys.js';

const PENDING_MS = 1_200;

/** Calls for each shortcut that is pressed outside of fields and dialogs. */
export const useShortcuts = (act: (shortcut: Shortcut) => void): void => {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    let pending = '';
    let timer: ReturnType<typeof setTimeout>;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const heard = hear(pending, event.key);
      pending = heard.pending;
      clearTimeout(timer);
      timer = setTimeout(() => (pending = ''), PENDING_MS);
      if (heard.hit === null) return;
      event.preventDefault();
      latest.current(heard.hit);
    };
    window.addEventListener('keydown', onKey);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('keydown', onKey);
    };
  }, []);
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.closest('input, textarea, select, [role="dialog"], [role="listbox"]') !== null);

/** Moves the focus to the next row of the page, or the one before. */
export const moveRow = (by: 1 | -1): void => {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-row]')].toSorted(
    (one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top,
  );
  const at = rows.findIndex((row) => row === document.activeElement);
  const next = rows[at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + by))];
  next?.focus({ preventScroll: true });
  next?.closest('[role="row"]')?.scrollIntoView({ block: 'nearest' });
};
