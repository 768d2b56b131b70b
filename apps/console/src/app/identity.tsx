import { ActionIcon, Button, Popover, TextInput, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconUser } from '@tabler/icons-react';
import { useState, type FormEvent } from 'react';
import { principal, rememberPrincipal } from '../api/principal.js';

/** Under which name changes are asked for. */
export const Identity = () => {
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
