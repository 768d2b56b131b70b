import { readFileSync } from 'node:fs';
import { METRICS, metricNames, metricOf, type MetricName } from '@holdfast/telemetry';
import { parse } from 'yaml';
import { z } from 'zod';
import { evaluate, type Sample } from './support/promql/evaluate.js';
import { all, groupingOf, parsePromql, selectorOf, type Node } from './support/promql/promql.js';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

const rulesSchema = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Holdfast[A-Z]\w+$/),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[sm]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
          annotations: z.strictObject({ summary: z.string(), runbook: z.string() }),
        }),
      ),
    }),
  ),
});
const alerts = rulesSchema.parse(parse(read('ops/prometheus/alerts.yml'))).groups.flatMap(({ rules }) => rules);

const grid = z.object({ x: z.int(), y: z.int(), w: z.int().max(24), h: z.int() });
const target = z.object({
  refId: z.string(),
  expr: z.string(),
  legendFormat: z.string(),
  datasource: z.object({ uid: z.string() }),
});
const panelSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('row'), id: z.int(), title: z.string(), gridPos: grid }),
  ...(['timeseries', 'stat'] as const).map((type) =>
    z.object({
      type: z.literal(type),
      id: z.int(),
      title: z.string(),
      gridPos: grid,
      targets: z.array(target).min(1),
      fieldConfig: z.object({ defaults: z.object({ unit: z.string() }), overrides: z.array(z.unknown()) }),
    }),
  ),
]);
const dashboardSchema = z.object({
  uid: z.literal('holdfast'),
  title: z.string(),
  schemaVersion: z.int().min(39),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.string() })) }),
  panels: z.array(panelSchema),
});
const dashboard = dashboardSchema.parse(JSON.parse(read('ops/grafana/holdfast.json')));
const targets = dashboard.panels.flatMap((panel) =>
  panel.type === 'row' ? [] : panel.targets.map((one) => ({ ...one, title: panel.title })),
);
/** As Grafana puts it in. */
const filled = (expr: string): string => expr.replaceAll('$__rate_interval', '1m');

const described = (name: string) => {
  const base = name.replace(/_(bucket|sum|count)$/, '') as MetricName;
  if (Object.hasOwn(METRICS, name)) return { metric: metricOf(name as MetricName), more: [] };
  if (Object.hasOwn(METRICS, base) && metricOf(base).type === 'histogram')
    return { metric: metricOf(base), more: ['le'] };
  return undefined;
};
const labelsOf = (name: string): readonly string[] => {
  const known = described(name);
  return known === undefined ? [] : [...known.metric.labels, ...known.more, 'service', 'instance'];
};

/** What an expression names that is not there. */
const strangers = (expression: string): readonly string[] => {
  const tree = parsePromql(expression);
  const unknown = all(tree, 'VectorSelector').flatMap((node) => {
    const { metric, matchers } = selectorOf(node);
    if (described(metric) === undefined) return [metric];
    return matchers.flatMap(({ label }) => (labelsOf(metric).includes(label) ? [] : [`${metric}{${label}}`]));
  });
  return [...unknown, ...all(tree, 'AggregateExpr').flatMap(ungrouped)];
};

const ungrouped = (node: Node): readonly string[] =>
  all(node, 'VectorSelector').flatMap((selector) => {
    const { metric } = selectorOf(selector);
    return groupingOf(node).flatMap((label) => (labelsOf(metric).includes(label) ? [] : [`${metric} by ${label}`]));
  });

