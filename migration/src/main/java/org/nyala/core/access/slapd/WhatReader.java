package org.nyala.core.access.slapd;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
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
import org.nyala.core.access.rule.Where;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.message.FilterNode;
import org.nyala.core.provider.AttributeProviders;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.ObjectClass;

/**
 * Reads the target of a rule of slapd.
 *
 * <p>Confined to one thread.
 */
final class WhatReader {
  /** The expressions that slapd takes for {@code *}. */
  private static final Set<String> EVERYTHING =
      Set.of("*", ".*", ".*$", "^.*", "^.*$", ".*$$", "^.*$$");

  private static final String TWICE = "a second name";

  private final Wording wording;
  private final TreePart part;
  private final AttributeList attributes;
  private final List<String> reasons = new ArrayList<>();
  private Place place;
  private Captures captures = Captures.WHOLE;
  private @Nullable Where where;
  private @Nullable TargetValue value;
  private boolean hasName;
  private boolean isTwice;
  private boolean isNothing;
  private final boolean isRest;
  private boolean hasRest;

  private boolean hasNameExpression;

  /** An expression tells the value; then slapd keeps parts of names from expressions only. */
  private boolean hasValueExpression;

  /**
   * Starts a target.
   *
   * @param part the part of the tree that the rule is for
   * @param isRest whether what {@link #hasRest} tells of is read, and nothing else
   */
  WhatReader(Wording wording, TreePart part, boolean isRest) {
    this.wording = wording;
    this.part = part;
    this.isRest = isRest;
    this.place = part.place();
    this.attributes = new AttributeList(wording);
  }

  /** Reads words up to the first {@code by}. */
  What read(WordCursor words) {
    while (words.hasNext() && !words.isAt("by")) {
      String word = words.next();
      if (word.equals("*")) {
        takeName(word);
      } else {
        part(word);
      }
    }
    return what();
  }

  private What what() {
    reasons.addAll(attributes.reasons());
    if (isTwice) {
      return What.unknown(part.place(), reasons);
    }
    Target target = new Target(place, where, Attributes.ALL, null);
    Attributes all = attributes.attributes();
    boolean isExact = reasons.isEmpty();
    if (all != null) {
      target = new Target(place, where, all, isExact ? value : null);
    }
    String refusal = wording.refusal(target);
    if (refusal != null) {
      reasons.add(refusal);
      return What.unknown(part.place(), reasons);
    }
    return new What(
        isNothing || attributes.isNothing(),
        target,
        isExact && (hasNameExpression || !hasValueExpression) ? captures : Captures.UNKNOWN,
        reasons,
        attributes.notes());
  }

  /** Returns whether the target covers other entries, too, which take a rule of their own. */
  boolean hasRest() {
    return hasRest;
  }

  private void part(String word) {
    WhoWord parts = WhoWord.of(word);
    switch (parts.name()) {
      case "dn" -> {
        takeName(word);
        name(parts);
      }
      case "filter" -> filter(parts);
      case "attrs", "attr" -> attributes.add(parts.text());
      default -> {
        if (parts.key().startsWith("val")) {
          value(parts);
        } else {
          reasons.add(word + ": slapd has no such target");
        }
      }
    }
  }

  private void takeName(String word) {
    if (hasName) {
      isTwice = true;
      reasons.add(word + ": " + TWICE);
    }
    hasName = true;
  }

  private void name(WhoWord word) {
    String text = word.text();
    switch (word.style()) {
      case WhoWord.BASE -> fixed(word, Scope.ENTRY);
      case "one" -> fixed(word, Scope.DIRECTLY_BELOW);
      case "subtree" -> {
        if (!text.isEmpty()) {
          fixed(word, Scope.SUBTREE);
        }
      }
      case "children" -> {
        isNothing |= text.isEmpty();
        fixed(word, Scope.BELOW);
      }
      case "regex" -> {
        if (text.isEmpty()) {
          fixed(word, Scope.ENTRY);
        } else if (!EVERYTHING.contains(text)) {
          expression(word);
        }
      }
      default -> reasons.add(word.word() + ": slapd has no such style");
    }
  }

  private void fixed(WhoWord word, Scope scope) {
    Dn name = wording.name(word.text());
    if (name == null) {
      reasons.add(word.word() + ": " + DnPattern.NOT_WRITTEN);
      return;
    }
    String written = DnPattern.of(name).toString();
    captures = scope == Scope.ENTRY ? Captures.WHOLE : new Captures(true, List.of(written), null);
    take(word, new Place(scope, DnPattern.of(name)));
  }

  private void take(WhoWord word, Place named) {
    if (!part.isCertain(named)) {
      reasons.add(word.word() + ": captures in the suffix of a database");
      return;
    }
    Place within = part.within(named);
    isNothing |= within == null;
    place = within == null ? place : within;
  }

  /* An expression for the end of a name, which all names of the database have. */
  private boolean isWholePart(String text) {
    String top = Wording.normalizedName(part.top()).toLowerCase(Locale.ROOT);
    boolean isEnd = text.endsWith("$");
    String plain = isEnd ? text.substring(0, text.length() - 1) : text;
    String lower = plain.replaceAll(", +", ",").toLowerCase(Locale.ROOT);
    boolean isPlain = lower.matches("[a-z0-9=,-]+");
    return isPlain && (isEnd ? top.endsWith(lower) : top.contains(lower));
  }

