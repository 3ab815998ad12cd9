package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Attributes;
import org.nyala.core.access.rule.Attributes.Item;
import org.nyala.core.access.rule.Attributes.Pseudo;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Scope;
import org.nyala.core.access.rule.Target;
import org.nyala.core.access.rule.TargetValue;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.ObjectClass;

/**
 * The attributes of a target of slapd.
 *
 * <p>Confined to one thread.
 */
final class AttributeList {
  private static final String EXTENSIBLE_OBJECT = "extensibleObject";

  /** The characters that mean something in an expression. */
  private static final String SIGNS = ".[]()*+?{}|^$\\";

  /** caseIgnoreMatch and caseIgnoreIA5Match. */
  private static final Set<String> IGNORING_CASE = Set.of("2.5.13.2", "1.3.6.1.4.1.1466.109.114.2");

  private final Wording wording;
  private final List<Item> items = new ArrayList<>();
  private final List<String> reasons = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private boolean isGiven;
  private boolean isAllBut;

  /* True if the part that cannot be said may cover attributes of the schema. */
  private boolean isOpen;

  AttributeList(Wording wording) {
    this.wording = wording;
  }

  void add(String list) {
    isGiven = true;
    for (String item : list.split(",", -1)) {
      // Whatever follows a class that is left out, slapd has decided by then.
      if (!item.isEmpty() && !isAllBut) {
        item(item);
      }
    }
  }

  private void item(String text) {
    for (Pseudo pseudo : Pseudo.values()) {
      if (pseudo.word().equalsIgnoreCase(text)) {
        items.add(pseudo);
        return;
      }
    }
    switch (text.charAt(0)) {
      case '@' -> objectClass(text, text.substring(1));
      case '!' -> allBut(text);
      default -> described(text);
    }
  }

  private void described(String text) {
    AttributeDescription description = AttributeDescription.parse(wording.schema(), text);
    if (description == null) {
      ObjectClass objectClass = wording.schema().objectClass(text);
      if (objectClass != null) {
        items.add(new Item.OfClass(objectClass));
      } else {
        notes.add("attrs=" + text + ": the schema has no such attribute, so that no entry has it");
      }
      return;
    }
    String option = description.unknownOption(wording.schema().attributeOptions());
    if (option != null) {
      isOpen = true;
      reasons.add("attrs=" + text + ": the option '" + option + "' is not known");
    } else {
      items.add(new Item.Described(description));
    }
  }

  private void objectClass(String text, String name) {
    ObjectClass objectClass = wording.schema().objectClass(name);
    if (objectClass == null) {
      isOpen = true;
      reasons.add("attrs=" + text + ": the schema has no such class");
    } else {
      items.add(new Item.OfClass(objectClass));
    }
  }

  private void allBut(String text) {
    boolean isFirst = items.isEmpty() && !isOpen;
    objectClass(text, text.substring(1));
    isAllBut = true;
    if (!isFirst) {
      isOpen = true;
      reasons.add("attrs=" + text + ": a class is left out from a list");
    }
  }

  /** The reasons why {@link #attributes()} covers more than is meant. */
  List<String> reasons() {
    return reasons;
  }

  /** The items that were left out without a difference. */
  List<String> notes() {
    return notes;
  }

  /** Returns whether nothing is covered. */
  boolean isNothing() {
    boolean isNoExtensible =
        isAllBut
            && items.size() == 1
            && items.getFirst() instanceof Item.OfClass left
            && left.objectClass().names().stream()
                .anyMatch(name -> name.toLowerCase(Locale.ROOT).equals("extensibleobject"));
    return isGiven && !isOpen && (items.isEmpty() || isNoExtensible);
  }

  /** Returns the attributes; null for all. */
  @Nullable Attributes attributes() {
    boolean isAll =
        !isGiven || isOpen || items.isEmpty() || items.equals(List.of(extensibleObject()));
    return isAll ? null : new Attributes(isAllBut, items);
  }

  private Item extensibleObject() {
    ObjectClass extensible = wording.schema().objectClass(EXTENSIBLE_OBJECT);
    return extensible == null ? Pseudo.ENTRY : new Item.OfClass(extensible);
  }

  /** Returns whether exactly one attribute is meant. */
  boolean isOne() {
    return !isOpen && !isAllBut && items.size() == 1 && items.getFirst() instanceof Item.Described;
  }

  /** Returns the test that a word about values is; null if none is. */
  @Nullable TargetValue value(WhoWord word) {
    AttributeType type = ((Item.Described) items.getFirst()).description().type();
    int slash = word.key().indexOf('/');
    MatchingRule equality = type.equality();
    if (slash >= 0 && !isNamed(equality, word.key().substring(slash + 1))) {
      return null;
    }
    Scope scope =
        switch (word.style()) {
          case "one" -> Scope.DIRECTLY_BELOW;
          case "subtree" -> Scope.SUBTREE;
          case "children" -> Scope.BELOW;
          default -> Scope.ENTRY;
        };
    if (word.style().equals("regex")) {
      return sayable(literal(type, word.text()));
    }
    if (scope == Scope.ENTRY) {
      return word.style().equals(WhoWord.BASE) ? sayable(exact(word.text())) : null;
    }
    Dn name = wording.name(word.text());
    return name == null
        ? null
        : sayable(new TargetValue.Named(new Place(scope, DnPattern.of(name))));
  }

  /* Of a type that ignores case, as expressions of slapd do, one that is a whole value. */
  private static @Nullable TargetValue literal(AttributeType type, String expression) {
    MatchingRule equality = type.equality();
    boolean ignoresCase = equality != null && IGNORING_CASE.contains(equality.oid());
    int end = expression.length() - 1;
    if (!ignoresCase || end < 2 || expression.charAt(0) != '^' || expression.charAt(end) != '$') {
      return null;
    }
    StringBuilder value = new StringBuilder();
    for (int i = 1; i < end; i++) {
      char c = expression.charAt(i);
      boolean isEscaped = c == '\\' && ++i < end;
      char taken = isEscaped ? expression.charAt(i) : c;
      boolean isSign = SIGNS.indexOf(taken) >= 0;
      boolean isPlain = taken > ' ' && taken < 0x7F && isSign == isEscaped;
      if (!isPlain && (taken != ' ' || isEscaped)) {
        return null;
      }
      value.append(taken);
    }
    String text = value.toString();
    boolean hasOddSpaces = text.contains("  ") || !text.strip().equals(text);
    return hasOddSpaces ? null : exact(text);
  }

  private static @Nullable TargetValue exact(String text) {
    boolean isOneLine = text.indexOf('\n') < 0 && text.indexOf('\r') < 0;
    return isOneLine ? new TargetValue.Exact(text) : null;
  }

  private @Nullable TargetValue sayable(@Nullable TargetValue test) {
    if (test == null) {
      return null;
    }
    Attributes one = new Attributes(false, items);
    return wording.refusal(new Target(Place.EVERYWHERE, null, one, test)) == null ? test : null;
  }

  private static boolean isNamed(@Nullable MatchingRule rule, String name) {
    return rule != null
        && (rule.oid().equals(name)
            || rule.names().stream().anyMatch(each -> each.equalsIgnoreCase(name)));
  }
}
