package org.nyala.core.access.check;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.LimitStatement;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.Step;
import org.nyala.core.access.rule.Target;
import org.nyala.core.dn.Dn;
import org.nyala.core.rights.Right;

/**
 * Finds rules, clauses and limits that are never reached, as far as that is certain: one before
 * decides for all that they could be asked about. Several that do so together are not found.
 *
 * <p>Thread-safe: without state.
 */
public final class RulesCheck {
  private static final Set<Right> READING = EnumSet.range(Right.DISCLOSE, Right.READ);

  private RulesCheck() {}

  /** Returns what is never reached, in the order of the file. */
  public static List<Finding> unreached(AccessRules rules) {
    List<Finding> findings = new ArrayList<>();
    List<Rule> deciding = new ArrayList<>();
    for (Step step : rules.steps()) {
      if (step instanceof Rule rule) {
        Rule before = deciding(deciding, rule);
        if (before != null) {
          findings.add(
              new Finding(
                  rule.source(),
                  "this rule is never reached: the one in line "
                      + before.source().line()
                      + " covers all that it covers"));
        }
        findings.addAll(clauses(rule));
        if (decides(rule)) {
          deciding.add(rule);
        }
      }
    }
    findings.addAll(limits(rules.limits()));
    return findings;
  }

  /**
   * Returns the clauses of rules for a tree that nobody changes which give rights that do not count
   * there, in the order of the file.
   *
   * @param top the name at the top of the tree
   */
  public static List<Finding> beyondReading(AccessRules rules, Dn top) {
    List<Finding> findings = new ArrayList<>();
    for (Step step : rules.steps()) {
      if (step instanceof Rule rule && rule.target().place().isWithin(top)) {
        for (Clause clause : rule.clauses()) {
          Grant grant = clause.grant();
          if (grant.mode() != Grant.Mode.REMOVE && !READING.containsAll(grant.rights())) {
            findings.add(
                new Finding(
                    clause.source(),
                    "nobody changes "
                        + top
                        + ": disclose, search and read alone count there, of the rights given"));
          }
        }
      }
    }
    return findings;
  }

  /* A rule after which no other is asked, for a target that is known without the entry. */
  private static boolean decides(Rule rule) {
    Target target = rule.target();
    return target.where() == null
        && target.value() == null
        && rule.clauses().stream().noneMatch(clause -> clause.flow() == Flow.BREAK);
  }

  private static @Nullable Rule deciding(List<Rule> rules, Rule part) {
    for (Rule rule : rules) {
      boolean isWhole =
          PlaceOrder.contains(rule.target().place(), part.target().place())
              && AttributesOrder.contains(rule.target().attributes(), part.target().attributes());
      if (isWhole) {
        return rule;
      }
    }
    return null;
  }

  private static List<Finding> clauses(Rule rule) {
    List<Finding> findings = new ArrayList<>();
    List<Clause> clauses = rule.clauses();
    for (int i = 0; i < clauses.size(); i++) {
      Clause clause = clauses.get(i);
      if (ConditionsOrder.areImpossible(clause.conditions())) {
        findings.add(new Finding(clause.source(), "this clause matches nobody"));
      } else if (isDecided(clause, clauses.subList(0, i))) {
        findings.add(
            new Finding(
                clause.source(),
                "this clause is never reached: one before it matches the same users"));
      }
    }
    return findings;
  }

  private static boolean isDecided(Clause clause, List<Clause> before) {
    return before.stream()
        .anyMatch(
            other ->
                other.flow() != Flow.CONTINUE
                    && ConditionsOrder.follow(other.conditions(), clause.conditions()));
  }

  private static List<Finding> limits(List<LimitStatement> limits) {
    List<Finding> findings = new ArrayList<>();
    for (int i = 0; i < limits.size(); i++) {
      LimitStatement limit = limits.get(i);
      boolean isDecided =
          limits.subList(0, i).stream()
              .anyMatch(other -> ConditionsOrder.follow(other.conditions(), limit.conditions()));
      if (isDecided) {
        findings.add(
            new Finding(
                limit.source(), "this limit never applies: one before it matches the same users"));
      }
    }
    return findings;
  }
}
