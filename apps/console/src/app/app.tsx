import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { BrowserRouter } from 'react-router';
import { ApiProblem } from '../api/problem.js';
import { variables } from './colours.js';
import { Pages } from './pages.js';
import { SignedIn } from './signing-in.js';
import { theme } from './theme.js';

const RETRIES = 2;

/** What was refused is refused again; what did not arrive may arrive. */
const retries = (failures: number, error: unknown): boolean => {
  const status = error instanceof ApiProblem ? error.problem.status : 500;
  return failures < RETRIES && (status === 0 || status >= 500) && status !== 503;
};

const client = new QueryClient({
  defaultOptions: {
    queries: { retry: retries, retryDelay: 400, staleTime: 2_000, refetchOnWindowFocus: true },
  },
});

export const App = () => (
  <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
    <QueryClientProvider client={client}>
      <BrowserRouter>
        <SignedIn>
          <Pages />
        </SignedIn>
      </BrowserRouter>
    </QueryClientProvider>
  </MantineProvider>
);
