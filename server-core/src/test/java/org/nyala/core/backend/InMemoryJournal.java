package org.nyala.core.backend;

import java.util.List;

/** The journal of a store in memory, from which nothing is ever deleted. */
final class InMemoryJournal implements ChangeJournal {
  private final int context;
  private final CsnVector present;
  private final List<JournalEntry> entries;
  private int next;

  InMemoryJournal(int context, CsnVector present, List<JournalEntry> entries) {
    this.context = context;
    this.present = present;
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
    return CsnVector.EMPTY;
  }

  @Override
  public JournalEntry seek(long sequence) {
    next = (int) Math.max(0, sequence - 1);
    return next();
  }

  @Override
  public JournalEntry last() {
    next = Math.max(0, entries.size() - 1);
    return next();
  }

  @Override
  public JournalEntry next() {
    return next < entries.size() ? entries.get(next++) : null;
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}
