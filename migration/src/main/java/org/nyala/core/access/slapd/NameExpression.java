package org.nyala.core.access.slapd;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Scope;
import org.nyala.core.schema.AttributeType;

/**
 * Reads a regular expression about names: RDNs that are written out or have any value, from the end
 * of the name on. That of a target says exactly what a place does; that of a clause may mean more.
 *
 * <p>Confined to one thread. Takes time linear in the length.
 */
final class NameExpression {
  private static final int MAXIMUM_GROUPS = 99;
  private static final String SIGNS = ".[]()*+?{}|^$\\";

  /** The expressions for everything before the RDNs; a longer one comes first. */
  private static final List<Start> STARTS =
      List.of(
          new Start("(.+,)?", Scope.SUBTREE, true, true),
          new Start("(.*,)?", Scope.SUBTREE, true, true),
          new Start("(.+,)", Scope.BELOW, true, false),
          new Start("(.*,)", Scope.BELOW, true, false),
          new Start("(.+),", Scope.BELOW, true, false),
          new Start("(.*),", Scope.BELOW, true, false),
          new Start(".+,", Scope.BELOW, false, false),
          new Start(".*,", Scope.BELOW, false, false),
          new Start("([^,]+),", Scope.DIRECTLY_BELOW, true, true),
          new Start("[^,]+,", Scope.DIRECTLY_BELOW, false, true),
          new Start("", Scope.ENTRY, false, true));

  /** An expression whose first RDN may have any value, one with commas too. */
  private static final java.util.regex.Pattern WHOLE_VALUE =
      java.util.regex.Pattern.compile("\\^([A-Za-z0-9-]+)=(?:\\.[+*]|(\\()\\.[+*]\\)),(.+)");

  private static final List<String> ANY_VALUE = List.of("[^,]+", "[^,]*");
  private static final List<String> ANY_TEXT = List.of(".+", ".*", "(.+)", "(.*)");
  private static final String ANYTHING = ".*";

  /** An expression that ends with names that are written out. */
  private static final java.util.regex.Pattern TAIL =
      java.util.regex.Pattern.compile("[^|]*?,([A-Za-z0-9-]+=[A-Za-z0-9 =,_-]+\\$)");

  private final Wording wording;
  private final String text;

  /** The parts of the target's name that a clause may have; null while a target is read. */
  private final @Nullable Captures expanded;

  private final StringBuilder name = new StringBuilder();
  private final List<String> groups = new ArrayList<>();
  private final Deque<Integer> open = new ArrayDeque<>();
  private final Set<String> captures = new HashSet<>();
  private boolean isExpanded;
  private boolean isLong;
  private int at;

  /**
   * A beginning of an expression.
   *
   * @param text the text of it
   * @param scope the entries that are meant, seen from the RDNs after it
   * @param isGroup whether it is a group
   * @param needsAnchor whether it means that only at the beginning of the name
   */
  private record Start(String text, Scope scope, boolean isGroup, boolean needsAnchor) {
    /** The text between the group and the RDNs, if the group is there for all entries. */
    @Nullable String after() {
      boolean isAlwaysThere = isGroup && scope != Scope.SUBTREE;
      return isAlwaysThere ? text.substring(text.indexOf(')') + 1) : null;
    }
  }

  private NameExpression(Wording wording, String text, @Nullable Captures expanded) {
    this.wording = wording;
    this.text = text;
    this.expanded = expanded;
  }

  /** Reads the expression of a target; null if it says what no place does. */
  static @Nullable TargetPattern ofTarget(Wording wording, String text) {
    return Captures.hasMarks(text)
        ? null
        : new NameExpression(wording, withoutSpaces(text), null).target();
  }

