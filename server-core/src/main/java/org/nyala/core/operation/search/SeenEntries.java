package org.nyala.core.operation.search;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchProgress;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.ReferralUrls;
import org.nyala.core.directory.SeenValues;
import org.nyala.core.directory.ServerSelectors;
import org.nyala.core.directory.StoredEntryFacts;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryMark;
import org.nyala.core.entry.EntryUuid;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.AttributeSelection;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.Right;

/**
 * The entries that a search looks at, as its client sees them: its stages read a store here alone.
 * Under access rules an entry that was read gives nothing away, neither to tests nor to the client,
 * until it is known that the client may see it.
 *
 * <p>Confined to one running operation. Hot.
 */
public final class SeenEntries {
  /** The image of a changed entry is at hand, which a follower has found rights to. */
  private static final long IMAGE = -1;

  private static final byte[] NOT_BELOW = {};

  private final OperationContext directory;
  private final @Nullable SearchRights rights;
  private final Pace pace;
  private AttributeSelection selection;
  private @Nullable Profile profile;

  /** The facts beyond entries that rules and tests ask for, in the transaction of the slice. */
  private @Nullable StoredEntryFacts facts;

  /** The entry that the client may see; none has the id before that is known. */
  private long seen = ReadTransaction.NO_ENTRY;

  SeenEntries(
      OperationContext directory,
      @Nullable SearchRights rights,
      AttributeSelection asked,
      Pace pace) {
    this.directory = directory;
    this.rights = rights;
    this.selection = asked;
    this.pace = pace;
  }

  /** Begins a slice, which has another transaction. */
  void beginSlice() {
    facts = null;
  }

  /** Opens a cursor, otherwise like {@link ReadTransaction#search}. */
  EntryCursor open(
      ReadTransaction transaction,
      SearchSpec spec,
      long afterEntryId,
      @Nullable SearchProgress progress) {
    return transaction.search(spec, afterEntryId, progress);
  }

  /** Moves a view to the next entry, of which the client may see nothing yet. */
  EntryCursor.Step next(EntryCursor cursor, EntryView view, int examineLimit) {
    seen = ReadTransaction.NO_ENTRY;
    return cursor.next(view, examineLimit);
  }

  /**
   * Moves the view of the thread to an entry, of which the client may see nothing yet.
   *
   * @return false if there is none with this id
   */
  public boolean read(ReadTransaction transaction, long entryId) {
    seen = ReadTransaction.NO_ENTRY;
    return transaction.read(entryId, directory.scratch().view);
  }

  /** Returns the id of the entry of a name; {@link ReadTransaction#NO_ENTRY} if there is none. */
  public long find(ReadTransaction transaction, Dn name) {
    return transaction.find(name);
  }

  /** Moves the view of the thread back to an entry within a slice; it stays as seen as it was. */
  public boolean readAgain(ReadTransaction transaction, long entryId) {
    return transaction.read(entryId, directory.scratch().view);
  }

  /**
   * Returns the entry that another one is directly below, which tells where that is and nothing of
   * either; {@link ReadTransaction#NO_ENTRY} at the top. Moves the second view of the thread.
   */
  public long parentOf(ReadTransaction transaction, long entryId) {
    EntryView other = directory.scratch().other;
    return transaction.read(entryId, other) ? other.parentId() : ReadTransaction.NO_ENTRY;
  }

  /**
   * Returns whether the stored entry is still as a mark has it. Moves the second view of the
   * thread.
   */
  boolean isSame(ReadTransaction transaction, long entryId, EntryMark mark) {
    EntryView other = directory.scratch().other;
    return transaction.read(entryId, other) && mark.isSame(other);
  }

  /** Marks the stored entry, if there is one. Moves the second view of the thread. */
  void mark(ReadTransaction transaction, long entryId, EntryMark mark) {
    EntryView other = directory.scratch().other;
    if (transaction.read(entryId, other)) {
      mark.put(other);
    }
  }

  /** Returns the answers to what tests and rules ask beyond an entry itself. */
  StoredEntryFacts facts(ReadTransaction transaction) {
    StoredEntryFacts known = facts;
    if (known == null) {
      known = directory.probe(transaction);
      facts = known;
    }
    return known;
  }

  /**
   * Turns to an entry that was read, if the client may see it.
   *
   * @return null if the slice ends before that is known
   */
  @Nullable Boolean maySee(ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    SearchRights known = rights;
    if (known == null) {
      return true;
    }
    return turnTo(view, known.of(view, transaction.attributes(), facts(transaction), pace));
  }