describe('the dashboard', () => {
  it.each(targets)('$title: $legendFormat has metrics and labels that there are', ({ expr, legendFormat }) => {
    expect(strangers(filled(expr))).toEqual([]);
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
    const tree = parsePromql(filled(expr));
    const [outer] = all(tree, 'AggregateExpr');
    const known =
      outer !== undefined && groupingOf(outer).length > 0
        ? groupingOf(outer)
        : all(tree, 'VectorSelector').flatMap((one) => labelsOf(selectorOf(one).metric));
    expect(shown.filter((label) => !known.includes(label))).toEqual([]);
  });

  it('has each panel once, none on top of another', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}/${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(dashboard.templating.list.map(({ name }) => name)).toContain('datasource');
    expect(new Set(targets.map(({ datasource }) => datasource.uid))).toEqual(new Set(['${datasource}']));
  });

  it('shows every metric that is told of history, lanes and doubts', () => {
    const shown = new Set(
      targets.flatMap(({ expr }) => [...expr.matchAll(/holdfast_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''))),
    );
    const left = metricNames.filter((name) => metricOf(name).of === 'coordinator' && !shown.has(name));
    expect(left).toEqual(['holdfast_lanes']);
  });
});

const operations = read('docs/operations.md');
const paragraphs = [...operations.matchAll(/^### Alert: (.+)$/gm)].map(([, title = '']) => title);
const anchorOf = (title: string): string =>
  `alert-${title
    .toLowerCase()
    .replaceAll(/[^a-z ]/g, '')
    .replaceAll(' ', '-')}`;

describe('the alerts', () => {
  it.each(alerts)('$alert has metrics and labels that there are', ({ expr, annotations }) => {
    expect(strangers(expr)).toEqual([]);
    const shown = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);
    const known = all(parsePromql(expr), 'AggregateExpr').flatMap(groupingOf);
    expect(shown.filter((label) => !known.includes(label))).toEqual([]);
  });

  it('each have their paragraph in docs/operations.md, and the other way round', () => {
    expect(alerts.map(({ annotations }) => annotations.runbook)).toEqual(
      paragraphs.map((title) => `docs/operations.md#${anchorOf(title)}`),
    );
  });

  it('have names of their own', () => expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length));
});

const at = (name: MetricName, labels: Readonly<Record<string, string>>, value: number): Sample => ({
  name,
  labels,
  value,
});
const owned = (lane: string, ...each: readonly number[]): readonly Sample[] =>
  each.map((value, instance) => at('holdfast_lane_owned', { lane, instance: `c${instance}` }, value));

/** For each alert: what is there when all is well, and what raises it. Of a counter: how it stood before. */
const conditions: Readonly<
  Record<
    string,
    { readonly well: readonly Sample[]; readonly ill: readonly Sample[]; readonly before?: readonly Sample[] }
  >
