import { createTheme, rem, type MantineColorsTuple } from '@mantine/core';

const ink: MantineColorsTuple = [
  '#eef3fa',
  '#dbe5f2',
  '#b5c9e4',
  '#8caad4',
  '#648bc2',
  '#4672ae',
  '#345f9b',
  '#284e84',
  '#1f3f6c',
  '#163054',
];

/** Greys with a breath of blue; each step is as far from the next one in both schemes. */
const slate: MantineColorsTuple = [
  '#c9d1dc',
  '#b3bcc9',
  '#97a2b2',
  '#75808f',
  '#4a5361',
  '#343b47',
  '#262c36',
  '#1b2029',
  '#141820',
  '#0e1117',
];

export const theme = createTheme({
  primaryColor: 'ink',
  primaryShade: { light: 6, dark: 5 },
  colors: { ink, dark: slate },
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: rem(12), sm: rem(13), md: rem(14), lg: rem(16), xl: rem(19) },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: rem(20) }, h2: { fontSize: rem(15) }, h3: { fontSize: rem(13) } },
  },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'xs' } },
    NumberInput: { defaultProps: { size: 'xs' } },
    Textarea: { defaultProps: { size: 'xs' } },
    Select: { defaultProps: { size: 'xs' } },
    MultiSelect: { defaultProps: { size: 'xs' } },
    TagsInput: { defaultProps: { size: 'xs' } },
    SegmentedControl: { defaultProps: { size: 'xs' } },
    Checkbox: { defaultProps: { size: 'xs' } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true } },
    Modal: { defaultProps: { centered: true, padding: 'lg' }, styles: { title: { fontWeight: 620 } } },
    // The head of a dialog is no banner of the page.
    ModalHeader: { defaultProps: { role: 'none' } },
    DrawerHeader: { defaultProps: { role: 'none' } },
  },
});
