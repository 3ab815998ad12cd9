package org.nyala.core.operation.search;

import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.directory.ReadServices;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.operation.values.MatchedValues;
import org.nyala.core.rights.Profile;

/**
 * The sender of the entries of a search whose values are chosen one by one: those that match a
 * control, and those that access rules let the client see.
 *
 * <p>Confined to one running operation.
 */
final class SingleValues {
  private final ReadServices reading;
  private final MemoryAccount memory;
  private @Nullable MatchedValues sender;
  private final boolean isAsked;

  /**
   * Creates a sender.
   *
   * @param matched the values that a control selects; null for all
   */
  SingleValues(ReadServices reading, MemoryAccount memory, @Nullable MatchedValues matched) {
    this.reading = reading;
    this.memory = memory;
    this.sender = matched;
    this.isAsked = matched != null;
  }

  /** Returns the sender of entries of which all values are sent that a control selects. */
  @Nullable MatchedValues asked() {
    MatchedValues known = sender;
    return known == null || !isAsked ? null : known.within(null);
  }

  /**
   * Returns the sender of an entry.
   *
   * @param profile the client's rights to it
   * @return null if its attributes are sent as they are
   */
  @Nullable MatchedValues of(
      SearchRights rights,
      Profile profile,
      EntryView view,
      AttributeTable table,
      AttributeSelection selection) {
    if (!rights.dependsOnValues(profile, view, table, selection)) {
      return asked();
    }
    MatchedValues known = sender;
    if (known == null) {
      known = MatchedValues.ofAll(reading, memory);
      sender = known;
    }
    return known.within((attribute, value) -> rights.maySee(profile, attribute, value));
  }

  /** Returns the number of tests made. */
  long tests() {
    MatchedValues known = sender;
    return known == null ? 0 : known.tests();
  }

  /**
   * Returns whether sending the entry shown by a view was begun and the entry has not changed
   * since.
   */
  boolean isUnchanged(EntryView view) {
    MatchedValues known = sender;
    return known != null && known.isUnchanged(view);
  }

  /** Gives back the memory of an entry that was not completely sent. Idempotent. */
  void ended() {
    MatchedValues known = sender;
    if (known != null) {
      known.ended();
    }
  }
}
