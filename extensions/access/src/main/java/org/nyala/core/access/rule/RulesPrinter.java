package org.nyala.core.access.rule;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Attributes.Item;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Condition.Plain;
import org.nyala.core.access.rule.Grant.Mode;
import org.nyala.core.rights.Limit;
import org.nyala.core.rights.Right;

/**
 * Writes rules as text that {@link RulesParser} reads as the same rules.
 *
 * <p>Thread-safe: without state.
 */
public final class RulesPrinter {
  /** Words of rights after {@code may}, in the order in which they read best. */
  private static final List<Right> WORDS =
      List.of(
          Right.MANAGE,
          Right.READ,
          Right.SEARCH,
          Right.COMPARE,
          Right.AUTHENTICATE,
          Right.ADD,
          Right.REMOVE,
          Right.INCREMENT,
          Right.PROXY,
          Right.DISCLOSE);

  private RulesPrinter() {}

  /** Returns a whole file, each statement in lines of its own; empty for no statement. */
  public static String print(AccessRules rules) {
    StringBuilder text = new StringBuilder();
    rules.zones().forEach(zone -> text.append(print(zone)));
    rules.people().forEach(people -> text.append(print(people)));
    rules.steps().forEach(step -> text.append(print(step)));
    rules.limits().forEach(limit -> text.append(print(limit)));
    return text.toString();
  }

  /** Returns the statement that declares a zone, with the end of its line. */
  public static String print(Zone zone) {
    List<String> origins = zone.origins().stream().map(RulesPrinter::text).toList();
    return "zone " + zone.name() + " = " + String.join(", ", origins) + '\n';
  }

  /** Returns the statement that declares people, with the end of its line. */
  public static String print(People people) {
    List<String> members = people.members().stream().map(RulesPrinter::text).toList();
    return "people " + people.name() + " = " + String.join(", ", members) + '\n';
  }

  /** Returns a rule or delegation, with the ends of its lines. */
  public static String print(Step step) {
    return switch (step) {
      case Delegation delegation ->
          "delegate subtree " + quoted(DnPattern.of(delegation.subtree())) + " to directory\n";
      case Rule rule -> {
        StringBuilder text = new StringBuilder("to ").append(text(rule.target())).append('\n');
        for (int i = 0; i < rule.clauses().size(); i++) {
          String everybody = i == 0 ? "all" : "others";
          text.append("  ").append(text(rule.clauses().get(i), everybody)).append('\n');
        }
        yield text.toString();
      }
    };
  }

  /** Returns a limit, with the end of its line. */
  public static String print(LimitStatement limit) {
    List<String> bounds = new ArrayList<>();
    for (Map.Entry<Limit.Bound, Integer> bound : limit.bounds().entrySet()) {
      boolean isUnlimited = bound.getValue() == Limit.UNLIMITED;
      bounds.add(
          bound.getKey().word() + ' ' + (isUnlimited ? "unlimited" : bound.getValue().toString()));
    }
    return "limit " + who(limit.conditions(), "all") + ' ' + String.join(", ", bounds) + '\n';
  }

  /** Returns a clause as one line without its end. */
  public static String print(Clause clause) {
    return text(clause, "all");
  }

  /** Returns a target without {@code to}, as one line without its end. */
  public static String print(Target target) {
    return text(target);
  }

  private static String text(Target target) {
    List<String> parts = new ArrayList<>();
    boolean isAll = target.where() == null && target.attributes().equals(Attributes.ALL);
    if (isAll || !target.place().equals(Place.EVERYWHERE)) {
      parts.add(text(target.place(), true));
    }
    if (target.where() != null) {
      parts.add("where " + target.where().text());
    }
    if (!target.attributes().equals(Attributes.ALL)) {
      List<String> items = target.attributes().items().stream().map(RulesPrinter::text).toList();
      String allBut = target.attributes().isAllBut() ? "all but " : "";
      parts.add("attributes " + allBut + String.join(", ", items));
    }
    if (target.value() != null) {
      parts.add("value " + text(target.value()));
    }
    return String.join(" ", parts);
  }

  private static String text(Place place, boolean isTarget) {
    if (isTarget && place.equals(Place.EVERYWHERE)) {
      return "all";
    }
    boolean hasMany = isTarget ? !place.name().isFixed() : place.name().hasAny();
    boolean isMany = place.scope() == Scope.ENTRY && hasMany;
    return (isMany ? "names" : place.scope().words()) + ' ' + quoted(place.name());
  }

  private static String quoted(DnPattern name) {
    return quoted(name.toString());
  }

  private static String quoted(String text) {
    return '"' + text.replace("\"", "\"\"") + '"';
  }

