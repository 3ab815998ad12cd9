package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Attributes;
import org.nyala.core.access.rule.DnPattern;
import org.nyala.core.access.rule.Place;
import org.nyala.core.access.rule.Scope;
import org.nyala.core.access.rule.Target;
import org.nyala.core.access.rule.TargetValue;
import org.nyala.core.access.rule.Where;
import org.nyala.core.dn.Dn;

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
}
