package org.nyala.core.access.enforce;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.FilterMatcher;
import org.nyala.core.filter.Pace;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.schema.Schema;

/**
 * The groups of one kind in one store that a user is in, itself or at any depth: found from the
 * user upwards, by the index of the attribute that lists members.
 *
 * <p>Confined to one running operation; goes on in one slice after the other.
 */
final class NestedGroups {
  /** The candidates examined between two readings of the clock. */
  private static final int EXAMINED = 64;

  private final Schema schema;
  private final int maximum;
  private final Function<Dn, CompiledFilter> groupsOf;
  private final FilterMatcher matcher;
  private final EntryView view = new EntryView();
  private final Set<Dn> found = new HashSet<>();
  private final boolean isDeep;
  private final long mostExamined;
  private final List<Dn> names = new ArrayList<>();
  private int at;
  private long after;
  private boolean isGivenUp;
  private final @Nullable ReachedGroups reached;

  /**
   * Begins with a user.
   *
   * @param maximum the maximum number of groups that are taken into account
   * @param mostExamined the candidates after which a search for direct groups is given up, because
   *     no index serves it; not positive to find groups of groups, too, however long that takes
   * @param groupsOf returns the filter that finds the groups that list a name
   * @param reached gets the groups that are found; null for none
   */
  NestedGroups(
      Schema schema,
      int maximum,
      Dn user,
      long mostExamined,
      Function<Dn, CompiledFilter> groupsOf,
      FilterMatcher matcher,
      @Nullable ReachedGroups reached) {
    this.reached = reached;
    this.isDeep = mostExamined <= 0;
    this.mostExamined = isDeep ? Long.MAX_VALUE : mostExamined;
    this.schema = schema;
    this.maximum = maximum;
    this.groupsOf = groupsOf;
    this.matcher = matcher;
    names.add(user);
  }

  /** Returns whether the search was given up: nothing is known. */
  boolean isGivenUp() {
    return isGivenUp;
  }

  /** Returns whether the user is in the group of this name; once all groups are found. */
  boolean includes(Dn group) {
    return found.contains(group);
  }

  /**
   * Goes on.
   *
   * @return false if the slice ends before all groups are found
   * @throws LdapOperationException adminLimitExceeded if there are too many
   */
  boolean go(ReadTransaction transaction, Pace pace) throws LdapOperationException {
    while (at < names.size()) {
      if (!visit(transaction, pace)) {
        return false;
      }
      at++;
      after = 0;
      if (at < names.size() && !pace.goesOn()) {
        return false;
      }
    }
    return true;
  }

  private boolean visit(ReadTransaction transaction, Pace pace) throws LdapOperationException {
    CompiledFilter filter = groupsOf.apply(names.get(at));
    SearchSpec everywhere =
        new SearchSpec(ReadTransaction.NO_ENTRY, Scope.SUBTREE, filter, false, false);
    try (EntryCursor cursor = transaction.search(everywhere, after)) {
      for (; ; ) {
        EntryCursor.Step step = cursor.next(view, EXAMINED);
        if (step == EntryCursor.Step.END) {
          return true;
        }
        if (step == EntryCursor.Step.ENTRY && (cursor.isExact() || matches(transaction, filter))) {
          add();
        }
        if (cursor.examined() > mostExamined) {
          isGivenUp = true;
          return true;
        }
        if (!pace.goesOn()) {
          after = cursor.position();
          return false;
        }
      }
    }
  }

  private boolean matches(ReadTransaction transaction, CompiledFilter filter) {
    return matcher.match(filter, view, transaction.attributes(), transaction::hasSubordinates)
        == Ternary.TRUE;
  }

  private void add() throws LdapOperationException {
    Dn name = DnParser.parseStored(schema, view.dn());
    if (found.contains(name)) {
      return;
    }
    if (found.size() == maximum) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "the client is in more than " + maximum + " groups that the access rules may mean");
    }
    found.add(name);
    if (reached != null) {
      reached.add(name, names.get(at));
    }
    if (isDeep) {
      names.add(name);
    }
  }
}
