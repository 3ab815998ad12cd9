package org.nyala.core.operation.bind;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Backend;
import org.nyala.core.backend.EntryCursor;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.SearchProgress;
import org.nyala.core.backend.SearchSpec;
import org.nyala.core.directory.AssertionControl;
import org.nyala.core.directory.OperationContext;
import org.nyala.core.directory.OperationScratch;
import org.nyala.core.dispatch.SliceBudget;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.CompiledFilter;
import org.nyala.core.filter.EntryMatch;
import org.nyala.core.filter.FilterParser;
import org.nyala.core.filter.Ternary;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.message.Scope;
import org.nyala.core.operation.search.SlicePace;
import org.nyala.core.sasl.NameRule;
import org.nyala.core.session.Operation;
import org.nyala.core.session.TimeLimit;

/**
 * The search for the one entry that a user's name stands for, slice by slice, within limits of its
 * own.
 *
 * <p>Confined to one running operation.
 */
final class NameSearch extends MappedName {
  /** The number of candidates between two readings of the clock. */
  private static final int CLOCK_INTERVAL = 64;

  private final List<Dn> bases;
  private final Scope scope;
  private final CompiledFilter filter;
  private final SlicePace pace;
  private final TimeLimit timeLimit;
  private EntryMatch test;
  private int base;
  private long position;
  private long examined;
  private int left;
  private @Nullable SearchProgress progress;

  /** Prepares a search below the base of a rule, or below one suffix after the other. */
  NameSearch(OperationContext directory, Operation operation, NameRule.Target target)
      throws LdapOperationException {
    super(directory, null, false, true);
    Dn below = parsed(directory, target.base());
    List<Dn> of = below == null ? List.of() : List.of(below);
    this.bases = target.base().isEmpty() ? directory.contexts().suffixes() : of;
    this.scope = target.isOneLevel() ? Scope.ONE_LEVEL : Scope.SUBTREE;
    this.filter =
        AssertionControl.compileAtOnce(directory.reading(), FilterParser.parse(target.filter()));
    this.test = new EntryMatch(filter);
    this.pace = new SlicePace(directory.nanoClock());
    this.timeLimit = TimeLimit.of(directory.limits(), operation, directory.sasl().timeoutSeconds());
  }

  /**
   * Searches until the end of a slice.
   *
   * @return true if the search has ended
   * @throws LdapOperationException timeLimitExceeded, adminLimitExceeded
   */
  @Override
  boolean find(Operation operation, SliceBudget budget) throws LdapOperationException {
    timeLimit.check(directory.nanoTime());
    pace.begin(operation, budget);
    left = budget.steps();
    while (base < bases.size() && !isAmbiguous) {
      Backend backend = directory.contexts().backendOf(bases.get(base));
      if (backend != null) {
        try (ReadTransaction transaction = backend.beginRead()) {
          if (!isWalked(transaction, bases.get(base))) {
            return false;
          }
        }
      }
      close();
      base++;
      position = 0;
      test = new EntryMatch(filter);
    }
    if (isAmbiguous) {
      name = null;
    }
    return true;
  }

  @Override
  void close() {
    if (progress != null) {
      progress.close();
      progress = null;
    }
  }

  private boolean isWalked(ReadTransaction transaction, Dn below) throws LdapOperationException {
    long baseId = transaction.find(below);
    if (baseId == ReadTransaction.NO_ENTRY) {
      return true;
    }
    SearchSpec spec = new SearchSpec(baseId, scope, filter, false, false);
    try (EntryCursor cursor = transaction.search(spec, position, progress)) {
      boolean isOver = walk(transaction, cursor);
      progress = cursor.progress();
      return isOver;
    }
  }

  /** Walks until the end, which is true, or that of the slice. */
  private boolean walk(ReadTransaction transaction, EntryCursor cursor)
      throws LdapOperationException {
    OperationScratch scratch = directory.scratch();
    EntryView view = scratch.view;
    long before = 0;
    while (!isAmbiguous) {
      EntryCursor.Step step = cursor.next(view, Math.min(CLOCK_INTERVAL, Math.max(1, left)));
      position = cursor.position();
      long now = cursor.examined();
      count(now - before);
      before = now;
      if (step == EntryCursor.Step.END) {
        return true;
      }
      if (step == EntryCursor.Step.ENTRY && !isTested(transaction, cursor, scratch)) {
        position = view.id() - 1;
        examined--;
        return false;
      }
      if (left <= 0 || !pace.goesOn()) {
        return isAmbiguous;
      }
    }
    return true;
  }

  private void count(long candidates) throws LdapOperationException {
    examined += candidates;
    left -= (int) candidates;
    int most = directory.sasl().lookThroughLimit();
    if (examined > most) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "more than " + most + " entries to look at for a user: index the attributes of sasl.map");
    }
  }

  /** Tests a candidate; false if the slice ends before. */
  private boolean isTested(
      ReadTransaction transaction, EntryCursor cursor, OperationScratch scratch)
      throws LdapOperationException {
    Ternary value =
        cursor.isExact()
            ? Ternary.TRUE
            : scratch.match(test, transaction.attributes(), directory.probe(transaction), pace);
    if (value == null) {
      if (!pace.mayOutlast()) {
        throw new LdapOperationException(LdapResult.of(ResultCode.CANCELED));
      }
      return false;
    }
    if (value == Ternary.TRUE) {
      isAmbiguous = name != null;
      name = scratch.names.parse(new String(scratch.view.dn(), StandardCharsets.UTF_8));
    }
    return true;
  }
}
