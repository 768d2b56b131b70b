import { ActionIcon, Button, Popover, TextInput, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { PrincipalView } from '@holdfast/api';
import { IconUser, IconUserCheck } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { forget } from '../api/oidc.js';
import { principal, rememberPrincipal } from '../api/principal.js';
import { signOut } from '../api/session.js';
import { useMe } from '../api/use-me.js';

/** Who asks for changes: whom the gateway knows, or the name that one gives where nobody is asked. */
export const Identity = () => {
  const me = useMe();
  return me?.authentication === 'required' && me.principal !== null ? <Known principal={me.principal} /> : <Named />;
};

const leave = (): void => {
  void forget();
  signOut();
};

const Known = ({ principal: { id, roles } }: { readonly principal: PrincipalView }) => {
  const [opened, { toggle, close }] = useDisclosure(false);
  const label = `You are ${id}`;
  return (
    <Popover opened={opened} onChange={(open) => !open && close()} position="bottom-end" withArrow trapFocus>
      <Popover.Target>
        <Tooltip label={label} disabled={opened}>
          <ActionIcon variant="subtle" color="gray" onClick={toggle} aria-label={label} aria-expanded={opened}>
            <IconUserCheck size={17} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label="Who you are">
        <div style={{ display: 'grid', gap: 10, width: 240 }}>
          <strong className="wrap">{id}</strong>
          <span>{roles.length === 0 ? 'You have no role, and may see nothing.' : `Roles: ${roles.join(', ')}`}</span>
          <Button variant="default" onClick={leave}>
            Sign out
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  );
};

const Named = () => {
  const [opened, { toggle, close }] = useDisclosure(false);
  const [name, setName] = useState(principal);
  const label = name === '' ? 'You are nobody by name: press to say who you are' : `You are ${name}`;
  const keep = (event: FormEvent): void => {
    event.preventDefault();
    rememberPrincipal(name);
    close();
  };
  return (
    <Popover opened={opened} onChange={(open) => !open && close()} position="bottom-end" withArrow trapFocus>
      <Popover.Target>
        <Tooltip label={label} disabled={opened}>
          <ActionIcon variant="subtle" color="gray" onClick={toggle} aria-label={label} aria-expanded={opened}>
            <IconUser size={17} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label="Your name">
        <form onSubmit={keep} style={{ display: 'grid', gap: 10, width: 240 }}>
          <TextInput
            label="Your name"
            description="Kept with every answer and every change that you ask for. It is not checked."
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit">Keep</Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
};
