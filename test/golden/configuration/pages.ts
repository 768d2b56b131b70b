import { beside, groups, ofCompose, type Group } from './settings.js';

/** `docs/configuration.md`. */
export const configurationDoc = (): string =>
  `${[INTRODUCTION, ...groups().map(groupDoc), BESIDE, AGREEMENT].join('\n\n')}\n`;

const INTRODUCTION = `# Configuration

Every setting is an environment variable. This page and [\`.env.example\`](../.env.example) are made from the schemas that
the services read their environment with (\`npm run docs:configuration\`); a test fails where they differ.

- A value that cannot be used stops the service at the start, with all problems at once: name, what is expected, what was
  given. What does not go together is told as soon as each value can be read. So does a \`HOLDFAST_\` variable that no part of Holdfast knows, with the name that was probably meant. Variables of
  other services do no harm, so that one environment file does for all.
- An empty variable counts as not set.
- \`node apps/<service>/dist/main.js --print-config\` prints what the service would run with, as an environment file; secrets
  are named and not shown.
- A setting marked as secret may stand in a file instead: \`<variable>_FILE\` names it. [Security](security.md) says how
  secrets are kept.
- Numbers are written without separators. Durations are milliseconds.`;

const groupDoc = ({ title, rows }: Group): string =>
  [
    `## ${title}`,
    '',
    '| Variable | Default | Meaning | Expected |',
    '| --- | --- | --- | --- |',
    ...rows.map((row) => {
      const usual = row.isRequired
        ? 'required'
        : row.default === null || row.default === ''
          ? ''
          : `\`${row.default}\``;
      const about = `${row.about}${row.isSecret ? ' (secret)' : ''}`;
      return `| \`${row.variable}\` | ${usual} | ${escaped(about)} | ${escaped(row.expected)} |`;
    }),
  ].join('\n');

const BESIDE = [
  '## Beside the services',
  '',
  '| Variable | Read by | Meaning |',
  '| --- | --- | --- |',
  ...beside.map(({ variable, by, about }) => `| \`${variable}\` | ${by} | ${about} |`),
].join('\n');

const AGREEMENT = `## What must agree

All services of a namespace must agree on \`HOLDFAST_LANES\` and on the partitions of each queue; a difference is an error at
the start. They should agree on the times that more than one reads: lease, heartbeat, skew, grace, start-by. A lease that
is shorter for coordinators than for executors makes living sessions look lost.

Every reconciler loads the tools of all executors: it can only ask tools that it has, and any of them may be given any
lane.`;

const escaped = (text: string): string => text.replaceAll('|', '\\|');

/** `.env.example`: every setting with its default, ready to be changed. */
export const environmentExample = (): string =>
  [
    '# Every setting of Holdfast with its default: copy this file to .env and change what you need.',
    '# Made from the schemas of the services; docs/configuration.md says the same as tables.',
    ...groups().flatMap(({ title, rows }) => [
      '',
      `# ---- ${title} ----`,
      ...rows.flatMap(({ about, expected, variable, default: usual, isRequired }) => [
        '',
        `# ${about}`,
        `# (${expected}${isRequired ? '; required' : ''})`,
        // Where a default is another one in each process, or there is none, nothing is set.
        usual === null || usual === '' || usual.includes(' ') ? `# ${variable}=` : `# ${variable}=${usual}`,
      ]),
    ]),
    '',
    '# ---- For docker-compose.yml itself ----',
    ...ofCompose.flatMap(({ variable, about, usual }) => ['', `# ${about}`, `# ${variable}=${usual}`]),
    '',
  ].join('\n');
