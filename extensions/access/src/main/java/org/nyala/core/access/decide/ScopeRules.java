package org.nyala.core.access.decide;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.decide.ClientRule.Residual;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.Scope;

/**
 * The rules for the entries in the scope of a search, before any of them is read: whatever is not
 * the same for all of them is unknown.
 *
 * <p>Immutable.
 */
final class ScopeRules {
  private final DecidedRules client;
  private final Dn base;
  private final Scope scope;
  private final int least;
  private final int most;

  ScopeRules(DecidedRules client, Dn base, Scope scope) {
    this.client = client;
    this.base = base;
    this.scope = scope;
    int depth = base.rdnCount();
    this.least = scope == Scope.BASE || scope == Scope.SUBTREE ? depth : depth + 1;
    this.most =
        switch (scope) {
          case BASE -> depth;
          case ONE_LEVEL -> depth + 1;
          case SUBTREE, SUBORDINATE -> Integer.MAX_VALUE;
        };
  }

  Program program() {
    return switch (scope) {
      case BASE -> ofBase();
      case ONE_LEVEL -> new Level(client.user(), base).program(client.rules());
      case SUBTREE, SUBORDINATE -> ofTree();
    };
  }

  private Program ofBase() {
    if (least == 0) {
      return new Level(client.user(), null).program(client.rules());
    }
    byte[] own = base.normalizedRdn(0);
    return new Level(client.user(), base.parent())
        .program(client.rules())
        .after(check -> Region.ofOne(check, own, own.length));
  }

  private Program ofTree() {
    Program.Builder builder = new Program.Builder();
    for (ClientRule rule : client.rules()) {
      List<EntryCheck> checks = new ArrayList<>(1);
      if (mayCover(rule.rule().place(), checks) && mayCover(rule.rule().delegated(), checks)) {
        if (rule.rule().filter() != CompiledRule.NO_FILTER) {
          checks.add(EntryCheck.Unknown.UNKNOWN);
        }
        builder.add(rule.rule(), checks, clauses(rule));
      }
    }
    return builder.build();
  }

  private List<LiveRule.Part> clauses(ClientRule rule) {
    List<LiveRule.Part> clauses = new ArrayList<>(rule.clauses().size());
    for (ClientRule.Part clause : rule.clauses()) {
      List<EntryCheck> checks = new ArrayList<>(1);
      boolean mayFit = true;
      for (Residual residual : clause.residuals()) {
        mayFit = mayFit && mayHold(residual);
        checks.add(EntryCheck.Unknown.UNKNOWN);
      }
      if (mayFit) {
        clauses.add(new LiveRule.Part(clause.number(), clause.isForOwnValue(), checks));
      }
    }
    return clauses;
  }

  private boolean mayHold(Residual residual) {
    return !(residual instanceof Residual.Named named)
        || named.name().isWithin(base) && isInReach(named.name().rdnCount());
  }

  private boolean isInReach(int depth) {
    return depth >= least && depth <= most;
  }

  /** Returns whether some entries may be in a place; adds a test if not all of them are. */
  private boolean mayCover(@Nullable CompiledPlace place, List<EntryCheck> checks) {
    if (place == null) {
      return true;
    }
    int common = Math.min(place.depth(), base.rdnCount());
    for (int i = 1; i <= common; i++) {
      if (!place.fits(place.depth() - i, base.normalizedRdn(base.rdnCount() - i))) {
        return false;
      }
    }
    boolean isAbove = place.depth() <= base.rdnCount();
    boolean coversAll = isAbove && place.levelsUp(least) >= 0 && place.levelsUp(most) >= 0;
    if (!coversAll) {
      checks.add(EntryCheck.Unknown.UNKNOWN);
    }
    return coversAll || mayBeIn(place);
  }

  /** Returns whether an entry of a depth in scope may be in a place. */
  private boolean mayBeIn(CompiledPlace place) {
    return switch (place.place().scope()) {
      case ENTRY -> isInReach(place.depth());
      case DIRECTLY_BELOW -> isInReach(place.depth() + 1);
      case SUBTREE, BELOW -> true;
    };
  }
}
