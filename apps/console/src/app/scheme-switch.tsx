import { ActionIcon, Tooltip, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';

const order: readonly MantineColorScheme[] = ['auto', 'light', 'dark'];
export const nextScheme = (scheme: MantineColorScheme): MantineColorScheme =>
  order[(order.indexOf(scheme) + 1) % order.length] ?? 'auto';

const signs = { auto: IconDeviceDesktop, light: IconSun, dark: IconMoon } as const;
const words = { auto: 'as the system', light: 'light', dark: 'dark' } as const;

/** Light, dark, or as the system has it. */
export const SchemeSwitch = () => {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Sign = signs[colorScheme];
  const label = `Colours: ${words[colorScheme]}. Press for ${words[nextScheme(colorScheme)]}`;
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={label}
        onClick={() => setColorScheme(nextScheme(colorScheme))}
      >
        <Sign size={17} />
      </ActionIcon>
    </Tooltip>
  );
};
