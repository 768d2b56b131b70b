import type { Page } from 'playwright-core';

/** The phases in which the page has shown a doubt, in their order. */
export type Seen = { readonly step: string; readonly died: boolean; readonly phases: readonly string[] };

/** Watches from now on in which phases each doubt is shown: what is there for a second only is not missed. */
export const watchPhases = async (page: Page): Promise<() => Promise<readonly Seen[]>> => {
  await page.evaluate(() => {
    const seen = new Map<string, string[]>();
    const died = new Set<string>();
    const look = (): void => {
      for (const card of document.querySelectorAll<HTMLElement>('[data-doubt]')) {
        const { doubt = '', phase = '' } = card.dataset;
        if (card.textContent.includes('its worker has died')) died.add(doubt);
        const phases = seen.get(doubt) ?? [];
        if (phases.at(-1) !== phase) seen.set(doubt, [...phases, phase]);
      }
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ['data-phase'],
    });
    look();
    Object.assign(globalThis, {
      seenPhases: () => [...seen].map(([step, phases]) => ({ step, phases, died: died.has(step) })),
    });
  });
  return () => page.evaluate(() => (globalThis as unknown as { seenPhases: () => Seen[] }).seenPhases());
};