  /**
   * Reads an expression whose first RDN may have any value, such as {@code ^uid=(.+),ou=people$}.
   * It means entries directly below a name, and others further below, where the value has commas.
   *
   * @return null if the expression has another form
   */
  static @Nullable WholeValue wholeValue(String text) {
    Matcher whole = WHOLE_VALUE.matcher(withoutSpaces(text));
    if (!whole.matches()) {
      return null;
    }
    String value = whole.group(2) == null ? "[^,]+" : "([^,]+)";
    String after = ',' + whole.group(3);
    return new WholeValue('^' + whole.group(1) + '=' + value + after, ".+" + after);
  }

  /** Reads the expression of a clause, which may have parts of the target's name. */
  static UserPattern ofClause(Wording wording, String text, Captures target) {
    String marks = Captures.marks(withoutSpaces(text));
    return marks == null ? UserPattern.UNKNOWN : ofUsers(wording, marks, target);
  }

  /** Reads the expression of a limit, in which a dollar sign is no reference, and a space one. */
  static UserPattern ofLimit(Wording wording, String text) {
    return Captures.hasMarks(text) ? UserPattern.UNKNOWN : ofUsers(wording, text, Captures.UNKNOWN);
  }

  private static UserPattern ofUsers(Wording wording, String text, Captures target) {
    UserPattern users = new NameExpression(wording, text, target).users();
    if (users != null) {
      return users;
    }
    Matcher tail = TAIL.matcher(text);
    boolean hasTail = !Captures.hasMarks(text) && tail.matches();
    TargetPattern top = hasTail ? ofTarget(wording, '^' + tail.group(1)) : null;
    return top == null ? UserPattern.UNKNOWN : UserPattern.below(top.place().name());
  }

  /* slapd drops spaces after the commas of an expression, unless a backslash is before. */
  private static String withoutSpaces(String text) {
    return text.replaceAll("(?<!\\\\), +", ",");
  }

  private @Nullable TargetPattern target() {
    boolean isAnchored = accept("^");
    Start start = start();
    boolean isPlace = isAnchored || !start.needsAnchor();
    DnPattern pattern = isPlace ? names() : null;
    if (pattern == null || !accept("$") || at < text.length()) {
      return null;
    }
    return new TargetPattern(new Place(start.scope(), pattern), groups, start.after());
  }

  private @Nullable UserPattern users() {
    boolean isAnchored = accept("^");
    Start start = start();
    if (start.text().isEmpty() && accept(ANYTHING)) {
      isAnchored = false;
    }
    DnPattern pattern = names();
    boolean goesOn = accept(ANYTHING);
    goesOn |= !accept("$");
    if (pattern == null || at < text.length() || !endsFixed(pattern)) {
      return null;
    }
    List<String> reasons = new ArrayList<>();
    Scope scope = start.scope();
    if (!isAnchored && start.needsAnchor()) {
      boolean isExact = scope == Scope.DIRECTLY_BELOW;
      scope = isExact ? Scope.BELOW : Scope.SUBTREE;
      if (!isExact) {
        reasons.add("without ^ it also means names in which more stands before");
      }
    }
    if (isLong) {
      reasons.add("a value that may have commas means users further below, too");
    }
    if (goesOn) {
      reasons.add("without $ it also means names that go on");
    }
    return UserPattern.around(new Place(scope, pattern), reasons, goesOn, isExpanded);
  }

  /* Returns the first beginning that fits; the empty one always does. */
  private Start start() {
    for (Start start : STARTS) {
      if (accept(start.text())) {
        if (start.isGroup()) {
          groups.add("");
        }
        return start;
      }
    }
    throw new IllegalStateException("no beginning fits " + text);
  }

  private @Nullable DnPattern names() {
    do {
      if (!rdn()) {
        return null;
      }
    } while (separator());
    return open.isEmpty() ? wording.pattern(name.toString()) : null;
  }

  /* Users at the top of any tree, or of many, are not worth a place. */
  private static boolean endsFixed(DnPattern pattern) {
    return pattern.isFixedAt(pattern.dn().rdnCount() - 1);
  }

