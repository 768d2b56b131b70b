import { unreachable } from '../defect.js';
import {
  applyChildAccepted,
  applyChildAttached,
  applyChildEnded,
  applyChildLeft,
  applyChildrenStopped,
  applyChildStarted,
} from './child.evolve.js';
import type { childEventSchemas } from './child.events.js';
import { applyKeyAwaited, applyKeyDenied, applyKeyGranted, applySuperseded } from './key.evolve.js';
import type { keyEventSchemas } from './key.events.js';
import type { z } from 'zod';
import { applyCompensationEnded, applyCompensationStarted } from './undo.js';
import type { undoEventSchemas } from './undo.events.js';
import type { LiveRun } from './run.state.js';

type Together = z.infer<
  (typeof keyEventSchemas)[number] | (typeof childEventSchemas)[number] | (typeof undoEventSchemas)[number]
>;

/** A run after a fact about other runs: those that share its key, those that it has begun, and the one that undoes it. */
export const evolveTogether = (run: LiveRun, event: Together): LiveRun => {
  switch (event.type) {
    case 'ChildStarted':
      return applyChildStarted(run, event.data);
    case 'ChildAttached':
      return applyChildAttached(run, event.data);
    case 'ChildAccepted':
      return applyChildAccepted(run, event.data);
    case 'ChildLeft':
      return applyChildLeft(run, event.data);
    case 'ChildEnded':
      return applyChildEnded(run, event.data);
    case 'ChildrenStopped':
      return applyChildrenStopped(run, event.data);
    case 'KeyGranted':
      return applyKeyGranted(run);
    case 'KeyAwaited':
      return applyKeyAwaited(run, event.data);
    case 'KeyDenied':
      return applyKeyDenied(run, event.data);
    case 'RunSuperseded':
      return applySuperseded(run, event.data);
    case 'CompensationStarted':
      return applyCompensationStarted(run, event.data);
    case 'CompensationEnded':
      return applyCompensationEnded(run, event.data);
    default:
      return unreachable(event);
  }
};
