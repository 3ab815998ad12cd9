package org.nyala.core.access.decide;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Clause.Flow;

/**
 * The rest of the rules for some entries, in their order.
 *
 * <p>Immutable. Equal ones give the same answers.
 *
 * @param rules the rules
 */
record Program(List<LiveRule> rules) {
  /** The knowledge of the results of tests. */
  @FunctionalInterface
  interface Knowledge {
    /** Returns the result of a test, or null. */
    @Nullable Boolean of(EntryCheck check);
  }

  /**
   * Puts a program together, without what is never reached.
   *
   * <p>Confined to one thread.
   */
  static final class Builder {
    private final List<LiveRule> rules = new ArrayList<>();
    private boolean isComplete;

    /** Returns whether rules that are added have no effect any more. */
    boolean isComplete() {
      return isComplete;
    }

    void add(CompiledRule rule, List<EntryCheck> checks, List<LiveRule.Part> clauses) {
      if (isComplete) {
        return;
      }
      List<LiveRule.Part> reached = new ArrayList<>(clauses.size());
      for (LiveRule.Part clause : clauses) {
        reached.add(clause);
        if (clause.fitsAll() && rule.flow(clause.number()) != Flow.CONTINUE) {
          break;
        }
      }
      LiveRule live = new LiveRule(rule, checks, reached);
      rules.add(live);
      isComplete = live.isLast();
    }

    Program build() {
      return new Program(rules);
    }
  }

  Program {
    rules = List.copyOf(rules);
  }

  /** Returns what remains when some tests have been made. */
  Program after(Knowledge knowledge) {
    Builder builder = new Builder();
    for (LiveRule rule : rules) {
      List<EntryCheck> checks = after(rule.checks(), knowledge);
      if (checks != null && !builder.isComplete()) {
        List<LiveRule.Part> clauses = new ArrayList<>(rule.clauses().size());
        for (LiveRule.Part clause : rule.clauses()) {
          List<EntryCheck> left = after(clause.checks(), knowledge);
          if (left != null) {
            clauses.add(new LiveRule.Part(clause.number(), clause.isForOwnValue(), left));
          }
        }
        builder.add(rule.rule(), checks, clauses);
      }
    }
    return builder.build();
  }

  /** Returns the tests that remain; null if one has failed. */
  private static @Nullable List<EntryCheck> after(List<EntryCheck> checks, Knowledge knowledge) {
    List<EntryCheck> left = new ArrayList<>(checks.size());
    for (EntryCheck check : checks) {
      Boolean result = knowledge.of(check);
      if (result == null) {
        left.add(check);
      } else if (!result) {
        return null;
      }
    }
    return left;
  }

  /** Returns the first test that is to be made; null if there is none. */
  @Nullable EntryCheck firstCheck() {
    for (LiveRule rule : rules) {
      if (!rule.checks().isEmpty()) {
        return rule.checks().getFirst();
      }
      for (LiveRule.Part clause : rule.clauses()) {
        if (!clause.checks().isEmpty()) {
          return clause.checks().getFirst();
        }
      }
    }
    return null;
  }

  /** Adds the RDNs by which single entries are told from others. */
  void addNames(Set<Rdn> names) {
    for (LiveRule rule : rules) {
      addNames(rule.checks(), names);
      for (LiveRule.Part clause : rule.clauses()) {
        addNames(clause.checks(), names);
      }
    }
  }

  private static void addNames(List<EntryCheck> checks, Set<Rdn> names) {
    for (EntryCheck check : checks) {
      if (check instanceof EntryCheck.Is is) {
        names.add(is.rdn());
      }
    }
  }

  /** Returns whether single values are told from others. */
  boolean hasValueChecks() {
    for (LiveRule rule : rules) {
      if (rule.rule().hasValueCheck()) {
        return true;
      }
      for (LiveRule.Part clause : rule.clauses()) {
        if (clause.isForOwnValue()) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Returns the rules about a thing alone. Those that do not name a secret let nobody find out
   * about it, and neither do any over a connection that is not safe.
   *
   * @param isSafe true if the client may be sent secrets
   */
  Program about(Subject subject, boolean isSafe) {
    List<LiveRule> some = new ArrayList<>();
    boolean isSecret = subject.isSecret();
    for (LiveRule live : rules) {
      CompiledRule rule = live.rule();
      if (rule.covers(subject)) {
        boolean isKept = !isSecret || isSafe && rule.names(subject);
        some.add(
            isKept ? live : new LiveRule(rule.withoutFindingOut(), live.checks(), live.clauses()));
      }
    }
    return new Program(some);
  }
}
