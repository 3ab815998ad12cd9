package org.nyala.core.directory;

import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.VirtualEntry;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;

/**
 * An entry that the view of a thread shows, with what its client may do with it: there is none
 * before that is known.
 *
 * <p>Confined to one running operation, within one slice.
 */
public final class SeenEntry {
  private final AttributeTable table;
  private final LongPredicate facts;
  private final @Nullable Profile profile;
  private final @Nullable ReadTransaction transaction;

  private SeenEntry(
      AttributeTable table,
      LongPredicate facts,
      @Nullable Profile profile,
      @Nullable ReadTransaction transaction) {
    this.table = table;
    this.facts = facts;
    this.profile = profile;
    this.transaction = transaction;
  }

  /** Finds the rights to an entry; null if the slice ends before. */
  static @Nullable SeenEntry of(
      EntryView view,
      AttributeTable table,
      LongPredicate facts,
      @Nullable EntryRights rights,
      @Nullable ReadTransaction transaction,
      Pace pace)
      throws LdapOperationException {
    Profile profile = rights == null ? null : rights.of(view, table, facts, pace);
    return rights != null && profile == null
        ? null
        : new SeenEntry(table, facts, profile, transaction);
  }

  /**
   * Moves a view to an entry that no store holds, and finds the client's rights to it.
   *
   * @param rights the client's rights by access rules; null if there are none
   * @return null if the slice ends before they are known
   */
  public static @Nullable SeenEntry of(
      VirtualEntry entry, EntryView view, @Nullable EntryRights rights, Pace pace)
      throws LdapOperationException {
    entry.show(view);
    return of(view, entry.table(), VirtualEntry::hasSubordinates, rights, null, pace);
  }

  /** The numbers of its attributes. */
  public AttributeTable table() {
    return table;
  }

  /** The answers to tests that look beyond it. */
  public LongPredicate facts() {
    return facts;
  }

  /** The client's rights to it by access rules; null if there are none. */
  public @Nullable Profile profile() {
    return profile;
  }

  /** The state that it is in; null if no store holds it. */
  public @Nullable ReadTransaction transaction() {
    return transaction;
  }
}
