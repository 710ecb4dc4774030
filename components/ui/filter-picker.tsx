'use client';

import { Combobox, useCombobox } from '@mantine/core';
import { IconChevronDown, IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { t } from '../messages';
import classes from './filter.module.css';

export interface FilterOption {
  value: string;
  label: string;
  /** A shape before the label. */
  mark?: ReactNode;
}

export interface FilterPickerProps {
  name: string;
  value: string | null;
  options: readonly FilterOption[];
  onChange: (value: string | null) => void;
  /** The one that `/` goes to. */
  first?: boolean;
}

const SEARCH_FROM = 8;

/** One filter: a quiet button while unset, a removable chip when set. */
export function FilterPicker(props: FilterPickerProps) {
  const [search, setSearch] = useState('');
  const box = useCombobox({
    onDropdownClose: () => {
      box.resetSelectedOption();
      setSearch('');
    },
    onDropdownOpen: () => (searchable ? box.focusSearchInput() : box.selectActiveOption()),
  });
  const searchable = props.options.length >= SEARCH_FROM;
  const chosen = props.options.find((option) => option.value === props.value);
  const label = chosen?.label ?? props.value;
  return (
    <span className={classes.picker} data-set={props.value !== null || undefined}>
      <Combobox
        store={box}
        withinPortal={false}
        keepMounted={false}
        width="max-content"
        position="bottom-start"
        offset={4}
        shadow="md"
        transitionProps={{ duration: 120, transition: 'fade' }}
        onOptionSubmit={(value) => {
          props.onChange(value === props.value ? null : value);
          box.closeDropdown();
        }}
      >
        <Combobox.Target targetType="button" withAriaAttributes={false}>
          <button
            type="button"
            className={classes.button}
            aria-haspopup="listbox"
            aria-expanded={box.dropdownOpened}
            data-filter-first={props.first || undefined}
            onClick={() => box.toggleDropdown()}
          >
            <span className={classes.name}>{props.name}</span>
            {props.value === null ? (
              <IconChevronDown className={classes.caret} aria-hidden="true" />
            ) : (
              <span className={classes.value}>{label}</span>
            )}
          </button>
        </Combobox.Target>
        <FilterOptions {...props} search={searchable ? search : null} onSearch={setSearch} />
      </Combobox>
      {props.value === null ? null : (
        <button
          type="button"
          className={classes.remove}
          aria-label={t.common.list.removeFilter(props.name, label ?? '')}
          onClick={() => props.onChange(null)}
        >
          <IconX className={classes.caret} aria-hidden="true" />
        </button>
      )}
    </span>
  );
}

function FilterOptions(
  props: FilterPickerProps & { search: string | null; onSearch: (text: string) => void },
) {
  const wanted = (props.search ?? '').trim().toLowerCase();
  const shown = props.options.filter((option) => option.label.toLowerCase().includes(wanted));
  return (
    <Combobox.Dropdown className={classes.dropdown}>
      {props.search === null ? null : (
        <Combobox.Search
          value={props.search}
          placeholder={props.name}
          aria-label={props.name}
          onChange={(event) => props.onSearch(event.currentTarget.value)}
        />
      )}
      <Combobox.Options className={classes.options} aria-label={props.name}>
        {shown.map((option) => (
          <Combobox.Option
            key={option.value}
            value={option.value}
            active={option.value === props.value}
            className={classes.option}
          >
            {option.mark}
            {option.label}
          </Combobox.Option>
        ))}
        {shown.length === 0 ? <Combobox.Empty>{t.common.list.noMatchTitle}</Combobox.Empty> : null}
      </Combobox.Options>
    </Combobox.Dropdown>
  );
}