  /**
   * Turns to the image of an entry that was changed, if the client may see it.
   *
   * @return null if the slice ends before that is known
   */
  @Nullable Boolean maySeeImage(EntryView image, AttributeTable table, StoredEntryFacts asked)
      throws LdapOperationException {
    SearchRights known = rights;
    if (known == null) {
      return true;
    }
    return turnTo(image, known.entries().ofImage(image, table, asked, pace));
  }

  private @Nullable Boolean turnTo(EntryView view, @Nullable Profile found) {
    seen = ReadTransaction.NO_ENTRY;
    if (found == null) {
      return null;
    }
    boolean maySee = found.allowsEntry(Right.READ);
    if (maySee) {
      show(found);
      seen = view.id();
    }
    return maySee;
  }

  /** Goes on with an entry that the client may see, and that has not changed since. */
  void goOn(EntryView view) {
    seen = view.id();
  }

  /**
   * Turns to the image of a changed entry.
   *
   * @param of the rights that the client was found to have to it
   */
  void turnToImage(Profile of) {
    show(of);
    seen = IMAGE;
  }

  private void show(Profile of) {
    SearchRights known = rights;
    if (known != null && of != profile) {
      profile = of;
      selection = known.selection(of);
    }
  }

  private void requireSeen(EntryView view) {
    if (rights != null && view.id() != seen && seen != IMAGE) {
      throw new IllegalStateException("an entry that the client was not found to see");
    }
  }

  /** Returns the client's rights to the entry that a view shows; null without access rules. */
  @Nullable Profile profile(EntryView view) {
    requireSeen(view);
    return profile;
  }

  /**
   * Returns the attributes of the entry that a view shows whose values the client may search, by
   * their numbers; null for none. Borrowed.
   */
  public boolean @Nullable [] searchable(ReadTransaction transaction, EntryView view) {
    return searchable(transaction, profile(view));
  }

  /**
   * Returns the same of an entry that the client need not see; its rights are found at once.
   *
   * @throws LdapOperationException adminLimitExceeded if that takes too long
   */
  public boolean @Nullable [] searchableAtOnce(ReadTransaction transaction, EntryView view)
      throws LdapOperationException {
    SearchRights known = rights;
    return known == null ? null : searchable(transaction, known.entries().of(view, transaction));
  }

  private static boolean @Nullable [] searchable(
      ReadTransaction transaction, @Nullable Profile of) {
    return of == null ? null : of.granted(transaction.attributes(), Right.SEARCH);
  }

  /** Returns the attributes to send of the entry that a view shows. */
  AttributeSelection selection(EntryView view) {
    requireSeen(view);
    return selection;
  }

  /**
   * Returns the URLs of the referral object that a view shows, of those that the client may read.
   */
  List<String> references(EntryView view, AttributeTable table, Scope scope) {
    requireSeen(view);
    SearchRights known = rights;
    List<byte[]> refs =
        SeenValues.of(
            view,
            table,
            directory.reading().selectors().ref(),
            directory.scratch().values,
            known == null ? null : known.entries(),
            profile);
    return ReferralUrls.of(refs, view.dn(), NOT_BELOW, scope);
  }

  /** Returns the attributes of the entry that a view shows, of those that are sent. */
  Set<AttributeDescription> attributes(EntryView view, AttributeTable table) {
    AttributeSelection sent = selection(view);
    Set<AttributeDescription> attributes = new LinkedHashSet<>();
    for (int i = 0; i < view.attributeCount(); i++) {
      int id = view.attributeId(i);
      if (sent.selects(table, id)) {
        attributes.add(table.description(id));
      }
    }
    return attributes;
  }

  /**
   * Returns the number of the last change of an entry; null if it has none. It decides whether the
   * client has the present state of an entry that it sees, and is not told by itself.
   */
  public @Nullable Csn lastChange(EntryView view, AttributeTable table) {
    List<byte[]> values =
        ServerSelectors.values(
            view, table, directory.reading().selectors().entryCsn(), directory.scratch().values);
    return values.isEmpty() ? null : Csn.parse(values.getFirst(), 0, values.getFirst().length);
  }

  /**
   * Returns the permanent identifier of an entry, by which synchronization names those that the
   * client sees, or saw before a change; zero if it has none.
   */
  public UUID identifier(EntryView view, AttributeTable table) {
    EntryUuid uuid = directory.scratch().uuid;
    uuid.take(view, table);
    return new UUID(uuid.high(), uuid.low());
  }

  /** Returns the name of the entry that the view of the thread shows, by which places are found. */
  public Dn name() {
    return DnParser.parseStored(directory.schema(), directory.scratch().view.dn());
  }

  /** Returns the attributes that were asked for, or of those what was sent of an entry last. */
  AttributeSelection lastSelection() {
    return selection;
  }
}
