import type { Page } from 'playwright-core';

/** The phases in which the page has shown a doubt, in their order. */
export type Seen = { readonly step: string; readonly cause: string; readonly phases: readonly string[] };

/** Watches from now on in which phases each doubt is shown: what is there for a second only is not missed. */
export const watchPhases = async (page: Page): Promise<() => Promise<readonly Seen[]>> => {
  await page.evaluate(() => {
    const seen = new Map<string, string[]>();
    const causes = new Map<string, string>();
    const look = (): void => {
      for (const card of document.querySelectorAll<HTMLElement>('[data-doubt]')) {
        const { doubt = '', phase = '' } = card.dataset;
        causes.set(doubt, card.dataset['cause'] ?? '');
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
      seenPhases: () => [...seen].map(([step, phases]) => ({ step, phases, cause: causes.get(step) ?? '' })),
    });
  });
  return () => page.evaluate(() => (globalThis as unknown as { seenPhases: () => Seen[] }).seenPhases());
};
