package org.nyala.core.schema.load;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.DitContentRule;
import org.nyala.core.schema.MatchingRule;
import org.nyala.core.schema.MatchingRule.Use;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.rule.SyntaxFit;

/**
 * The contradictions of definitions within themselves or with those that they refer to, although
 * every reference resolves (RFC 4512, sections 2.4, 2.5.1 and 4.1).
 *
 * <p>Confined to one running operation.
 */
final class SchemaConsistency {
  private final List<String> found = new ArrayList<>();
  private final List<String> harmless = new ArrayList<>();

  /**
   * Returns each problem as text, with its place; in the order in which the definitions were
   * linked.
   */
  List<String> found() {
    return found;
  }

  /**
   * The contradictions with which a schema can be used: values that a rule cannot normalise match
   * nothing.
   */
  List<String> harmless() {
    return harmless;
  }

  void check(Definition.OfAttribute definition, AttributeType type) {
    if (definition.superior() == null && definition.syntax() == null) {
      report(definition, "an attribute type needs SUP or SYNTAX");
    }
    checkRule(definition, type, "EQUALITY", type.equality(), Use.EQUALITY);
    checkRule(definition, type, "ORDERING", type.ordering(), Use.ORDERING);
    checkRule(definition, type, "SUBSTR", type.substrings(), Use.SUBSTRINGS);
    AttributeType superior = type.superior();
    if (superior != null && superior.usage() != type.usage()) {
      report(definition, "USAGE is not that of its superior '" + superior.name() + "'");
    }
    AttributeType.Flags flags = type.flags();
    if (flags.noUserModification() && !type.isOperational()) {
      report(definition, "NO-USER-MODIFICATION needs an operational USAGE");
    }
    if (flags.collective() && type.isOperational()) {
      report(definition, "COLLECTIVE needs the USAGE userApplications");
    }
    if (flags.collective() && flags.singleValue()) {
      report(definition, "COLLECTIVE and SINGLE-VALUE exclude each other");
    }
  }

  /* A rule that is inherited must fit as one that is given. */
  private void checkRule(
      Definition definition,
      AttributeType type,
      String keyword,
      @Nullable MatchingRule rule,
      Use use) {
    if (rule == null) {
      return;
    }
    boolean isOfUse = rule.use() == use && (use != Use.EQUALITY || rule.comparesBytes());
    if (!isOfUse) {
      report(
          definition,
          "inappropriate matching rule: '" + rule.name() + "' is no rule for " + keyword);
    } else if (!SyntaxFit.fits(rule, type.syntax())) {
      report(
          definition,
          "inappropriate matching rule: '"
              + rule.name()
              + "' for "
              + keyword
              + " does not compare values of the syntax "
              + type.syntax().oid()
              + " ("
              + type.syntax().description()
              + ")");
      harmless.add(found.getLast());
    }
  }

  void check(Definition.OfClass definition, ObjectClass objectClass) {
    for (ObjectClass superior : objectClass.superiors()) {
      if (!mayExtend(objectClass.kind(), superior.kind())) {
        report(
            definition,
            objectClass.kind()
                + " cannot extend the "
                + superior.kind()
                + " object class '"
                + superior.name()
                + "'");
      }
    }
  }

  private static boolean mayExtend(ObjectClass.Kind kind, ObjectClass.Kind superior) {
    return superior == ObjectClass.Kind.ABSTRACT || superior == kind;
  }

  void check(Definition.OfContentRule definition, ObjectClass structural, DitContentRule rule) {
    Set<ObjectClass> seen = new HashSet<>();
    checkNot(definition, structural, rule, seen);
    rule.auxiliaries().forEach(auxiliary -> checkNot(definition, auxiliary, rule, seen));
    for (AttributeType type : rule.not()) {
      if (rule.must().contains(type)) {
        report(definition, "'" + type.name() + "' is in MUST and in NOT");
      }
    }
  }

  private void checkNot(
      Definition definition, ObjectClass objectClass, DitContentRule rule, Set<ObjectClass> seen) {
    if (!seen.add(objectClass)) {
      return;
    }
    for (AttributeType type : rule.not()) {
      if (objectClass.must().contains(type)) {
        report(
            definition,
            "'"
                + type.name()
                + "' in NOT is required by the object class '"
                + objectClass.name()
                + "'");
      }
    }
    objectClass.superiors().forEach(superior -> checkNot(definition, superior, rule, seen));
  }

  private void report(Definition definition, String what) {
    found.add(
        definition.where()
            + ": "
            + definition.oid()
            + (definition.names().isEmpty() ? "" : " '" + definition.names().getFirst() + "'")
            + ": "
            + what);
  }
}
