package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Condition;
import org.nyala.core.access.rule.Condition.Plain;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Group;
import org.nyala.core.access.rule.LimitStatement;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Scope;
import org.nyala.core.dn.Dn;
import org.nyala.core.rights.Limit.Bound;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.slapd.SlapdDirective;

/**
 * Reads limits of slapd: {@code limits WHO size.soft=...}.
 *
 * <p>Confined to one thread.
 */
final class LimitReader {
  private final Wording wording;
  private final SlapdDirective directive;
  private final List<String> reasons = new ArrayList<>();

  LimitReader(Wording wording, SlapdDirective directive) {
    this.wording = wording;
    this.directive = directive;
  }

  /** Returns the limit; null if there is none to say. */
  @Nullable LimitStatement read() {
    WordCursor words = new WordCursor(directive.words());
    List<Condition> who = who(words.next());
    LimitBounds read = new LimitBounds();
    while (words.hasNext()) {
      read.take(words.next());
    }
    Map<Bound, Integer> bounds = read.bounds();
    reasons.addAll(read.reasons());
    if (who == null || bounds.isEmpty()) {
      return null;
    }
    LimitStatement limit = new LimitStatement(who, bounds, directive.source());
    String refusal = wording.refusal(limit);
    if (refusal != null) {
      reasons.add(refusal);
    }
    return refusal == null ? limit : null;
  }

  /** The reasons why the limit is not quite slapd's, complete after {@link #read()}. */
  List<String> reasons() {
    return reasons;
  }

  private @Nullable List<Condition> who(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "*" -> List.of();
      case "anonymous" -> List.of(Plain.ANONYMOUS);
      case "users" -> List.of(Plain.USERS);
      default -> {
        WhoWord parts = WhoWord.of(word.replaceFirst("(?i)^dn[.]self([.=])", "dn$1"));
        Condition condition = parts.name().equals("dn") ? name(parts) : group(parts);
        boolean isAll = parts.text().equals("*") || parts.text().equals(".*");
        if (condition == null && !(isAll && parts.name().equals("dn"))) {
          reasons.add(word + ": users who cannot be said; the limit was left out");
          yield null;
        }
        yield condition == null ? List.of() : List.of(condition);
      }
    };
  }

  private @Nullable Condition name(WhoWord word) {
    return switch (word.style()) {
      case WhoWord.BASE -> named(Scope.ENTRY, word.text());
      case "one" -> named(Scope.DIRECTLY_BELOW, word.text());
      case "subtree" -> named(Scope.SUBTREE, word.text());
      case "children" -> named(Scope.BELOW, word.text());
      case "anonymous" -> Plain.ANONYMOUS;
      case "regex" -> {
        UserPattern users = NameExpression.ofLimit(wording, word.text());
        Place place = users.reasons().isEmpty() ? users.narrow() : null;
        if (place == null) {
          yield null;
        }
        for (String reason : users.allReasons()) {
          reasons.add(word.text() + ": " + reason + ", which have no limit here");
        }
        yield new Condition.Named(place);
      }
      default -> null;
    };
  }

  private @Nullable Condition named(Scope scope, String text) {
    Dn name = wording.name(text);
    return name == null || name.rdnCount() == 0
        ? null
        : new Condition.Named(new Place(scope, DnPattern.of(name)));
  }

  private @Nullable Condition group(WhoWord word) {
    String[] parts = word.key().split("/", -1);
    ObjectClass objectClass =
        wording.schema().objectClass(parts.length > 1 ? parts[1] : "groupOfNames");
    AttributeType member = wording.schema().attributeType(parts.length > 2 ? parts[2] : "member");
    Dn name = wording.name(word.text());
    boolean isGroup = parts[0].equals("group") && name != null && name.rdnCount() > 0;
    if (!isGroup || name == null || objectClass == null || member == null) {
      return null;
    }
    return new Condition.InGroup(new Group(DnPattern.of(name), false, objectClass, member));
  }
}
