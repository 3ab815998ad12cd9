package org.nyala.core.access.enforce;

import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.decide.DecidedRules;
import org.nyala.core.access.decide.EntryAccess;
import org.nyala.core.access.decide.RuledProfile;
import org.nyala.core.access.enforce.GroupLookup.NestedGroups;
import org.nyala.core.access.rule.Group;
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
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.GuardedFilter;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.RestrictedItems;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.FilterNode;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.rights.Answer;
import org.nyala.core.rights.EntryRights;
import org.nyala.core.rights.Profile;
import org.nyala.core.rights.ProfileRights;
import org.nyala.core.rights.Reach;
import org.nyala.core.rights.Right;
import org.nyala.core.rights.Rights;
import org.nyala.core.rights.TestedAttributes;

/**
 * The rights of the client of one operation to one entry after the other.
 *
 * <p>Confined to one running operation. Hot.
 */
public final class RuledRights implements EntryRights {
  /**
   * The limit of checks for the end of a slice while rights are found at once, for all entries of a
   * transaction, or on the way of an alias, together: half a million tests, some ten milliseconds.
   * Ordinary entries end before the first check.
   */
  private static final int LOOKS = 2000;

  /** The slices in which the rights to a group are not found, before that is done at once. */
  private static final int MOST_TRIES = 4;

  private final RuledControl control;
  private final DecidedRules rules;
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
  public RuledRights(RuledControl control, DecidedRules rules) {
    this(control, rules, null);
  }

  RuledRights(RuledControl control, DecidedRules rules, OpenStores.@Nullable Turn turn) {
    this.control = control;
    this.rules = rules;
    this.captured = new CapturedMemberships(control, turn);
    this.access = new EntryAccess(rules, captured);
  }

  @Override
  public RuledRights inTree(Dn top) {
    return new RuledRights(control, rules.inTree(top));
  }

  @Override
  public DecidedRules rules() {
    return rules;
  }

  @Override
  public void beginSlice() {
    once.renew();
    access.beginSlice();
  }

  @Override
  public void beginSlice(Backend backend, ReadTransaction transaction) {
    captured.read(backend, transaction);
    beginSlice();
  }

  @Override
  public void renewAtOnce() {
    once.renew();
  }

  @Override
  public long tests() {
    return access.tests();
  }

