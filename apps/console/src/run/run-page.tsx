import { Tabs } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import { useNavigate, useParams, useSearchParams } from 'react-router';
import { endpoints } from '../api/endpoints.js';
import { useAnswer } from '../api/use-answer.js';
import { Answered, Loading } from '../parts/states.js';
import { usePageTitle } from '../parts/use-page-title.js';
import { Overview } from './overview/overview.js';
import { RunHeader } from './header/run-header.js';
import { StepDrawer } from './steps/step-drawer.js';
import { tabOf, tabs, type TabId } from './tabs.js';
import classes from './run.module.css';

const bodies = {
  timeline: lazy(() => import('./timeline/timeline-tab.js')),
  steps: lazy(() => import('./steps/steps-tab.js')),
  effects: lazy(() => import('./steps/effects-tab.js')),
  transcript: lazy(() => import('./transcript-tab.js')),
  questions: lazy(() => import('./questions-tab.js')),
  history: lazy(() => import('./history/history-tab.js')),
  'time-travel': lazy(() => import('./history/time-travel-tab.js')),
} as const;

export default function RunPage() {
  const { runId = '', tab: named } = useParams();
  const tab = tabOf(named);
  usePageTitle(`${runId} · ${tabs.find(({ id }) => id === tab)?.name ?? ''}`);
  const run = useAnswer(endpoints.run(runId), { every: 15_000 });
  const go = useTabs(runId);
  const [step, setStep] = useStepParam();
  useTabInSight(tab, run.data !== undefined);
  const Body = tab === 'overview' ? null : bodies[tab];
  return (
    <>
      {run.data === undefined && <h1 className="visually-hidden">{runId}</h1>}
      <Answered query={run} what="the run">
        {run.data !== undefined && (
          <>
            <RunHeader run={run.data} />
            <Tabs value={tab} onChange={(value) => go(tabOf(value ?? undefined))} keepMounted={false}>
              <Tabs.List aria-label="Parts of the run" className={classes.tabs}>
                {tabs.map(({ id, name }) => (
                  <Tabs.Tab key={id} value={id}>
                    {name}
                    <TabCount id={id} run={run.data} />
                  </Tabs.Tab>
                ))}
              </Tabs.List>
              <Tabs.Panel value={tab} pt={14}>
                {Body === null ? (
                  <Overview run={run.data} />
                ) : (
                  <Suspense fallback={<Loading what={tab} />}>
                    <Body run={run.data} openStep={setStep} />
                  </Suspense>
                )}
              </Tabs.Panel>
            </Tabs>
            <StepDrawer run={run.data} stepId={step} onClose={() => setStep(null)} />
          </>
        )}
      </Answered>
    </>
  );
}

const TabCount = ({ id, run }: { readonly id: TabId; readonly run: { readonly questionsOpen: number } }) =>
  id === 'questions' && run.questionsOpen > 0 ? <span className={classes.tabCount}>{run.questionsOpen}</span> : null;

/** Goes to a tab, also by the keys 1 to 8. */
const useTabs = (runId: string) => {
  const navigate = useNavigate();
  const go = (tab: TabId): void => {
    void navigate(`/runs/${encodeURIComponent(runId)}/${tab}`);
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const tab = tabs[Number(event.key) - 1];
      if (tab === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [role="dialog"]'))
        return;
      void navigate(`/runs/${encodeURIComponent(runId)}/${tab.id}`);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [runId, navigate]);
  return go;
};

/** The step whose drawer is open stands in the address. */
const useStepParam = (): readonly [string | null, (stepId: string | null) => void] => {
  const [params, setParams] = useSearchParams();
  const set = (stepId: string | null): void =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        if (stepId === null) next.delete('step');
        else next.set('step', stepId);
        return next;
      },
      { replace: true },
    );
  return [params.get('step'), set];
};

/** On a narrow page the tabs are wider than the window. */
const useTabInSight = (tab: TabId, there: boolean): void => {
  useEffect(() => {
    const active = document.querySelector<HTMLElement>('[role="tab"][aria-selected="true"]');
    if (active?.parentElement) active.parentElement.scrollLeft = active.offsetLeft - 24;
  }, [tab, there]);
};
