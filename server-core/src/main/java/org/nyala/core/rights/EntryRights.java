package org.nyala.core.rights;

import java.nio.ByteBuffer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.decide.ClientRules;
import org.nyala.core.access.decide.EntryAccess;
import org.nyala.core.access.decide.Profile;
import org.nyala.core.access.decide.Reach;
import org.nyala.core.access.decide.Rights;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.access.rule.Right;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.AttributeTable;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryFacts;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;

/**
 * The rights of the client of one operation to one entry after the other.
 *
 * <p>Confined to one running operation. Hot.
 */
public final class EntryRights {
  /**
   * The limit of checks for the end of a slice while rights are found at once, for all entries of a
   * transaction, or on the way of an alias, together: half a million tests, some ten milliseconds.
   * Ordinary entries end before the first check.
   */
  private static final int LOOKS = 2000;

  /** The slices in which the rights to a group are not found, before that is done at once. */
  private static final int MOST_TRIES = 4;

  private final AccessControl control;
  private final ClientRules rules;
  private final CapturedMemberships captured;
  private final EntryAccess access;
  private final AtOnce once = new AtOnce();
  private @Nullable EntryView other;
  private int groupTries;

  /**
   * The end of work that is done in one piece, or refused: of the rights to entries between which
   * an operation cannot be interrupted, such as those above a name that is missing.
   */
  private static final class AtOnce implements Pace {
    private int left = LOOKS;

    void renew() {
      left = LOOKS;
    }

    boolean isSpent() {
      return left < 0;
    }

    @Override
    public boolean goesOn() {
      return left-- > 0;
    }
  }

  /**
   * Begins with the first entry.
   *
   * @param control the rules in force, which {@code rules} were decided by
   * @param rules the rules for the client
   */
  public EntryRights(AccessControl control, ClientRules rules) {
    this(control, rules, null);
  }

  EntryRights(AccessControl control, ClientRules rules, OpenStores.@Nullable Turn turn) {
    this.control = control;
    this.rules = rules;
    this.captured = new CapturedMemberships(control, turn);
    this.access = new EntryAccess(rules, captured);
  }

  /**
   * Begins with the first entry, if rules decide about the client.
   *
   * @param control the rules in force; null if there are none
   * @param rules the rules for the client; null if none decide
   * @return null if none decide
   */
  public static @Nullable EntryRights of(
      @Nullable AccessControl control, @Nullable ClientRules rules) {
    return control == null || rules == null ? null : new EntryRights(control, rules);
  }

  /**
   * Returns the client's rights in a tree that is closed to wide rules.
   *
   * @param top the name at the top of the tree
   */
  public EntryRights inTree(Dn top) {
    return new EntryRights(control, rules.inTree(top));
  }

  public ClientRules rules() {
    return rules;
  }

  /** Begins a slice; to be called whenever a transaction is opened, before its first entry. */
  public void beginSlice() {
    once.renew();
    access.beginSlice();
  }

  /**
   * Begins a slice in a transaction, by which groups of the same store are read too: a thread has
   * one read of a store at a time.
   */
  public void beginSlice(Backend backend, ReadTransaction transaction) {
    captured.read(backend, transaction);
    beginSlice();
  }

  /** Begins work after which the slice may end: what it finds at once has a limit of its own. */
  public void renewAtOnce() {
    once.renew();
  }

