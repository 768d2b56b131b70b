import type { CSSProperties } from 'react';
import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleMinus,
  IconCircleX,
  IconClockPause,
  IconHourglass,
  IconPlayerPause,
  IconPlayerPlay,
  IconZoomQuestion,
  type TablerIcon,
} from '@tabler/icons-react';
import { spoken, toneColor, toneOf } from './tone.js';
import classes from './parts.module.css';

const icons: Readonly<Record<string, TablerIcon>> = {
  running: IconPlayerPlay,
  open: IconPlayerPlay,
  held: IconPlayerPlay,
  waiting: IconClockPause,
  recovering: IconZoomQuestion,
  doubtful: IconZoomQuestion,
  in_doubt: IconZoomQuestion,
  paused: IconPlayerPause,
  cancelling: IconBan,
  closing: IconHourglass,
  succeeded: IconCircleCheck,
  applied: IconCircleCheck,
  answered: IconCircleCheck,
  alive: IconCircleCheck,
  failed: IconCircleX,
  budget_exhausted: IconCircleX,
  deadline_exceeded: IconCircleX,
  looping: IconCircleX,
  escalation_expired: IconCircleX,
  expired: IconCircleX,
  silent: IconCircleX,
  conflict: IconAlertTriangle,
  cancelled: IconCircleMinus,
  superseded: IconCircleMinus,
  absent: IconCircleMinus,
  closed: IconCircleMinus,
  skipped: IconCircleMinus,
};

/** A status, reason, effect or verdict: sign, colour and word. */
export const Status = ({ of, strong = false }: { readonly of: string; readonly strong?: boolean }) => {
  const Icon = icons[of] ?? IconCircleDashed;
  const style: CSSProperties = { color: toneColor(toneOf(of)) };
  return (
    <span className={strong ? classes.statusStrong : classes.status} style={style}>
      <Icon size={strong ? 17 : 15} stroke={2} aria-hidden />
      <span>{spoken(of)}</span>
    </span>
  );
};

/** What a run is in: its reason once it is over. */
export const RunStatus = ({
  status,
  reason,
  strong = false,
}: {
  readonly status: string;
  readonly reason: string | null;
  readonly strong?: boolean;
}) => <Status of={status === 'ended' || status === 'closing' ? (reason ?? status) : status} strong={strong} />;
