import { useMantineColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent, type RefObject } from 'react';
import { BarTip } from './bar-tip.js';
import { AXIS_HEIGHT, barAt, draw, paletteOf, type Scene } from './draw.js';
import { linesOf, type Bar, type Layout } from './layout.js';
import { moved, zoomed, type Span } from './view.js';
import classes from './timeline.module.css';

type Props = {
  readonly layout: Layout;
  readonly span: Span;
  readonly setSpan: (span: Span) => void;
  readonly open: (stepId: string) => void;
  readonly about: string;
};
type Point = { readonly x: number; readonly y: number };

/** Where on the canvas the pointer is. */
const pointOf = (event: PointerEvent): Point => {
  const box = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
};

const HEIGHT_MAX = 460;
const DRAG_MIN = 4;

/** Thousands of attempts on one canvas, of which only what is seen is drawn. */
export const TimelineCanvas = ({ layout, span, setSpan, open, about }: Props) => {
  const { ref: frame, width } = useElementSize();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [scrollTop, setScrollTop] = useState(0);
  const [hover, setHover] = useState<{ readonly bar: Bar; readonly point: Point } | null>(null);
  const drag = useRef<{ readonly x: number; readonly span: Span; moved: boolean } | null>(null);
  const { lines, height: full } = useMemo(() => linesOf(layout.groups), [layout]);
  const height = Math.min(HEIGHT_MAX, full + AXIS_HEIGHT + 4);
  const whole = { from: layout.from, to: layout.to };
  const scene: Scene = { lines, span, begin: layout.from, width, height, scrollTop, hovered: hover?.bar ?? null };

  useDrawing(canvas, scene);

  const onMove = (event: PointerEvent): void => {
    const point = pointOf(event);
    const from = drag.current;
    if (from !== null && Math.abs(point.x - from.x) > DRAG_MIN) {
      from.moved = true;
      setHover(null);
      setSpan(moved(from.span, whole, (from.x - point.x) / Math.max(1, width)));
      return;
    }
    const bar = barAt(scene, point);
    setHover(bar === null ? null : { bar, point });
  };
  const onUp = (event: PointerEvent): void => {
    const bar = drag.current?.moved === true ? null : barAt(scene, pointOf(event));
    drag.current = null;
    if (bar !== null) open(bar.attempt.stepId);
  };
  return (
    <div ref={frame} className={classes.frame}>
      <div
        className={classes.scroll}
        style={{ height }}
        tabIndex={0}
        role="group"
        aria-label={`${about} Arrow keys move, plus and minus change the scale.`}
        onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
        onKeyDown={(event) => onKey(event, span, whole, setSpan)}
      >
        <div style={{ height: full + AXIS_HEIGHT }}>
          <canvas
            ref={canvas}
            className={classes.canvas}
            style={{ width, height, cursor: hover === null ? 'grab' : 'pointer' }}
            onPointerDown={(event) => (drag.current = { x: pointOf(event).x, span, moved: false })}
            onPointerMove={onMove}
            onPointerUp={onUp}
            onPointerLeave={() => {
              drag.current = null;
              setHover(null);
            }}
          />
        </div>
      </div>
      {hover !== null && <BarTip bar={hover.bar} point={hover.point} width={width} />}
    </div>
  );
};

const CLOSER = 0.6;
const onKey = (event: KeyboardEvent, ...[span, whole, setSpan]: [Span, Span, (span: Span) => void]): void => {
  const middle = (span.from + span.to) / 2;
  const next =
    event.key === 'ArrowLeft'
      ? moved(span, whole, -0.2)
      : event.key === 'ArrowRight'
        ? moved(span, whole, 0.2)
        : event.key === '+' || event.key === '='
          ? zoomed(span, whole, CLOSER, middle)
          : event.key === '-'
            ? zoomed(span, whole, 1 / CLOSER, middle)
            : null;
  if (next === null) return;
  event.preventDefault();
  setSpan(next);
};

/** Draws the scene whenever something is different, and once more when the colours of another scheme are there. */
const useDrawing = (canvas: RefObject<HTMLCanvasElement | null>, scene: Scene): void => {
  const { colorScheme } = useMantineColorScheme();
  const [, redraw] = useState(0);
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (canvas.current === null || !context || scene.width === 0) return;
    const ratio = window.devicePixelRatio;
    canvas.current.width = Math.round(scene.width * ratio);
    canvas.current.height = Math.round(scene.height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw(context, scene, paletteOf(canvas.current));
  });
  useEffect(() => {
    const frameId = requestAnimationFrame(() => redraw((count) => count + 1));
    return () => cancelAnimationFrame(frameId);
  }, [colorScheme]);
};
