import {
  ActionIcon,
  Button,
  type CSSVariablesResolver,
  createTheme,
  Input,
  type MantineColorsTuple,
  Menu,
  Modal,
  SegmentedControl,
  Tabs,
  type VariantColorsResolver,
} from '@mantine/core';

/** Mantine asks for ten shades; ours are variables of theme.css, so that both schemes come from one place. */
const tuple = (value: string): MantineColorsTuple => [
  value,
  value,
  value,
  value,
  value,
  value,
  value,
  value,
  value,
  value,
];

const line = 'var(--hairline) solid';

/** Buttons are ink on paper; the only coloured ones destroy something. */
const variantColorResolver: VariantColorsResolver = ({ color, variant }) => {
  const danger = color === 'bad';
  switch (variant) {
    case 'filled':
      return danger
        ? { background: 'var(--bad)', hover: 'var(--bad)', color: 'var(--page)', border: 'none' }
        : { background: 'var(--ink)', hover: 'var(--ink-hover)', color: 'var(--on-ink)', border: 'none' };
    case 'subtle':
    case 'transparent':
      return {
        background: 'transparent',
        hover: 'var(--hover)',
        color: danger ? 'var(--bad)' : 'var(--ink-2)',
        border: `${line} transparent`,
      };
    default:
      return {
        background: 'var(--raised)',
        hover: 'var(--hover)',
        color: danger ? 'var(--bad)' : 'var(--ink)',
        border: `${line} var(--line-strong)`,
      };
  }
};

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {
    '--mantine-color-body': 'var(--page)',
    '--mantine-color-text': 'var(--ink)',
    '--mantine-color-dimmed': 'var(--ink-2)',
    '--mantine-color-placeholder': 'var(--ink-3)',
    '--mantine-color-anchor': 'var(--ink)',
    '--mantine-color-error': 'var(--bad)',
    '--mantine-color-bright': 'var(--ink)',
    '--mantine-color-default': 'var(--raised)',
    '--mantine-color-default-hover': 'var(--hover)',
    '--mantine-color-default-color': 'var(--ink)',
    '--mantine-color-default-border': 'var(--line-strong)',
    '--mantine-color-disabled': 'var(--off-tint)',
    '--mantine-color-disabled-color': 'var(--ink-3)',
    '--mantine-color-disabled-border': 'var(--line)',
    '--mantine-primary-color-filled': 'var(--ink)',
    '--mantine-primary-color-filled-hover': 'var(--ink-hover)',
    '--mantine-primary-color-contrast': 'var(--on-ink)',
    '--mantine-primary-color-light': 'var(--selected)',
    '--mantine-primary-color-light-color': 'var(--ink)',
  },
  light: {},
  dark: {},
});

export const theme = createTheme({
  fontFamily: 'var(--font-ui)',
  fontFamilyMonospace: 'var(--font-mono)',
  fontSizes: {
    xs: 'var(--text-small)',
    sm: 'var(--text)',
    md: 'var(--text)',
    lg: 'var(--text-title)',
    xl: 'var(--text-heading)',
  },
  lineHeights: {
    xs: 'var(--leading)',
    sm: 'var(--leading)',
    md: 'var(--leading)',
    lg: 'var(--leading)',
    xl: 'var(--leading)',
  },
  headings: {
    fontWeight: 'var(--weight-strong)',
    sizes: {
      h1: { fontSize: 'var(--text-heading)', lineHeight: 'var(--leading)' },
      h2: { fontSize: 'var(--text-title)', lineHeight: 'var(--leading)' },
      h3: { fontSize: 'var(--text)', lineHeight: 'var(--leading)' },
    },
  },
  spacing: { xs: 'var(--s1)', sm: 'var(--s2)', md: 'var(--s3)', lg: 'var(--s4)', xl: 'var(--s6)' },
  radius: {
    xs: 'var(--radius-small)',
    sm: 'var(--radius)',
    md: 'var(--radius)',
    lg: 'var(--radius)',
    xl: 'var(--radius)',
  },
  defaultRadius: 'md',
  primaryColor: 'ink',
  colors: {
    // Mantine's own greys, mapped onto ours, for the parts that ask for them by number.
    gray: [
      'var(--hover)',
      'var(--selected)',
      'var(--line)',
      'var(--line-strong)',
      'var(--line-control)',
      'var(--ink-3)',
      'var(--ink-2)',
      'var(--ink-2)',
      'var(--ink)',
      'var(--ink)',
    ],
    dark: [
      'var(--ink)',
      'var(--ink-2)',
      'var(--ink-2)',
      'var(--ink-3)',
      'var(--line-control)',
      'var(--selected)',
      'var(--raised)',
      'var(--page)',
      'var(--panel-surface)',
      'var(--page)',
    ],
    ink: tuple('var(--ink)'),
    bad: tuple('var(--bad)'),
    good: tuple('var(--good)'),
    held: tuple('var(--held)'),
    wait: tuple('var(--wait)'),
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  focusRing: 'auto',
  variantColorResolver,
  components: {
    Button: Button.extend({
      defaultProps: { variant: 'default', size: 'sm' },
      vars: () => ({
        root: {
          '--button-height': 'var(--control)',
          '--button-padding-x': 'var(--s3)',
          '--button-fz': 'var(--text)',
        },
      }),
      styles: { root: { fontWeight: 'var(--weight-strong)' } },
    }),
    ActionIcon: ActionIcon.extend({
      defaultProps: { variant: 'subtle' },
      vars: () => ({ root: { '--ai-size': 'var(--control)' } }),
    }),
    Input: Input.extend({
      vars: () => ({ wrapper: { '--input-height': 'var(--control)', '--input-fz': 'var(--text)' } }),
    }),
    InputWrapper: Input.Wrapper.extend({
      styles: { label: { fontWeight: 'var(--weight-strong)', marginBottom: 'var(--s1)' } },
    }),
    Menu: Menu.extend({
      defaultProps: {
        shadow: 'md',
        offset: 4,
        withinPortal: false,
        withInitialFocusPlaceholder: false,
        transitionProps: { duration: 120, transition: 'fade' },
      },
      styles: {
        dropdown: { background: 'var(--raised)', borderColor: 'var(--line-strong)' },
        label: { color: 'var(--ink-3)', fontWeight: 'var(--weight)' },
      },
    }),
    Modal: Modal.extend({
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 1, color: 'var(--shade)' },
        transitionProps: { duration: 120, transition: 'fade' },
      },
      styles: { content: { background: 'var(--raised)', border: 'var(--hairline) solid var(--line)' } },
    }),
    SegmentedControl: SegmentedControl.extend({
      defaultProps: { size: 'xs', withItemsBorders: false, transitionDuration: 120 },
    }),
    Tabs: Tabs.extend({ defaultProps: { keepMounted: false } }),
  },
  shadows: {
    xs: 'var(--float)',
    sm: 'var(--float)',
    md: 'var(--float)',
    lg: 'var(--float)',
    xl: 'var(--float)',
  },
});