  @Override
  public @Nullable RuledProfile of(
      EntryView entry, AttributeTable table, LongPredicate facts, Pace pace)
      throws LdapOperationException {
    RuledProfile found = checked(access.profile(entry, table, facts, pace));
    if (facts instanceof EntryFacts asked && !asked.isComplete()) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "access rules ask for more groups than may be looked at");
    }
    return found;
  }

  @Override
  public @Nullable RuledProfile ofImage(
      EntryView image, AttributeTable table, LongPredicate facts, Pace pace)
      throws LdapOperationException {
    access.beginSlice();
    return of(image, table, facts, pace);
  }

  @Override
  public RuledProfile of(EntryView entry, ReadTransaction transaction)
      throws LdapOperationException {
    return atOnce(entry, transaction.attributes(), control.facts(transaction));
  }

  @Override
  public RuledProfile atOnce(EntryView entry, AttributeTable table, LongPredicate facts)
      throws LdapOperationException {
    RuledProfile found = of(entry, table, facts, once);
    if (found == null) {
      throw tooLong();
    }
    return found;
  }

  private static LdapOperationException tooLong() {
    return new LdapOperationException(
        ResultCode.ADMIN_LIMIT_EXCEEDED, "the access rules take too long for entries on the way");
  }

  @Override
  public @Nullable RuledProfile of(Dn name, Pace pace) throws LdapOperationException {
    return checked(access.profile(name, pace));
  }

  @Override
  public @Nullable RuledProfile ofName(Dn name) {
    return rules.profileOf(name);
  }

  @Override
  public @Nullable RuledProfile ofBase(
      Dn name, long id, ReadTransaction transaction, EntryView view, LongPredicate facts, Pace pace)
      throws LdapOperationException {
    RuledProfile known = rules.profileOf(name);
    if (known == null) {
      known = rules.profileAt(name, id, transaction);
    }
    if (known != null) {
      return known;
    }
    if (!transaction.read(id, view)) {
      return of(name, pace);
    }
    RuledProfile found = of(view, transaction.attributes(), facts, pace);
    if (found != null && access.isOfEntryAlone()) {
      rules.keepAt(name, id, transaction, found);
    }
    return found;
  }

  private @Nullable RuledProfile checked(@Nullable RuledProfile found)
      throws LdapOperationException {
    captured.requireAnswers();
    if (found == null && access.isHopeless()) {
      throw new LdapOperationException(
          ResultCode.BUSY, "the entry changes more often than rights to it can be found");
    }
    return found;
  }

  @Override
  public GuardedFilter.Guard guard(Profile profile, AttributeTable table) {
    return new ProfileGuard(access, (RuledProfile) profile, table);
  }

  @Override
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

  @Override
  public boolean mayReadAll() {
    return rules.reach(Dn.EMPTY, Scope.SUBTREE).ofEntries(Right.READ) == Reach.Extent.EVERYWHERE;
  }

  @Override
  public int ofValue(
      Profile profile, AttributeDescription attribute, ByteBuffer source, int start, int length) {
    return access.rights((RuledProfile) profile, attribute, source, start, length);
  }

  @Override
  public boolean mayRead(ReadTransaction transaction, long entryId) throws LdapOperationException {
    RuledProfile found = at(transaction, entryId);
    return found != null && found.allowsEntry(Right.READ);
  }

  @Override
  public @Nullable Boolean mayRead(ReadTransaction transaction, long entryId, Pace pace)
      throws LdapOperationException {
    EntryView view = other();
    try (EntryCursor cursor = open(transaction, entryId)) {
      if (cursor.next(view, Integer.MAX_VALUE) != EntryCursor.Step.ENTRY) {
        return false;
      }
      RuledProfile found = of(view, transaction.attributes(), control.facts(transaction), pace);
      return found == null ? null : Boolean.valueOf(found.allowsEntry(Right.READ));
    }
  }

  private static EntryCursor open(ReadTransaction transaction, long entryId) {
    SearchSpec itself =
        new SearchSpec(entryId, Scope.BASE, CompiledFilter.Constant.TRUE, false, false);
    return transaction.search(itself, ReadTransaction.NO_ENTRY);
  }

  @Override
  public @Nullable RuledProfile at(ReadTransaction transaction, long entryId)
      throws LdapOperationException {
    RuledProfile found = at(transaction, entryId, once);
    if (found == null && once.isSpent()) {
      throw tooLong();
    }
    return found;
  }

  @Override
  public @Nullable RuledProfile at(ReadTransaction transaction, long entryId, Pace pace)
      throws LdapOperationException {
    EntryView view = other();
    try (EntryCursor cursor = open(transaction, entryId)) {
      EntryCursor.Step step = cursor.next(view, Integer.MAX_VALUE);
      return step == EntryCursor.Step.ENTRY
          ? of(view, transaction.attributes(), control.facts(transaction), pace)
          : null;
    }
  }

  @Override
  public boolean mayReadBelow(Dn name) {
    return rules.reach(name, Scope.SUBTREE).ofEntries(Right.READ) != Reach.Extent.NOWHERE;
  }

  private EntryView other() {
    EntryView known = other;
    if (known == null) {
      known = new EntryView();
      other = known;
    }
    return known;
  }

  /**
   * The memberships in groups whose names depend on the entry that is asked for, read from the
   * store when they are asked for.
   *
   * <p>Confined to one running operation.
   */
  private static final class CapturedMemberships implements EntryAccess.CapturedGroups {
    private final RuledControl control;
    private OpenStores.@Nullable Turn turn;
    private @Nullable Backend store;
    private @Nullable ReadTransaction transaction;
    private @Nullable EntryView view;
    private @Nullable FilterMatcher matcher;
    private @Nullable Question last;
    private @Nullable EntryMatch test;
    private @Nullable NestedGroups nested;
    private @Nullable LdapOperationException refusal;

    private record Question(Dn user, Dn name, Group group) {}

    /**
     * Begins with no question.
     *
     * @param turn the turn of the update that asks; null for other operations, until they tell the
     *     transaction in which they read
     */
    CapturedMemberships(RuledControl control, OpenStores.@Nullable Turn turn) {
      this.control = control;
      this.turn = turn;
    }

    /** Sets the transaction in which a store is read at the moment: a thread has one of each. */
    void read(Backend backend, ReadTransaction open) {
      store = backend;
      transaction = open;
      turn = null;
    }

    private OpenStores.@Nullable Turn turn() {
      Backend backend = store;
      ReadTransaction open = transaction;
      if (turn == null && backend != null && open != null) {
        turn = new OpenStores.Turn(backend, open);
      }
      return turn;
    }

    @Override
    public @Nullable Boolean isMember(Dn user, Dn name, Group group, Pace pace) {
      Question asked = new Question(user, name, group);
      if (!asked.equals(last)) {
        last = asked;
        test = null;
        nested = null;
      }
      Backend holder = control.backends().apply(name);
      if (holder == null) {
        return false;
      }
      try (OpenStores open = new OpenStores(turn())) {
        return isMember(asked, open.of(holder), pace);
      }
    }

    private @Nullable Boolean isMember(Question asked, ReadTransaction in, Pace pace) {
      long id = in.find(asked.name());
      if (id == ReadTransaction.NO_ENTRY) {
        return false;
      }
      return asked.group().isNested() ? isNested(asked, in, pace) : isListed(asked, id, in, pace);
    }

    private FilterMatcher matcher() {
      FilterMatcher known = matcher;
      if (known == null) {
        known = new FilterMatcher(control.schema(), _ -> true);
        matcher = known;
      }
      return known;
    }

    private EntryView view() {
      EntryView known = view;
      if (known == null) {
        known = new EntryView();
        view = known;
      }
      return known;
    }

    private @Nullable Boolean isListed(Question asked, long id, ReadTransaction in, Pace pace) {
      EntryMatch going = test;
      if (going == null) {
        going = new EntryMatch(control.listing(asked.group(), asked.user()));
        test = going;
      }
      Ternary value;
      EntryView group = view();
      // A cursor leaves the entry where it is whose rights are asked for.
      SearchSpec itself =
          new SearchSpec(id, Scope.BASE, CompiledFilter.Constant.TRUE, false, false);
      try (EntryCursor cursor = in.search(itself, ReadTransaction.NO_ENTRY)) {
        if (cursor.next(group, Integer.MAX_VALUE) != EntryCursor.Step.ENTRY) {
          return false;
        }
        value = matcher().match(going, group, in.attributes(), in::hasSubordinates, pace);
      }
      if (value == null && going.isHopeless()) {
        refusal =
            new LdapOperationException(
                ResultCode.BUSY,
                "a group of the access rules changes more often than it can be read");
      }
      return value == null ? null : value == Ternary.TRUE;
    }

    private @Nullable Boolean isNested(Question asked, ReadTransaction transaction, Pace pace) {
      NestedGroups going = nested;
      if (going == null) {
        going =
            new NestedGroups(
                control.schema(),
                RuledControl.MAXIMUM_GROUPS,
                asked.user(),
                0,
                name -> control.listing(asked.group(), name),
                matcher(),
                null);
        nested = going;
      }
      try {
        return going.go(transaction, pace) ? going.includes(asked.name()) : null;
      } catch (LdapOperationException e) {
        refusal = e;
        return null;
      }
    }

    /**
     * Refuses the operation if a question has no answer: neither yes nor no is on the safe side, as
     * rules may give to groups and take from them.
     *
     * @throws LdapOperationException busy or adminLimitExceeded in this case
     */
    void requireAnswers() throws LdapOperationException {
      LdapOperationException found = refusal;
      if (found != null) {
        refusal = null;
        throw found;
      }
    }
  }

  /**
   * Lets through the items of a filter that the client may test in entries with one profile.
   * Presence takes a right to an attribute as a whole, equality one to the value asked for, every
   * other test one to all values: it would find out about those that are hidden.
   *
   * <p>Confined to one running operation.
   *
   * @param access finds the rights to single values
   * @param profile the client's rights
   * @param table the attributes that entries have
   */
  record ProfileGuard(EntryAccess access, RuledProfile profile, AttributeTable table)
      implements GuardedFilter.Guard {
    /** The units of work that asking for a right takes, beside the normalizing of a value. */
    private static final int ASK_UNITS = 8;

    @Override
    public Part of(FilterNode item, LongConsumer work) {
      AttributeDescription tested = TestedAttributes.of(access.schema(), item);
      if (tested == null) {
        return Part.SOME;
      }
      boolean isWhole = item instanceof FilterNode.Present;
      Part known = profile.searchable(table, tested, isWhole);
      if (known == null) {
        known = find(tested, TestedAttributes.value(item), isWhole, work);
        profile.keepSearchable(table, tested, isWhole, known);
      }
      return known;
    }

    private Part find(
        AttributeDescription tested, byte @Nullable [] value, boolean isWhole, LongConsumer work) {
      if (!mayTest(tested, value, isWhole)) {
        return Part.NONE;
      }
      Set<AttributeDescription> kinds = access.kinds(table, tested, work);
      work.accept((long) kinds.size() * (ASK_UNITS + (value == null ? 0 : value.length)));
      for (AttributeDescription kind : kinds) {
        if (!mayTest(kind, value, isWhole)) {
          return Part.SOME;
        }
      }
      return Part.ALL;
    }

    private boolean mayTest(
        AttributeDescription attribute, byte @Nullable [] value, boolean isWhole) {
      if (isWhole) {
        return Rights.has(profile.rights(attribute), Right.SEARCH);
      }
      Answer answer = profile.onValues(attribute, Right.SEARCH);
      return answer == Answer.GRANTED
          || answer == Answer.DEPENDS
              && value != null
              && Rights.has(
                  access.rights(profile, attribute, ByteBuffer.wrap(value), 0, value.length),
                  Right.SEARCH);
    }

    @Override
    public CompiledFilter restricted(CompiledFilter test) {
      return RestrictedItems.of(test, new ProfileRights(profile, Right.SEARCH, false));
    }
  }
}
