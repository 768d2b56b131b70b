import { Kbd, Modal } from '@mantine/core';
import { otherKeys, shortcuts, type Shortcut } from './keys.js';
import classes from './shell.module.css';

export const KeyTable = ({ keys, label }: { readonly keys: readonly Shortcut[]; readonly label: string }) => (
  <table className={classes.keys} aria-label={label}>
    <tbody>
      {keys.map(({ keys: pressed, does }) => (
        <tr key={pressed}>
          <th scope="row">
            {pressed.split(' ').map((key) =>
              key === '…' ? (
                ' … '
              ) : (
                <Kbd key={key} size="xs" mr={3}>
                  {key}
                </Kbd>
              ),
            )}
          </th>
          <td>{does}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

export const ShortcutsDialog = ({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) => (
  <Modal opened={opened} onClose={onClose} title="Keyboard" closeButtonProps={{ 'aria-label': 'Close' }}>
    <KeyTable keys={shortcuts} label="Shortcuts" />
    <KeyTable keys={otherKeys} label="Further keys" />
  </Modal>
);