  private boolean accept(String expected) {
    boolean isThere = text.startsWith(expected, at);
    at += isThere ? expected.length() : 0;
    return isThere;
  }

  private boolean separator() {
    while (!open.isEmpty() && accept(")")) {
      closeGroup();
    }
    if (!accept(",")) {
      return false;
    }
    name.append(',');
    return true;
  }

  private void openGroup() {
    groups.add("");
    open.push(name.length());
    open.push(groups.size() - 1);
  }

  private void closeGroup() {
    int group = open.pop();
    groups.set(group, name.substring(open.pop()));
  }

  private boolean rdn() {
    while (accept("(")) {
      if (groups.size() == MAXIMUM_GROUPS) {
        return false;
      }
      openGroup();
    }
    if (isMark()) {
      return mark();
    }
    int equals = text.indexOf('=', at);
    if (equals < 0) {
      return false;
    }
    String typeText = text.substring(at, equals);
    AttributeType type = wording.schema().attributeType(typeText);
    if (type == null || !type.name().equalsIgnoreCase(typeText)) {
      return false;
    }
    at = equals + 1;
    return anyValue(type) || givenValue(type);
  }

  private boolean isMark() {
    return at < text.length()
        && text.charAt(at) >= Captures.FIRST_MARK
        && text.charAt(at) <= Captures.LAST_MARK;
  }

  /* A part of the target's name. */
  private boolean mark() {
    String part = expanded == null ? "" : expanded.marked(text.charAt(at++));
    isExpanded = true;
    name.append(part);
    return !part.isEmpty();
  }

  private boolean anyValue(AttributeType type) {
    for (String any : ANY_VALUE) {
      boolean isGroup = accept('(' + any + ')');
      if (!isGroup && !accept(any)) {
        continue;
      }
      int start = name.length() + type.name().length() + 1;
      capture(type);
      if (isGroup) {
        groups.add(name.substring(start));
      }
      return groups.size() <= MAXIMUM_GROUPS;
    }
    return expanded != null && anyText(type);
  }

  private boolean anyText(AttributeType type) {
    boolean isAny = ANY_TEXT.stream().anyMatch(this::accept);
    if (isAny) {
      isLong = true;
      capture(type);
    }
    return isAny;
  }

  /* In a clause, captures are those of the target. */
  private void capture(AttributeType type) {
    if (expanded != null) {
      name.append(type.name()).append("={*}");
      return;
    }
    String letters = type.name().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
    String plain = letters.matches("[a-z].*") ? letters : "v" + letters;
    String unique = plain;
    for (int i = 2; !captures.add(unique); i++) {
      unique = plain + i;
    }
    name.append(type.name()).append("={").append(unique).append('}');
  }

  private boolean isAnythingAtEnd() {
    return expanded != null
        && text.startsWith(ANYTHING, at)
        && text.indexOf('$', at + ANYTHING.length()) == text.length() - 1;
  }

  private boolean givenValue(AttributeType type) {
    if (isMark()) {
      name.append(type.name()).append('=');
      return mark();
    }
    StringBuilder value = new StringBuilder();
    while (at < text.length() && ",)$".indexOf(text.charAt(at)) < 0 && !isAnythingAtEnd()) {
      char c = text.charAt(at++);
      if (c == '\\' && at < text.length() && !Character.isLetterOrDigit(text.charAt(at))) {
        value.append(text.charAt(at++));
      } else if (SIGNS.indexOf(c) < 0 && !Captures.hasMarks(String.valueOf(c))) {
        value.append(c);
      } else {
        return false;
      }
    }
    String rdn = wording.normalizedRdn(type.name() + '=' + value);
    name.append(rdn == null ? "" : rdn);
    return rdn != null;
  }

  /**
   * The parts of an expression whose first RDN may have any value.
   *
   * <p>Immutable.
   *
   * @param nearest the expression for those entries that are directly below the name
   * @param below one for all entries below the name
   */
  record WholeValue(String nearest, String below) {}
}