  /** The work done in tests of entries, in the unit of {@code FilterMatcher.tests}. */
  public long tests() {
    return access.tests();
  }

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
  public @Nullable Profile of(EntryView entry, AttributeTable table, LongPredicate facts, Pace pace)
      throws LdapOperationException {
    Profile found = checked(access.profile(entry, table, facts, pace));
    if (facts instanceof EntryFacts asked && !asked.isComplete()) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "access rules ask for more groups than may be looked at");
    }
    return found;
  }

  /**
   * Returns the client's rights to the image of an entry, when those above it may have had other
   * names than in the image before; otherwise like {@link #of(EntryView, AttributeTable,
   * LongPredicate, Pace)}.
   */
  public @Nullable Profile ofImage(
      EntryView image, AttributeTable table, LongPredicate facts, Pace pace)
      throws LdapOperationException {
    access.beginSlice();
    return of(image, table, facts, pace);
  }

  /** Returns the client's rights to a stored entry, found at once; otherwise like the other. */
  public Profile of(EntryView entry, ReadTransaction transaction) throws LdapOperationException {
    return atOnce(entry, transaction.attributes(), control.facts(transaction));
  }

  /**
   * Returns the client's rights to an entry, found at once, otherwise like {@link #of(EntryView,
   * AttributeTable, LongPredicate, Pace)}.
   *
   * @throws LdapOperationException also adminLimitExceeded if that takes too long, with what was
   *     found at once in this slice before
   */
  public Profile atOnce(EntryView entry, AttributeTable table, LongPredicate facts)
      throws LdapOperationException {
    Profile found = of(entry, table, facts, once);
    if (found == null) {
      throw tooLong();
    }
    return found;
  }

  private static LdapOperationException tooLong() {
    return new LdapOperationException(
        ResultCode.ADMIN_LIMIT_EXCEEDED, "the access rules take too long for entries on the way");
  }

  /**
   * Returns the client's rights to an entry that does not exist, otherwise like {@link
   * #of(EntryView, AttributeTable, LongPredicate, Pace)}.
   */
  public @Nullable Profile of(Dn name, Pace pace) throws LdapOperationException {
    return checked(access.profile(name, pace));
  }

  /**
   * Returns the client's rights to an entry, if they follow from its name; null if it has to be
   * read.
   */
  public @Nullable Profile ofName(Dn name) {
    return rules.profileOf(name);
  }

  private @Nullable Profile checked(@Nullable Profile found) throws LdapOperationException {
    captured.requireAnswers();
    if (found == null && access.isHopeless()) {
      throw new LdapOperationException(
          ResultCode.BUSY, "the entry changes more often than rights to it can be found");
    }
    return found;
  }

  /**
   * Returns what lets through the items of a filter that entries with a profile are tested with.
   */
  public GuardedFilter.Guard guard(Profile profile, AttributeTable table) {
    return new ProfileGuard(access, profile, table);
  }

  /**
   * Lets a filter's tests of groups that the client may not read find nothing, as if these did not
   * exist; to be called before the filter is used.
   *
   * @param transaction the state in which groups are looked up
   * @return false if the slice ends before: another call goes on
   */
  public boolean hideGroups(GuardedFilter filter, ReadTransaction transaction, Pace pace)
      throws LdapOperationException {
    return filter.<LdapOperationException>replaceReferences(
        test -> visible(test, transaction, pace), pace);
  }

  /**
   * Returns what the client may test; null if the slice ends before that is known. Tests that do
   * not name one group, or look behind it, take the right to read all entries.
   */
  private @Nullable CompiledFilter visible(
      CompiledFilter test, ReadTransaction transaction, Pace pace) throws LdapOperationException {
    if (mayReadAll()) {
      return test;
    }
    if (test instanceof CompiledFilter.MemberOfItem member
        && member.group() != null
        && !member.isTransitive()) {
      long id = transaction.find(member.group());
      Boolean mayRead =
          id == ReadTransaction.NO_ENTRY ? Boolean.FALSE : mayReadGroup(transaction, id, pace);
      return mayRead == null ? null : mayRead ? test : CompiledFilter.Constant.FALSE;
    }
    return CompiledFilter.Constant.UNDEFINED;
  }

  /**
   * Returns whether the client may read a group; null if the slice ends before. What was found out
   * in former slices is forgotten when each of them first finds the rights to another entry: after
   * some of them the group's are found at once.
   */
  private @Nullable Boolean mayReadGroup(ReadTransaction transaction, long id, Pace pace)
      throws LdapOperationException {
    Boolean found =
        groupTries == MOST_TRIES
            ? Boolean.valueOf(mayRead(transaction, id))
            : mayRead(transaction, id, pace);
    groupTries = found == null ? groupTries + 1 : 0;
    return found;
  }

  /** Returns whether the client may read every entry there is. */
  public boolean mayReadAll() {
    return rules.reach(Dn.EMPTY, Scope.SUBTREE).of(Pseudo.ENTRY, Right.READ)
        == Reach.Extent.EVERYWHERE;
  }

  /** Finds the rights to single values. */
  public EntryAccess access() {
    return access;
  }

  /** Returns whether the client may read a value of an entry with a profile. */
  public boolean mayRead(Profile profile, AttributeDescription attribute, byte[] value) {
    return has(profile, Right.READ, attribute, value);
  }

  /** Returns whether the client has a right to a value of an entry with a profile. */
  boolean has(Profile profile, Right right, AttributeDescription attribute, byte[] value) {
    int found = access.rights(profile, attribute, ByteBuffer.wrap(value), 0, value.length);
    return Rights.has(found, right);
  }

  /**
   * Returns whether the client may read an entry itself; its rights are found at once. Leaves views
   * where they are.
   *
   * @param entryId the id of the entry
   */
  public boolean mayRead(ReadTransaction transaction, long entryId) throws LdapOperationException {
    Profile found = at(transaction, entryId);
    return found != null && found.allowsEntry(Right.READ);
  }

  /**
   * Returns whether the client may read an entry itself; false if there is none with this id.
   * Leaves views where they are.
   *
   * @param pace is asked every so much work
   * @return null if the slice is over: another call with the same entry goes on
   */
  public @Nullable Boolean mayRead(ReadTransaction transaction, long entryId, Pace pace)
      throws LdapOperationException {
    EntryView view = other();
    try (EntryCursor cursor = open(transaction, entryId)) {
      if (cursor.next(view, Integer.MAX_VALUE) != EntryCursor.Step.ENTRY) {
        return false;
      }
      Profile found = of(view, transaction.attributes(), control.facts(transaction), pace);
      return found == null ? null : Boolean.valueOf(found.allowsEntry(Right.READ));
    }
  }

  private static EntryCursor open(ReadTransaction transaction, long entryId) {
    SearchSpec itself =
        new SearchSpec(entryId, Scope.BASE, CompiledFilter.Constant.TRUE, false, false);
    return transaction.search(itself, ReadTransaction.NO_ENTRY);
  }

  /**
   * Returns the client's rights to an entry, found at once; null if there is none with this id.
   * Leaves views where they are.
   *
   * @param entryId the id of the entry
   */
  public @Nullable Profile at(ReadTransaction transaction, long entryId)
      throws LdapOperationException {
    Profile found = at(transaction, entryId, once);
    if (found == null && once.isSpent()) {
      throw tooLong();
    }
    return found;
  }

  /**
   * Returns the client's rights to an entry; null if there is none with this id, or the slice is
   * over. Leaves views where they are.
   *
   * @param pace is asked every so much work
   */
  public @Nullable Profile at(ReadTransaction transaction, long entryId, Pace pace)
      throws LdapOperationException {
    EntryView view = other();
    try (EntryCursor cursor = open(transaction, entryId)) {
      EntryCursor.Step step = cursor.next(view, Integer.MAX_VALUE);
      return step == EntryCursor.Step.ENTRY
          ? of(view, transaction.attributes(), control.facts(transaction), pace)
          : null;
    }
  }

  /** Returns whether there may be entries at or below a name that the client may read. */
  public boolean mayReadBelow(Dn name) {
    return rules.reach(name, Scope.SUBTREE).of(Pseudo.ENTRY, Right.READ) != Reach.Extent.NOWHERE;
  }

  private EntryView other() {
    EntryView known = other;
    if (known == null) {
      known = new EntryView();
      other = known;
    }
    return known;
  }
}