> = {
  HoldfastLaneWithoutOwner: {
    well: [...owned('0', 1, 0), ...owned('1', 0, 1)],
    ill: [...owned('0', 1, 0), ...owned('1', 0, 0)],
  },
  HoldfastNoCoordinator: { well: owned('0', 0), ill: [] },
  HoldfastLaneStopped: {
    well: [at('holdfast_lane_stopped', { lane: '1' }, 0)],
    ill: [at('holdfast_lane_stopped', { lane: '1' }, 1)],
  },
  HoldfastRunsBroken: {
    well: [at('holdfast_lane_broken_runs', { lane: '1' }, 0)],
    ill: [at('holdfast_lane_broken_runs', { lane: '1' }, 2)],
  },
  HoldfastVoidRecords: {
    before: [at('holdfast_lane_records_total', { lane: '1', judged: 'void' }, 1)],
    // A new owner tells what the history holds, which is no news.
    well: [
      at('holdfast_lane_records_total', { lane: '1', judged: 'void' }, 1),
      at('holdfast_lane_records_total', { lane: '1', judged: 'valid' }, 7),
      at('holdfast_lane_records_total', { lane: '1', judged: 'void', instance: 'new' }, 1),
    ],
    ill: [at('holdfast_lane_records_total', { lane: '1', judged: 'void' }, 2)],
  },
  HoldfastInputsBehind: {
    well: [at('holdfast_lane_input_lag_seconds', { lane: '1', topic: 'run-requests' }, 5)],
    ill: [at('holdfast_lane_input_lag_seconds', { lane: '1', topic: 'run-requests' }, 31)],
  },
  HoldfastCommandsBehind: {
    well: [at('holdfast_commands_lag_seconds', { queue: 'q', partition: '0' }, 5)],
    ill: [at('holdfast_commands_lag_seconds', { queue: 'q', partition: '0' }, 31)],
  },
  HoldfastQueueWithoutExecutor: {
    well: [
      at('holdfast_attempts_outstanding', { queue: 'q' }, 3),
      at('holdfast_executor_partitions', { queue: 'q' }, 4),
    ],
    ill: [
      at('holdfast_attempts_outstanding', { queue: 'q' }, 3),
      at('holdfast_executor_partitions', { queue: 'other' }, 4),
    ],
  },
  HoldfastWorkersDie: {
    before: [
      at('holdfast_worker_exits_total', { cause: 'exited' }, 1),
      at('holdfast_worker_exits_total', { cause: 'stopped' }, 1),
    ],
    well: [
      at('holdfast_worker_exits_total', { cause: 'exited' }, 2),
      at('holdfast_worker_exits_total', { cause: 'stopped' }, 9),
    ],
    ill: [at('holdfast_worker_exits_total', { cause: 'exited' }, 5)],
  },
  HoldfastLeasesExpire: {
    before: [at('holdfast_lease_expiries_total', {}, 1)],
    well: [at('holdfast_lease_expiries_total', {}, 1)],
    ill: [at('holdfast_lease_expiries_total', {}, 2)],
  },
  HoldfastDoubtsStay: {
    before: [at('holdfast_doubts_settled_total', { verdict: 'applied', by: 'reconciler' }, 4)],
    well: [
      at('holdfast_doubts', { lane: '1' }, 1),
      at('holdfast_doubts_settled_total', { verdict: 'applied', by: 'reconciler' }, 5),
    ],
    ill: [
      at('holdfast_doubts', { lane: '1' }, 1),
      at('holdfast_doubts_settled_total', { verdict: 'applied', by: 'reconciler' }, 4),
    ],
  },
  HoldfastConflict: {
    before: [at('holdfast_conflicts_total', {}, 0)],
    well: [at('holdfast_conflicts_total', {}, 0)],
    ill: [at('holdfast_conflicts_total', {}, 1)],
  },
  HoldfastDeadLetters: {
    before: [at('holdfast_dead_letters_total', { code: 'not_json' }, 0)],
    well: [at('holdfast_dead_letters_total', { code: 'not_json' }, 0)],
    ill: [at('holdfast_dead_letters_total', { code: 'not_json' }, 1)],
  },
  HoldfastQuestionsExpire: {
    before: [at('holdfast_questions_expired_total', {}, 3)],
    well: [at('holdfast_questions_expired_total', {}, 3)],
    ill: [at('holdfast_questions_expired_total', {}, 4)],
  },
  HoldfastRowsBehind: {
    well: [at('holdfast_projection_lag_seconds', { lane: '1' }, 3), at('holdfast_projection_broken_lanes', {}, 0)],
    ill: [at('holdfast_projection_lag_seconds', { lane: '1' }, 3), at('holdfast_projection_broken_lanes', {}, 1)],
  },
  HoldfastRowsDiffer: {
    well: [at('holdfast_shadow_differences', {}, 0)],
    ill: [at('holdfast_shadow_differences', {}, 1)],
  },
  HoldfastNotReady: {
    well: [at('holdfast_ready', { service: 'gateway', instance: 'g' }, 1)],
    ill: [at('holdfast_ready', { service: 'gateway', instance: 'g' }, 0)],
  },
};

describe('an alert is raised by its condition and by nothing less', () => {
  it.each(alerts)('$alert', ({ alert, expr }) => {
    const { well, ill, before = [] } = conditions[alert] ?? { well: [], ill: [] };
    expect(evaluate(expr, { before, after: well })).toEqual([]);
    expect(evaluate(expr, { before, after: ill })).toHaveLength(1);
  });
});
