package org.nyala.core.access.slapd;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.rule.Clause.Flow;
import org.nyala.core.access.rule.Grant;
import org.nyala.core.slapd.SlapdDirective;

/**
 * Reads rules of slapd: {@code to ... by ...}.
 *
 * <p>Confined to one thread.
 */
final class RuleReader {
  private final Wording wording;
  private final TreePart part;

  /**
   * Creates a reader of rules.
   *
   * @param part the part of the tree that they are for
   */
  RuleReader(Wording wording, TreePart part) {
    this.wording = wording;
    this.part = part;
  }

  /** Reads a rule as one, or as two for entries of which some can be said and others cannot. */
  List<SlapdRule> read(SlapdDirective directive) {
    WordCursor words = new WordCursor(directive.words());
    if (!words.accept("to")) {
      List<String> reasons = List.of("a rule that does not begin with 'to'");
      return List.of(read(directive, words, What.unknown(part.place(), reasons)));
    }
    WhatReader first = new WhatReader(wording, part, false);
    SlapdRule rule = read(directive, words, first.read(words));
    if (!first.hasRest()) {
      return List.of(rule);
    }
    WordCursor again = new WordCursor(directive.words());
    again.accept("to");
    What rest = new WhatReader(wording, part, true).read(again);
    return List.of(rule, read(directive, again, rest));
  }

  private SlapdRule read(SlapdDirective directive, WordCursor words, What what) {
    List<SlapdRule.ByClause> clauses = new ArrayList<>();
    while (words.hasNext()) {
      int start = words.position();
      if (!words.accept("by")) {
        String word = words.next();
        clauses.add(unread("'" + word + "' instead of 'by'", word));
        break;
      }
      clauses.add(clause(what, words, start));
    }
    if (clauses.isEmpty()) {
      clauses.add(unread("a rule without 'by'", String.join(" ", directive.words())));
    }
    return new SlapdRule(directive, what, clauses);
  }

  /* slapd does not start with such a clause: nobody gets anything from there on. */
  private static SlapdRule.ByClause unread(String reason, String text) {
    return new SlapdRule.ByClause(
        Subjects.unknown(reason), SlapdRule.ByClause.NOTHING, Flow.STOP, text);
  }

  private SlapdRule.ByClause clause(What what, WordCursor words, int start) {
    SubjectsBuilder who = new WhoReader(wording, what).read(words);
    if (!words.hasNext() || words.isAt("by") || flow(words.peek()) != null) {
      Flow flow = flow(words);
      return new SlapdRule.ByClause(who.subjects(false), Grant.UNCHANGED, flow, words.since(start));
    }
    String access = WhoReader.withoutReal(words.next());
    boolean isOwn = access.toLowerCase(Locale.ROOT).startsWith("self");
    Grant grant = AccessWords.grant(isOwn ? access.substring("self".length()) : access);
    Flow flow = flow(words);
    String text = words.since(start);
    if (grant == null) {
      return unread("'" + access + "', neither a condition nor an access", text);
    }
    return new SlapdRule.ByClause(who.subjects(isOwn), grant, flow, text);
  }

  private static Flow flow(WordCursor words) {
    Flow flow = flow(words.peek());
    if (flow == null) {
      return Flow.STOP;
    }
    words.next();
    return flow;
  }

  private static @Nullable Flow flow(String word) {
    return switch (word.toLowerCase(Locale.ROOT)) {
      case "stop" -> Flow.STOP;
      case "continue" -> Flow.CONTINUE;
      case "break" -> Flow.BREAK;
      default -> null;
    };
  }
}
