import { AppShell, Burger, useMantineColorScheme } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { Connection } from './connection.js';
import { HealthBanner } from './health-banner.js';
import { Identity } from './identity.js';
import type { Shortcut } from './keys.js';
import { Nav } from './nav.js';
import { nextScheme, SchemeSwitch } from './scheme-switch.js';
import { ShortcutsDialog } from './shortcuts-dialog.js';
import { moveRow, useShortcuts } from './use-shortcuts.js';
import classes from './shell.module.css';

export const Shell = ({ children }: { readonly children: ReactNode }) => {
  const [menu, { toggle, close }] = useDisclosure(false);
  const [keys, dialog] = useDisclosure(false);
  const { pathname } = useLocation();
  useEffect(close, [pathname, close]);
  useShortcuts(useActs(dialog.open));
  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 196, breakpoint: 'sm', collapsed: { mobile: !menu } }}
      padding={{ base: 10, sm: 18 }}
    >
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <AppShell.Header className={classes.header}>
        <Burger opened={menu} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Menu" />
        <Link to="/runs" className={classes.brand}>
          <img src="/favicon.svg" width={22} height={22} alt="" />
          Holdfast
        </Link>
        <span className={classes.grow} />
        <Connection />
        <Identity />
        <SchemeSwitch />
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} data-closed={menu ? undefined : ''}>
        <Nav />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} className={classes.main}>
        <HealthBanner />
        {children}
      </AppShell.Main>
      <ShortcutsDialog opened={keys} onClose={dialog.close} />
    </AppShell>
  );
};

/** What each shortcut does. */
const useActs = (help: () => void) => {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return ({ to, act }: Shortcut): void => {
    if (to !== undefined) void navigate(to);
    if (act === 'search') document.querySelector<HTMLElement>('main [type="search"]')?.focus();
    if (act === 'next') moveRow(1);
    if (act === 'previous') moveRow(-1);
    if (act === 'refresh') void client.invalidateQueries();
    if (act === 'scheme') setColorScheme(nextScheme(colorScheme));
    if (act === 'help') help();
  };
};