  private void expression(WhoWord word) {
    if (isWholePart(word.text())) {
      captures = Captures.UNKNOWN;
      return;
    }
    NameExpression.WholeValue whole = NameExpression.wholeValue(word.text());
    String text = word.text();
    TargetPattern nearest =
        whole == null ? null : NameExpression.ofTarget(wording, whole.nearest());
    if (whole != null && nearest != null) {
      hasRest = !isRest && part.isCertain(nearest.place());
      text = isRest ? whole.below() : whole.nearest();
    }
    if (isRest) {
      reasons.add(word.word() + ": a value that may have commas means entries further below, too");
    }
    TargetPattern pattern = NameExpression.ofTarget(wording, text);
    if (pattern == null) {
      reasons.add(word.word() + ": an expression that no place stands for");
      return;
    }
    captures = new Captures(true, pattern.groups(), pattern.afterStart());
    hasNameExpression = true;
    take(word, pattern.place());
  }

  private void filter(WhoWord word) {
    String text = word.text();
    String filter = text.startsWith("(") ? text : '(' + text + ')';
    String reason = EntryFilter.refusal(wording, filter);
    if (reason != null || where != null) {
      reasons.add(word.word() + ": " + (reason == null ? "a second filter" : reason));
      return;
    }
    where = new Where(filter);
  }

  private void value(WhoWord word) {
    if (value != null || !attributes.isOne()) {
      reasons.add(word.word() + ": a value goes with one attribute");
      return;
    }
    value = attributes.value(word);
    hasValueExpression = word.style().equals("regex");
    if (value == null) {
      reasons.add(word.word() + ": no value or place stands for that");
    }
  }

  /**
   * The attributes of a target of slapd.
   *
   * <p>Confined to one thread.
   */
  private static final class AttributeList {
    private static final String EXTENSIBLE_OBJECT = "extensibleObject";

    /** The characters that mean something in an expression. */
    private static final String SIGNS = ".[]()*+?{}|^$\\";

    /** caseIgnoreMatch and caseIgnoreIA5Match. */
    private static final Set<String> IGNORING_CASE =
        Set.of("2.5.13.2", "1.3.6.1.4.1.1466.109.114.2");

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
          notes.add(
              "attrs=" + text + ": the schema has no such attribute, so that no entry has it");
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
      return !isOpen
          && !isAllBut
          && items.size() == 1
          && items.getFirst() instanceof Item.Described;
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

  /** Tells filters that are true for the same entries as in slapd from others. */
  private static final class EntryFilter {
    private static final int MAXIMUM_NODES = 10_000;
    private static final String OTHERWISE = "not compared as slapd does";

    /** Operational attributes that are stored in entries here and there. */
    private static final Set<String> STORED =
        Set.of("createtimestamp", "modifytimestamp", "creatorsname", "modifiersname", "entryuuid");

    private EntryFilter() {}

    /** Returns the reason why a filter cannot be taken over; null if it can. */
    static @Nullable String refusal(Wording wording, String filter) {
      if (filter.chars().anyMatch(c -> c == '\n' || c == '\r' || c == 0)) {
        return OTHERWISE;
      }
      Where where;
      try {
        where = new Where(filter);
      } catch (IllegalArgumentException e) {
        return String.valueOf(e.getMessage());
      }
      String reason = wording.refusal(new Target(Place.EVERYWHERE, where, Attributes.ALL, null));
      return reason == null ? difference(wording, where.filter()) : reason;
    }

    private static @Nullable String difference(Wording wording, FilterNode filter) {
      Deque<FilterNode> left = new ArrayDeque<>(List.of(filter));
      for (int i = 0; !left.isEmpty(); i++) {
        if (i == MAXIMUM_NODES || !isAlike(wording, left.pop(), left)) {
          return OTHERWISE;
        }
      }
      return null;
    }

    private static boolean isAlike(Wording wording, FilterNode node, Deque<FilterNode> left) {
      return switch (node) {
        case FilterNode.And and -> left.addAll(and.nodes()) || and.nodes().isEmpty();
        case FilterNode.Or or -> left.addAll(or.nodes()) || or.nodes().isEmpty();
        case FilterNode.Not not -> left.add(not.node());
        case FilterNode.Present item -> isStored(wording, item.attribute());
        case FilterNode.Equality item -> isStored(wording, item.attribute());
        case FilterNode.GreaterOrEqual item -> isStored(wording, item.attribute());
        case FilterNode.LessOrEqual item -> isStored(wording, item.attribute());
        case FilterNode.Substrings item -> isStored(wording, item.attribute());
        case FilterNode.Extensible item ->
            item.attribute() != null && !item.dnAttributes() && isStored(wording, item.attribute());
        case FilterNode.Approximate _ -> false;
      };
    }

    private static boolean isStored(Wording wording, String attribute) {
      AttributeDescription description = AttributeDescription.parse(wording.schema(), attribute);
      if (description == null) {
        return false;
      }
      String name = description.type().name().toLowerCase(Locale.ROOT);
      return !AttributeProviders.isOfMemberships(description.type())
          && (!description.type().isOperational() || STORED.contains(name));
    }
  }
}
