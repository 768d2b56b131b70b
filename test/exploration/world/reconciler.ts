import { newReconciler, type Input } from '../../../apps/reconciler/src/doubt/doubt.state.js';
import { step } from '../../../apps/reconciler/src/doubt/doubt.step.js';
import type { Cell } from '../engine/cell.js';
import { sealed } from '../engine/sealed.js';
import type { Kit } from './kit.js';
import type { Reconciler } from './parts.js';

type Draft = { -readonly [K in keyof Reconciler]: Reconciler[K] };

export const newReconcilerCell = (kit: Kit): Cell<Reconciler> =>
  kit.cells.of({
    state: { ...newReconciler(sealed(kit.asking)), isClockProven: true },
    seen: [],
    asking: null,
    telling: [],
  });

/** `about` names all that the outcome depends on besides the process and the time. */
export const tellReconciler = (
  kit: Kit,
  cell: Cell<Reconciler>,
  { about, input, change = {} }: { readonly about: string; readonly input: Input; readonly change?: Partial<Draft> },
): Cell<Reconciler> =>
  kit.cells.once(`reconciler ${cell.id} ${input.now} ${about}`, () => {
    const draft: Draft = { ...cell.value, ...change };
    const { state, outputs } = step(draft.state, input, kit.askingRules);
    draft.state = sealed(state);
    for (const output of outputs) {
      if (output.type === 'Ask') draft.asking = { ask: output.ask, view: output.view };
      else if (output.type === 'StopAsking') draft.asking = null;
      else draft.telling = [...draft.telling, output.judgement];
    }
    return kit.cells.of<Reconciler>(draft);
  });
