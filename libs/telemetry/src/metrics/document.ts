import { metricNames, metricOf, type MetricName, type Teller } from './table.js';

const TITLES: Readonly<Record<Teller, string>> = {
  all: 'Every service',
  coordinator: 'Coordinators',
  executor: 'Executors',
  reconciler: 'Reconcilers',
  gateway: 'Gateways',
};

/** `docs/metrics.md`. */
export const metricsDoc = (): string => `${INTRODUCTION}\n\n${metricTables()}\n`;

const INTRODUCTION = `# Metrics

Every service answers \`GET /metrics\` beside \`/health\`, in the text format of Prometheus. This page is made from the one table
that the code takes names and labels from (\`npm run docs:metrics\`); a test fails where they differ, and another where the
[dashboard](../ops/grafana/holdfast.json) or an [alert](../ops/prometheus/alerts.yml) names what is not here.

- Each series carries \`service\`. \`instance\` comes from whoever scrapes.
- Labels have few values: no run, step, session or person is in one. Where one metric would have more than 2,000 series all
  the same, what comes on top is counted together, under \`other\`.
- What is counted of history is counted once: by the owner of the lane, when a batch is known to be valid. Whoever folds the
  history again, after a take-over or a restart, counts nothing. An owner that dies between its append and the answer has
  not counted that batch; the history has it.
- What a worker counts comes with its parent's numbers, told once a second; what a killed worker had counted since is lost.
- Positions without consequence are written every 5 s: an idle lane may show so many seconds of lag.
- Beside these there are the usual \`process_…\` and \`nodejs_…\` of the Prometheus client for Node.js, of the executor's parent.
- It costs a coordinator 3 µs of processor time for each step of a run, any service 0.7 µs for each append, and 3 ms for each
  answer; with traces 11 µs more for each step. Processor time in loops of 200,000 batches as a lane writes them for a step
  (three records), on 2 cores of a virtual machine that were busy with other work (load 26), Node.js 20.20.
- \`npm run bench -- sequential --count 400\`, three rounds in turn without any of it (commit c527c07), with metrics and with traces
  besides (commit 375bd6f), same machine under load 13 to 17: processor time with start, medians, of the coordinator 5.5, 6.0 and
  5.9 s, of the worker 3.6, 3.8 and 4.0 s. The time of a step (p50 14 to 31 ms) differed more from round to round than from one to
  the other, so nothing is said of it.
- Numbers show trends and alarms. What happened is in the history; a total that must be right is read there
  (\`holdfast show\`, the gateway's API).`;

const metricTables = (): string =>
  (Object.keys(TITLES) as Teller[])
    .map((teller) => `## ${TITLES[teller]}\n\n${tableOf(metricNames.filter((name) => metricOf(name).of === teller))}`)
    .join('\n\n');

const tableOf = (names: readonly MetricName[]): string =>
  ['| Metric | Type | Labels | Unit | Meaning |', '| --- | --- | --- | --- | --- |', ...names.map(rowOf)].join('\n');

const rowOf = (name: MetricName): string => {
  const { type, labels, help } = metricOf(name);
  const shown = labels.map((label) => `\`${label}\``).join(', ');
  return `| \`${name}\` | ${type === 'level' ? 'counter' : type} | ${shown} | ${unitOf(name)} | ${help} |`;
};

/** Base units, as the name says them. */
const unitOf = (name: MetricName): string => {
  const unit = /_(seconds|bytes|ratio|records)(_total)?$/.exec(name)?.[1];
  return unit ?? '';
};