  private static String text(Item item) {
    return switch (item) {
      case Item.Described described -> described.description().name();
      case Item.OfClass ofClass -> '@' + ofClass.objectClass().name();
      case Pseudo pseudo -> pseudo.word();
    };
  }

  private static String text(TargetValue value) {
    return switch (value) {
      case TargetValue.Exact exact -> quoted(exact.text());
      case TargetValue.Named named -> text(named.place(), false);
    };
  }

  private static String text(Clause clause, String everybody) {
    StringBuilder text = new StringBuilder(who(clause.conditions(), everybody));
    boolean isFlowOnly =
        clause.grant().equals(Grant.UNCHANGED)
            && clause.flow() != Flow.STOP
            && !clause.conditions().contains(Plain.OWN_VALUE);
    if (!isFlowOnly) {
      String own = clause.conditions().contains(Plain.OWN_VALUE) ? " value self" : "";
      text.append(' ').append(text(clause.grant(), own));
    }
    if (clause.flow() != Flow.STOP) {
      text.append(isFlowOnly ? " " : " and ");
      text.append(clause.flow() == Flow.CONTINUE ? "continue" : "break");
    }
    return text.toString();
  }

  private static String who(List<Condition> conditions, String everybody) {
    List<String> texts = new ArrayList<>();
    for (Condition condition : conditions) {
      if (condition != Plain.OWN_VALUE) {
        texts.add(text(condition));
      }
    }
    return texts.isEmpty() ? everybody : String.join(" ", texts);
  }

  private static String text(Condition condition) {
    return switch (condition) {
      case Plain plain -> plain.words();
      case Condition.Ancestor ancestor -> "ancestor " + ancestor.levels();
      case Condition.Descendant descendant -> "descendant " + descendant.levels();
      case Condition.Named named -> text(named.place(), false);
      case Condition.InGroup inGroup -> text(inGroup.group());
      case Condition.InPeople inPeople -> inPeople.people().name();
      case Condition.ListedIn listedIn -> "listed in " + listedIn.attribute().name();
      case Condition.From from -> "from " + text(from.origin());
      case Condition.Over over ->
          over.kind() == Condition.Protection.ANY
              ? "over " + over.bits()
              : "over " + over.kind().word() + ' ' + over.bits();
      case Condition.By by -> "by " + by.mechanism();
    };
  }

  private static String text(Group group) {
    boolean isMember = group.member().name().equals("member");
    return "group "
        + quoted(group.name())
        + (group.isNested() ? " nested" : "")
        + (group.objectClass() == null ? "" : " class " + group.objectClass().name())
        + (isMember ? "" : " member " + group.member().name());
  }

  private static String text(Origin origin) {
    return switch (origin) {
      case Zone zone -> zone.name();
      case Network network -> network.toString();
      case Origin.LocalSocket _ -> "ldapi";
    };
  }

  private static String text(Grant grant, String own) {
    boolean isNothingMore = grant.mode() == Mode.ADD && grant.rights().isEmpty();
    boolean isExact = grant.mode() == Mode.REMOVE || isNothingMore;
    List<String> words = isExact ? null : implyingWords(grant.rights());
    String verb =
        switch (grant.mode()) {
          case SET -> words == null ? "may only " : "may ";
          case ADD -> words == null ? "plus " : "may also ";
          case REMOVE -> "minus ";
        };
    List<String> shown = words == null ? exactWords(grant.rights()) : words;
    return verb + String.join(own + ", ", shown) + own;
  }

  /** Returns words that with all they imply are these rights, or null if there are none. */
  private static @Nullable List<String> implyingWords(Set<Right> rights) {
    List<Right> words = new ArrayList<>();
    EnumSet<Right> covered = EnumSet.noneOf(Right.class);
    for (Right word : WORDS) {
      Set<Right> implied = word.withImplied();
      if (rights.containsAll(implied) && !covered.containsAll(implied)) {
        words.add(word);
        covered.addAll(implied);
      }
    }
    return covered.equals(rights) ? named(words) : null;
  }

  private static List<String> exactWords(Set<Right> rights) {
    List<Right> words = new ArrayList<>(WORDS);
    words.retainAll(rights);
    return named(words);
  }

  /* The three rights of a change are one word. */
  private static List<String> named(List<Right> rights) {
    List<String> words = new ArrayList<>();
    for (Right right : rights) {
      boolean isPart = Right.WRITE.contains(right) && rights.containsAll(Right.WRITE);
      if (!isPart) {
        words.add(right.word());
      } else if (right == Right.ADD) {
        words.add("write");
      }
    }
    return words.isEmpty() ? List.of("nothing") : words;
  }
}
