package org.nyala.core.backend;

import java.util.List;

/** The journal of a store in memory. */
final class InMemoryJournal implements ChangeJournal {
  private final int context;
  private final CsnVector present;
  private final List<JournalEntry> entries;
  private final CsnVector floor;

  InMemoryJournal(int context, CsnVector present, CsnVector floor, List<JournalEntry> entries) {
    this.context = context;
    this.present = present;
    this.floor = floor;
    this.entries = entries;
  }

  @Override
  public int context() {
    return context;
  }

  @Override
  public CsnVector present() {
    return present;
  }

  @Override
  public CsnVector floor() {
    return floor;
  }

  @Override
  public JournalEntry seek(long sequence) {
    long first = entries.isEmpty() ? 1 : entries.getFirst().sequence();
    int at = Math.clamp(sequence - first, 0, Integer.MAX_VALUE);
    return at < entries.size() ? entries.get(at) : null;
  }

  @Override
  public JournalEntry last() {
    return entries.isEmpty() ? null : entries.getLast();
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
