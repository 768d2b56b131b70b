import { durationWords } from '../../format/time.js';
import { firstAfter, HEAD_HEIGHT, IN_DOUBT, ROW_HEIGHT, type Bar, type Line } from './layout.js';
import { ticks, type Span } from './view.js';

export const AXIS_HEIGHT = 22;

export type Scene = {
  readonly lines: readonly Line[];
  readonly span: Span;
  readonly begin: number;
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  readonly hovered: Bar | null;
};

type Palette = Readonly<Record<'text' | 'dim' | 'line' | 'head' | 'ink', string>> & {
  readonly fills: Readonly<Record<string, string>>;
};

export const paletteOf = (element: HTMLElement): Palette => {
  const style = getComputedStyle(element);
  const of = (name: string): string => style.getPropertyValue(name).trim();
  const [blue, green, red, amber, grey] = ['blue', 'green', 'red', 'amber', 'grey'].map((name) =>
    of(`--hf-fill-${name}`),
  );
  const fills = { open: blue, held: blue, doubtful: amber, succeeded: green, failed: red } as Record<string, string>;
  return {
    text: of('--mantine-color-text'),
    dim: of('--mantine-color-dimmed'),
    line: of('--hf-line'),
    head: of('--hf-sunken'),
    ink: grey ?? '',
    fills,
  };
};

/** Draws what is seen and nothing else. */
export const draw = (context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void => {
  context.clearRect(0, 0, scene.width, scene.height);
  drawTicks(context, scene, palette);
  for (const line of scene.lines) {
    const top = AXIS_HEIGHT + line.top - scene.scrollTop;
    if (top > scene.height || top < AXIS_HEIGHT - HEAD_HEIGHT) continue;
    if (line.kind === 'head')
      drawHead(context, { ...scene, top, name: line.group.name, count: line.group.count }, palette);
    else drawRow(context, scene, { palette, top, row: line.row });
  }
  drawAxis(context, scene, palette);
};

const x = (at: number, { span, width }: Pick<Scene, 'span' | 'width'>): number =>
  ((at - span.from) / (span.to - span.from)) * width;

const ticksOf = (scene: Scene): readonly number[] =>
  ticks(scene.span, scene.begin, Math.max(2, Math.floor(scene.width / 90)));

const drawTicks = (context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void => {
  context.fillStyle = palette.line;
  for (const tick of ticksOf(scene))
    context.fillRect(Math.round(x(scene.begin + tick, scene)), AXIS_HEIGHT, 1, scene.height);
};

const drawAxis = (context: CanvasRenderingContext2D, scene: Scene, palette: Palette): void => {
  context.clearRect(0, 0, scene.width, AXIS_HEIGHT);
  context.font = '11px "Inter Variable", system-ui, sans-serif';
  context.fillStyle = palette.dim;
  context.textBaseline = 'middle';
  for (const tick of ticksOf(scene)) {
    const words = tick === 0 ? 'start' : `+${durationWords(tick)}`;
    const left = x(scene.begin + tick, scene) + 4;
    if (left + context.measureText(words).width < scene.width) context.fillText(words, left, AXIS_HEIGHT / 2);
  }
};

type Head = Scene & { readonly top: number; readonly name: string; readonly count: number };
const drawHead = (context: CanvasRenderingContext2D, { top, name, count, width }: Head, palette: Palette): void => {
  context.fillStyle = palette.head;
  context.fillRect(0, top + 2, width, HEAD_HEIGHT - 4);
  context.font = '600 12px "Inter Variable", system-ui, sans-serif';
  context.fillStyle = palette.text;
  context.textBaseline = 'middle';
  context.fillText(name, 8, top + HEAD_HEIGHT / 2);
  const after = context.measureText(name).width;
  context.font = '12px "Inter Variable", system-ui, sans-serif';
  context.fillStyle = palette.dim;
  context.fillText(name === IN_DOUBT ? `${count} doubts` : `${count} attempts`, 18 + after, top + HEAD_HEIGHT / 2);
};

type RowPlace = { readonly palette: Palette; readonly top: number; readonly row: readonly Bar[] };
const drawRow = (context: CanvasRenderingContext2D, scene: Scene, { palette, top, row }: RowPlace): void => {
  const height = ROW_HEIGHT - 3;
  for (let index = firstAfter(row, scene.span.from); index < row.length; index += 1) {
    const bar = row[index] as Bar;
    if (bar.ordered > scene.span.to) return;
    const [ordered, from, to] = [x(bar.ordered, scene), x(bar.from, scene), x(bar.to, scene)];
    if (from - ordered > 1) {
      context.fillStyle = palette.line;
      context.fillRect(ordered, top + height / 2 - 1, from - ordered, 2);
    }
    context.fillStyle = palette.fills[bar.doubt === null ? bar.attempt.status : 'doubtful'] ?? palette.ink;
    context.fillRect(from, top, Math.max(1.5, to - from - (to - from > 4 ? 1 : 0)), height);
    if (bar === scene.hovered) {
      context.strokeStyle = palette.text;
      context.lineWidth = 1.5;
      context.strokeRect(from - 1, top - 1, Math.max(3, to - from + 1), height + 2);
    }
  }
};

/** What lies under a point of the canvas. */
export const barAt = (scene: Scene, point: { readonly x: number; readonly y: number }): Bar | null => {
  const y = point.y - AXIS_HEIGHT + scene.scrollTop;
  const line = scene.lines.findLast(({ top }) => top <= y);
  if (line?.kind !== 'row') return null;
  const ms = (scene.span.to - scene.span.from) / scene.width;
  const at = scene.span.from + point.x * ms;
  const bar = line.row[firstAfter(line.row, at - 2 * ms)];
  return bar !== undefined && bar.ordered <= at + 2 * ms ? bar : null;
};
