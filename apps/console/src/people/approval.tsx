import { Json } from '../parts/json.js';
import { Facts } from '../parts/layout.js';
import type { ApprovedCall } from './approved-call.js';
import classes from './people.module.css';

/** Exactly what is approved: the tool by its hash, the arguments as they will be sent, their hash. */
export const Approval = ({ call }: { readonly call: ApprovedCall }) => (
  <div className={classes.approval}>
    <h3>Exactly this call, once</h3>
    <Facts
      facts={[
        ['Tool', <b key="tool">{call.tool}</b>],
        call.toolHash !== '' && [
          'Tool hash',
          <span key="hash" className="mono">
            {call.toolHash}
          </span>,
        ],
        [
          'Arguments hash',
          <span key="args" className="mono">
            {call.argsHash}
          </span>,
        ],
      ]}
    />
    <Json value={call.args} label="Arguments as they will be sent" max={320} />
  </div>
);
