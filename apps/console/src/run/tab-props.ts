import type { RunDetail } from '@holdfast/api';

export type TabProps = { readonly run: RunDetail; readonly openStep: (stepId: string) => void };
