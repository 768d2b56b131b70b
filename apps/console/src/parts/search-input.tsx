import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';

type Props = {
  /** What is searched, for those who do not see the page. */
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly change: (text: string) => void;
  readonly className?: string | undefined;
};

/** The field that `/` goes to. */
export const SearchInput = ({ label, placeholder, value, change, className = '' }: Props) => (
  <TextInput
    type="search"
    aria-label={label}
    placeholder={placeholder}
    leftSection={<IconSearch size={14} aria-hidden />}
    value={value}
    onChange={(event) => change(event.currentTarget.value)}
    className={className}
  />
);
