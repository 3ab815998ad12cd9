package org.nyala.core.access.enforce;

import org.jspecify.annotations.Nullable;
import org.nyala.core.access.decide.EntryAccess;
import org.nyala.core.access.rule.Group;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;

/**
 * The memberships in groups whose names depend on the entry that is asked for, read from the store
 * when they are asked for.
 *
 * <p>Confined to one running operation.
 */
final class CapturedMemberships implements EntryAccess.CapturedGroups {
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
    SearchSpec itself = new SearchSpec(id, Scope.BASE, CompiledFilter.Constant.TRUE, false, false);
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
