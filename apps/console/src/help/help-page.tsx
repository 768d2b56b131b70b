import { otherKeys, shortcuts } from '../app/keys.js';
import { KeyTable } from '../app/shortcuts-dialog.js';
import { PageHead, Section } from '../parts/layout.js';
import { Status } from '../parts/status.js';
import { usePageTitle } from '../parts/use-page-title.js';
import { statuses, words } from './words.js';
import classes from './help.module.css';

export default function HelpPage() {
  usePageTitle('Help');
  return (
    <>
      <PageHead title="Help" />
      <div className={classes.columns}>
        <Section title="Keyboard">
          <KeyTable keys={shortcuts} label="Shortcuts" />
          <KeyTable keys={otherKeys} label="Further keys" />
        </Section>
        <div className={classes.stack}>
          <Section title="What a run can be">
            <dl className={classes.list}>
              {statuses.map(([status, meaning]) => (
                <div key={status}>
                  <dt>
                    <Status of={status} />
                  </dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </Section>
          <Section title="Words">
            <dl className={classes.list}>
              {words.map(([word, meaning]) => (
                <div key={word}>
                  <dt>{word}</dt>
                  <dd>{meaning}</dd>
                </div>
              ))}
            </dl>
          </Section>
          <Section title="Elsewhere">
            <p>
              All that this page shows and does, the API does as well:{' '}
              <a href="/v1/openapi.json">its OpenAPI document</a>. On the command line:{' '}
              <span className="mono">holdfast --help</span>.
            </p>
          </Section>
        </div>
      </div>
    </>
  );
}
