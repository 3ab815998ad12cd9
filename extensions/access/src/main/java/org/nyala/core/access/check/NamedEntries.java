package org.nyala.core.access.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Delegation;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.LimitStatement;
import org.nyala.core.access.rule.People;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.Source;
import org.nyala.core.access.rule.Step;
import org.nyala.core.dn.Dn;

/**
 * The entries that rules name, without those whose names have captures.
 *
 * <p>Confined to one thread.
 */
public final class NamedEntries {
  /** The words for each name, at the place where it is named first. */
  private final Map<Dn, Finding> names = new LinkedHashMap<>();

  private NamedEntries() {}

  /**
   * Returns the names that no entry has, each once, in the order of the file.
   *
   * @param isMissing says whether an entry should be there and is not
   */
  public static List<Finding> missing(AccessRules rules, Predicate<Dn> isMissing) {
    NamedEntries named = new NamedEntries();
    rules.people().forEach(named::people);
    rules.steps().forEach(named::step);
    rules.limits().forEach(named::limit);
    List<Finding> missing = new ArrayList<>();
    named.names.forEach(
        (name, finding) -> {
          if (isMissing.test(name)) {
            missing.add(finding);
          }
        });
    return missing;
  }

  private void people(People people) {
    people.members().forEach(member -> condition(people.source(), member));
  }

  private void step(Step step) {
    switch (step) {
      case Delegation delegation -> add(delegation.source(), "entry", delegation.subtree());
      case Rule rule -> {
        add(rule.source(), "entry", rule.target().place().name());
        for (Clause clause : rule.clauses()) {
          clause.conditions().forEach(condition -> condition(clause.source(), condition));
        }
      }
    }
  }

  private void limit(LimitStatement limit) {
    limit.conditions().forEach(condition -> condition(limit.source(), condition));
  }

  private void condition(Source source, Condition condition) {
    DnPattern name = condition.pattern();
    if (name != null) {
      add(source, condition instanceof Condition.InGroup ? "group" : "entry", name);
    }
  }

  private void add(Source source, String kind, DnPattern name) {
    if (name.isFixed()) {
      add(source, kind, name.dn());
    }
  }

  private void add(Source source, String kind, Dn name) {
    names.putIfAbsent(name, new Finding(source, "there is no " + kind + ' ' + name));
  }
}
