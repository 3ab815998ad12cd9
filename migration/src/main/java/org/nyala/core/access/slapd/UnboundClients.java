package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.Grant.Mode;
import org.nyala.core.rights.Right;
import org.nyala.core.slapd.SlapdDatabase;
import org.nyala.core.slapd.SlapdDirective;

/**
 * The part of slapd's {@code require} that rules have to say: it refuses every operation of clients
 * that have not bound, but binds, whatever its access rules give them.
 */
final class UnboundClients {
  private static final Set<String> BOUND = Set.of("bind", "authc", "sasl", "strong");

  private UnboundClients() {}

  /** Returns whether a section serves only clients that have bound. */
  static boolean areRefused(SlapdDatabase section) {
    boolean isRefused = false;
    for (SlapdDirective directive : section.directives("require")) {
      for (String word : directive.words()) {
        isRefused |= BOUND.contains(word.toLowerCase(Locale.ROOT));
      }
    }
    return isRefused;
  }

  /**
   * Returns clauses by which clients that have not bound may authenticate and nothing else, and
   * others get what they had.
   */
  static List<Clause> refuse(List<Clause> clauses) {
    List<Clause> all = new ArrayList<>();
    for (Clause clause : clauses) {
      boolean isRestricted = fits(clause) && givesMore(clause.grant());
      if (isRestricted) {
        all.add(restricted(clause));
      }
      if (!clause.conditions().contains(Condition.Plain.ANONYMOUS) || !givesMore(clause.grant())) {
        all.add(isRestricted && clause.flow() == Flow.CONTINUE ? ofBound(clause) : clause);
      }
    }
    return all;
  }

  /* All other conditions are about a name, or the way in which a client has bound. */
  private static boolean fits(Clause clause) {
    return clause.conditions().stream()
        .allMatch(
            condition ->
                condition == Condition.Plain.ANONYMOUS
                    || condition instanceof Condition.From
                    || condition instanceof Condition.Over);
  }

  private static boolean givesMore(Grant grant) {
    return grant.mode() != Mode.REMOVE
        && grant.rights().stream().anyMatch(right -> right != Right.AUTHENTICATE);
  }

  /* Clients that have not bound come from the restricted clause to the next one. */
  private static Clause ofBound(Clause clause) {
    List<Condition> conditions = new ArrayList<>(clause.conditions());
    conditions.addFirst(Condition.Plain.USERS);
    return new Clause(conditions, clause.grant(), clause.flow(), clause.source());
  }

  private static Clause restricted(Clause clause) {
    List<Condition> conditions = new ArrayList<>(clause.conditions());
    if (!conditions.contains(Condition.Plain.ANONYMOUS)) {
      conditions.addFirst(Condition.Plain.ANONYMOUS);
    }
    Set<Right> rights = EnumSet.noneOf(Right.class);
    if (clause.grant().rights().contains(Right.AUTHENTICATE)) {
      rights.add(Right.AUTHENTICATE);
    }
    Grant grant = new Grant(clause.grant().mode(), rights);
    return new Clause(conditions, grant, clause.flow(), clause.source());
  }
}
