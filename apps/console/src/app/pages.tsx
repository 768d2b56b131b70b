import { VisuallyHidden } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { Navigate, Route, Routes, useLocation, useMatch } from 'react-router';
import { LiveProvider } from '../api/live.js';
import { pathOf, routes } from '@holdfast/api';
import { Loading } from '../parts/states.js';
import { Guard } from './guard.js';
import { Shell } from './shell.js';

const RunsPage = lazy(() => import('../runs/runs-page.js'));
const RunPage = lazy(() => import('../run/run-page.js'));
const InboxPage = lazy(() => import('../people/inbox-page.js'));
const DoubtsPage = lazy(() => import('../doubts/doubts-page.js'));
const ExecutorsPage = lazy(() => import('../cluster/executors-page.js'));
const LanesPage = lazy(() => import('../cluster/lanes-page.js'));
const DeadLettersPage = lazy(() => import('../letters/letters-page.js'));
const HelpPage = lazy(() => import('../help/help-page.js'));
const NotFound = lazy(() => import('../help/not-found.js'));

/** What a page is until its code has come: it has a heading all the same. */
const Arriving = () => (
  <>
    <VisuallyHidden component="h1">The page is being loaded</VisuallyHidden>
    <Loading what="page" />
  </>
);

/** One stream at a time: that of the run that is looked at, else that of all. */
export const Pages = () => {
  const runId = useMatch('/runs/:runId/*')?.params.runId;
  const { pathname } = useLocation();
  const path = runId === undefined ? pathOf(routes.watchAll) : pathOf(routes.watchRun, { runId });
  return (
    <LiveProvider path={path}>
      <Shell>
        <Guard key={pathname.split('/').slice(0, 3).join('/')}>
          <Suspense fallback={<Arriving />}>
            <Routes>
              <Route path="/" element={<Navigate to="/runs" replace />} />
              <Route path="/runs" element={<RunsPage />} />
              <Route path="/runs/:runId/:tab?" element={<RunPage />} />
              <Route path="/inbox" element={<InboxPage />} />
              <Route path="/doubts" element={<DoubtsPage />} />
              <Route path="/executors" element={<ExecutorsPage />} />
              <Route path="/lanes" element={<LanesPage />} />
              <Route path="/dead-letters" element={<DeadLettersPage />} />
              <Route path="/help" element={<HelpPage />} />
              <Route path="*" element={<NotFound />} />
            </Routes>
          </Suspense>
        </Guard>
      </Shell>
    </LiveProvider>
  );
};
