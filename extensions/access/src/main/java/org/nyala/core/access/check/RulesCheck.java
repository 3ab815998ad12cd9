package org.nyala.core.access.check;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.AccessRules;
import org.nyala.core.access.rule.Attributes;
import org.nyala.core.access.rule.Attributes.Item;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.access.rule.Clause;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Condition.Plain;
import org.nyala.core.access.rule.Condition.Protection;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.access.rule.LimitStatement;
import org.nyala.core.access.rule.Network;
import org.nyala.core.access.rule.Origin;
import org.nyala.core.access.rule.Rule;
import org.nyala.core.access.rule.Step;
import org.nyala.core.access.rule.Target;
import org.nyala.core.access.rule.Zone;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.rights.Right;
import org.nyala.core.schema.AttributeType;

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

  /** Compares lists of attributes: whether all of one are certainly in another. */
  private static final class AttributesOrder {
    private AttributesOrder() {}

    /** Returns whether all attributes of a list are in another one. */
    static boolean contains(Attributes whole, Attributes part) {
      if (whole.isAllBut()) {
        return part.isAllBut()
            ? lists(part.items(), whole.items())
            : areApart(whole.items(), part.items());
      }
      return !part.isAllBut() && lists(whole.items(), part.items());
    }

    /* Tests if each item of one list is in the other. */
    private static boolean lists(List<Item> whole, List<Item> part) {
      if (whole.isEmpty()) {
        return part.isEmpty();
      }
      Attributes all = new Attributes(false, whole);
      return part.stream().allMatch(item -> lists(all, item));
    }

    private static boolean lists(Attributes whole, Item item) {
      return switch (item) {
        case Pseudo pseudo -> whole.covers(pseudo);
        case Item.Described described -> whole.covers(described.description());
        case Item.OfClass _ -> whole.items().contains(item);
      };
    }

    private static boolean areApart(List<Item> one, List<Item> other) {
      return one.stream().allMatch(item -> other.stream().allMatch(each -> areApart(item, each)));
    }

    private static boolean areApart(Item one, Item other) {
      if (one instanceof Item.OfClass || other instanceof Item.OfClass) {
        return false;
      }
      if (one instanceof Item.Described first && other instanceof Item.Described second) {
        return areApart(first.description(), second.description());
      }
      return one != other;
    }

    /* Attributes below both exist only if one of the two is below the other. */
    private static boolean areApart(AttributeDescription one, AttributeDescription other) {
      AttributeType type = one.type();
      return !type.isOrDescendsFrom(other.type()) && !other.type().isOrDescendsFrom(type);
    }
  }

  /** Compares conditions: whether some certainly hold if others do, and whether any client fits. */
  private static final class ConditionsOrder {
    private ConditionsOrder() {}

    /** Returns whether conditions hold for every client for whom others hold. */
    static boolean follow(List<Condition> conditions, List<Condition> from) {
      return conditions.stream()
          .allMatch(condition -> from.stream().anyMatch(other -> follows(condition, other)));
    }

    /** Returns whether conditions hold for nobody. */
    static boolean areImpossible(List<Condition> conditions) {
      return conditions.contains(Plain.ANONYMOUS)
          && conditions.stream().anyMatch(ConditionsOrder::isOfUsers);
    }

    private static boolean isOfUsers(Condition condition) {
      return switch (condition) {
        case Plain plain -> plain != Plain.ANONYMOUS;
        case Condition.Ancestor _,
            Condition.Descendant _,
            Condition.Named _,
            Condition.InGroup _,
            Condition.InPeople _,
            Condition.ListedIn _ ->
            true;
        case Condition.From _, Condition.Over _, Condition.By _ -> false;
      };
    }

    private static boolean follows(Condition condition, Condition from) {
      if (condition.equals(from)) {
        return true;
      }
      return switch (condition) {
        case Plain plain -> plain == Plain.USERS && isOfUsers(from);
        case Condition.Named whole -> from instanceof Condition.Named part && isPart(whole, part);
        case Condition.From whole ->
            from instanceof Condition.From part && contains(whole.origin(), part.origin());
        case Condition.Over least ->
            from instanceof Condition.Over more
                && (least.kind() == more.kind() || least.kind() == Protection.ANY)
                && least.bits() <= more.bits();
        default -> false;
      };
    }

    /* With captures, names depend on the entry that is asked for. */
    private static boolean isPart(Condition.Named whole, Condition.Named part) {
      return whole.place().name().captures().isEmpty()
          && part.place().name().captures().isEmpty()
          && PlaceOrder.contains(whole.place(), part.place());
    }

    private static boolean contains(Origin whole, Origin part) {
      if (whole.equals(part)) {
        return true;
      }
      if (part instanceof Zone zone) {
        return zone.origins().stream().allMatch(each -> contains(whole, each));
      }
      return switch (whole) {
        case Zone zone -> zone.origins().stream().anyMatch(each -> contains(each, part));
        case Network network ->
            part instanceof Network other
                && other.bits() >= network.bits()
                && network.includes(other.address());
        case Origin.LocalSocket _ -> false;
      };
    }
  }
}
