import type { FakeHistory } from '../support/fake-history.js';
import { tellEveryEvent } from './story.js';
import { tellAgents } from './stories/agents.js';
import { tellBulkCancel } from './stories/bulk-cancel.js';
import { tellAsking } from './stories/asking.js';
import { tellSteering } from './stories/steering.js';
import { tellChildren } from './stories/children.js';
import { tellUndo } from './stories/undo.js';
import { tellKeys } from './stories/keys.js';
import { tellForks } from './stories/forks.js';
import { tellBudgets } from './stories/budgets.js';
import { tellRememberedCancels } from './stories/remembered-cancels.js';
import { tellTenants } from './stories/tenants.js';

/** Histories by name, `<release>/<story>`: between them every event happens. */
export const stories: Readonly<Record<string, () => FakeHistory>> = {
  '0.1.0/every-event': tellEveryEvent,
  '0.2.0/agents': tellAgents,
  '0.2.0/asking': tellAsking,
  '0.2.0/budgets': tellBudgets,
  '0.2.0/tenants': tellTenants,
  '0.2.0/remembered-cancels': tellRememberedCancels,
  '0.2.0/bulk-cancel': tellBulkCancel,
  '0.2.0/steering': tellSteering,
  '0.2.0/keys': tellKeys,
  '0.2.0/children': tellChildren,
  '0.2.0/undo': tellUndo,
  '0.2.0/forks': tellForks,
};
