package org.nyala.core.rights;

import java.nio.ByteBuffer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;

/**
 * The rights of the client of one operation to one entry after the other. Profiles that are passed
 * back were given by the same object, or by another one of the same {@link AccessControl}.
 *
 * <p>Confined to one running operation. Hot.
 */
public interface EntryRights {
  /**
   * Begins with the first entry, if rules decide about the client.
   *
   * @param control the rules in force; null if there are none
   * @param rules the rules for the client; null if none decide
   * @return null if none decide
   */
  static @Nullable EntryRights of(@Nullable AccessControl control, @Nullable ClientRules rules) {
    return control == null || rules == null ? null : control.rightsBy(rules);
  }

  /**
   * Returns the client's rights in a tree that is closed to wide rules.
   *
   * @param top the name at the top of the tree
   */
  EntryRights inTree(Dn top);

  /** The rules for the client. */
  ClientRules rules();

  /** Begins a slice; to be called whenever a transaction is opened, before its first entry. */
  void beginSlice();

  /**
   * Begins a slice in a transaction, by which groups of the same store are read too: a thread has
   * one read of a store at a time.
   */
  void beginSlice(Backend backend, ReadTransaction transaction);

  /** Begins work after which the slice may end: what it finds at once has a limit of its own. */
  void renewAtOnce();

  /** The work done in tests of entries, in the unit of {@code FilterMatcher.tests}. */
  long tests();

  /**
   * Returns the client's rights to an entry.
   *
   * @param entry the entry
   * @param table the numbers of its attributes
   * @param facts what filters ask beyond the entry, as for {@code FilterMatcher}
   * @param pace is asked every so much work
   * @return null if the slice is over: another call with the same entry goes on
   * @throws LdapOperationException busy if the entry, or a group, changes more often than it can be
   *     tested; adminLimitExceeded if the client is in too many groups
   */
  @Nullable Profile of(EntryView entry, AttributeTable table, LongPredicate facts, Pace pace)
      throws LdapOperationException;

  /**
   * Returns the client's rights to the image of an entry, when those above it may have had other
   * names than in the image before; otherwise like {@link #of(EntryView, AttributeTable,
   * LongPredicate, Pace)}.
   */
  @Nullable Profile ofImage(EntryView image, AttributeTable table, LongPredicate facts, Pace pace)
      throws LdapOperationException;

  /** Returns the client's rights to a stored entry, found at once; otherwise like the other. */
  Profile of(EntryView entry, ReadTransaction transaction) throws LdapOperationException;

  /**
   * Returns the client's rights to an entry, found at once, otherwise like {@link #of(EntryView,
   * AttributeTable, LongPredicate, Pace)}.
   *
   * @throws LdapOperationException also adminLimitExceeded if that takes too long, with what was
   *     found at once in this slice before
   */
  Profile atOnce(EntryView entry, AttributeTable table, LongPredicate facts)
      throws LdapOperationException;

  /**
   * Returns the client's rights to an entry that does not exist, otherwise like {@link
   * #of(EntryView, AttributeTable, LongPredicate, Pace)}.
   */
  @Nullable Profile of(Dn name, Pace pace) throws LdapOperationException;

  /**
   * Returns the client's rights to an entry, if they follow from its name; null if it has to be
   * read.
   */
  @Nullable Profile ofName(Dn name);

  /**
   * Returns the client's rights to a place at which it begins: those to the entry, or to its place
   * if there is none. They may be known from an operation that has begun there since the store has
   * changed last, and nothing is read then.
   *
   * @param id the id of the entry; {@link ReadTransaction#NO_ENTRY} for none
   * @param view is moved to the entry if it has to be read
   * @param facts what filters ask beyond the entry
   * @return null if the slice is over: another call with the same entry goes on
   */
  @Nullable Profile ofBase(
      Dn name, long id, ReadTransaction transaction, EntryView view, LongPredicate facts, Pace pace)
      throws LdapOperationException;

  /**
   * Returns what lets through the items of a filter that entries with a profile are tested with.
   */
  GuardedFilter.Guard guard(Profile profile, AttributeTable table);

  /**
   * Lets a filter's tests of groups that the client may not read find nothing, as if these did not
   * exist; to be called before the filter is used.
   *
   * @param transaction the state in which groups are looked up
   * @return false if the slice ends before: another call goes on
   */
  boolean hideGroups(GuardedFilter filter, ReadTransaction transaction, Pace pace)
      throws LdapOperationException;

  /** Returns whether the client may read every entry there is. */
  boolean mayReadAll();

  /** Returns whether there may be entries at or below a name that the client may read. */
  boolean mayReadBelow(Dn name);

  /**
   * Returns the client's rights to a value, as {@link Rights}. If the answer does not {@linkplain
   * Answer#DEPENDS depend} on values, this costs a look-up; else the value is normalised.
   *
   * @param profile the client's rights to the entry
   * @param attribute the attribute of the value
   * @param source the buffer that holds the value; not written to
   * @param start the index at which it begins
   * @param length its length in bytes
   */
  int ofValue(
      Profile profile, AttributeDescription attribute, ByteBuffer source, int start, int length);

  /** Returns whether the client has a right to a value of an entry with a profile. */
  default boolean has(Profile profile, Right right, AttributeDescription attribute, byte[] value) {
    return Rights.has(ofValue(profile, attribute, ByteBuffer.wrap(value), 0, value.length), right);
  }

  /** Returns whether the client may read a value of an entry with a profile. */
  default boolean mayRead(Profile profile, AttributeDescription attribute, byte[] value) {
    return has(profile, Right.READ, attribute, value);
  }

  /**
   * Returns whether the client may read an entry itself; its rights are found at once. Leaves views
   * where they are.
   *
   * @param entryId the id of the entry
   */
  boolean mayRead(ReadTransaction transaction, long entryId) throws LdapOperationException;

  /**
   * Returns whether the client may read an entry itself; false if there is none with this id.
   * Leaves views where they are.
   *
   * @param pace is asked every so much work
   * @return null if the slice is over: another call with the same entry goes on
   */
  @Nullable Boolean mayRead(ReadTransaction transaction, long entryId, Pace pace)
      throws LdapOperationException;

  /**
   * Returns the client's rights to an entry, found at once; null if there is none with this id.
   * Leaves views where they are.
   *
   * @param entryId the id of the entry
   */
  @Nullable Profile at(ReadTransaction transaction, long entryId) throws LdapOperationException;

  /**
   * Returns the client's rights to an entry; null if there is none with this id, or the slice is
   * over. Leaves views where they are.
   *
   * @param pace is asked every so much work
   */
  @Nullable Profile at(ReadTransaction transaction, long entryId, Pace pace)
      throws LdapOperationException;
}
