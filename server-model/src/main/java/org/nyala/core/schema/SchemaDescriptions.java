package org.nyala.core.schema;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Describes schema elements in the words of RFC 4512, section 4.1, as the subschema subentry shows
 * them. Inherited properties of an attribute type are left out.
 */
public final class SchemaDescriptions {
  /**
   * Syntaxes of octets that slapd leaves unmarked, and that clients therefore show as text if they
   * can.
   */
  private static final Set<String> UNMARKED_SYNTAXES =
      Set.of("1.3.6.1.4.1.1466.115.121.1.40", "1.2.840.113549.1.8.1.1");

  private SchemaDescriptions() {}

  /** The values of {@code attributeTypes}. */
  public static List<String> attributeTypes(Schema schema) {
    List<String> descriptions = new ArrayList<>();
    schema.attributeTypes().forEach(type -> descriptions.add(describe(type)));
    return descriptions;
  }

  /** The values of {@code objectClasses}. */
  public static List<String> objectClasses(Schema schema) {
    List<String> descriptions = new ArrayList<>();
    schema.objectClasses().forEach(each -> descriptions.add(describe(each)));
    return descriptions;
  }

  /** The values of {@code dITContentRules}. */
  public static List<String> contentRules(Schema schema) {
    List<String> descriptions = new ArrayList<>();
    schema.contentRules().forEach(rule -> descriptions.add(describe(rule)));
    return descriptions;
  }

  /** The values of {@code nameForms}. */
  public static List<String> nameForms(Schema schema) {
    List<String> descriptions = new ArrayList<>();
    schema.nameForms().forEach(form -> descriptions.add(describe(form)));
    return descriptions;
  }

  /** The values of {@code dITStructureRules}. */
  public static List<String> structureRules(Schema schema) {
    List<String> descriptions = new ArrayList<>();
    schema.structureRules().forEach(rule -> descriptions.add(describe(rule)));
    return descriptions;
  }

  /** The values of {@code matchingRules}. */
  public static List<String> matchingRules(Schema schema) {
    List<String> descriptions = new ArrayList<>();
    schema.matchingRules().forEach(rule -> descriptions.add(describe(rule)));
    return descriptions;
  }

  /** The values of {@code ldapSyntaxes}. */
  public static List<String> syntaxes(Schema schema) {
    List<String> descriptions = new ArrayList<>();
    schema.syntaxes().forEach(syntax -> descriptions.add(describe(syntax)));
    return descriptions;
  }

  /**
   * Returns the values of {@code matchingRuleUse}: the rules that filters can name for some
   * attribute type (RFC 4512, section 4.1.4). Rules for substrings are not among them.
   *
   * @param applies returns whether values of a type can be compared by a rule
   */
  public static List<String> matchingRuleUses(
      Schema schema, BiPredicate<MatchingRule, AttributeType> applies) {
    List<String> descriptions = new ArrayList<>();
    for (MatchingRule rule : schema.matchingRules()) {
      Collection<String> types = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
      for (AttributeType type : schema.attributeTypes()) {
        if (rule.use() != MatchingRule.Use.SUBSTRINGS && applies.test(rule, type)) {
          types.add(type.name());
        }
      }
      if (!types.isEmpty()) {
        StringBuilder target = begin(rule.oid(), rule.names(), "", false);
        appendList(target, "APPLIES", types);
        descriptions.add(target.append(" )").toString());
      }
    }
    return descriptions;
  }

  public static String describe(AttributeType type) {
    AttributeType superior = type.superior();
    StringBuilder target =
        begin(type.oid(), type.names(), type.description(), type.flags().obsolete());
    if (superior != null) {
      target.append(" SUP ").append(superior.name());
    }
    appendRule(target, "EQUALITY", type.equality(), superior == null ? null : superior.equality());
    appendRule(target, "ORDERING", type.ordering(), superior == null ? null : superior.ordering());
    appendRule(
        target, "SUBSTR", type.substrings(), superior == null ? null : superior.substrings());
    if (superior == null || superior.syntax() != type.syntax() || type.maximumLength() > 0) {
      target.append(" SYNTAX ").append(type.syntax().oid());
      if (type.maximumLength() > 0) {
        target.append('{').append(type.maximumLength()).append('}');
      }
    }
    appendFlags(target, type);
    return target.append(" )").toString();
  }

  private static void appendFlags(StringBuilder target, AttributeType type) {
    AttributeType.Flags flags = type.flags();
    target.append(flags.singleValue() ? " SINGLE-VALUE" : "");
    target.append(flags.collective() ? " COLLECTIVE" : "");
    target.append(flags.noUserModification() ? " NO-USER-MODIFICATION" : "");
    target.append(
        switch (type.usage()) {
          case USER_APPLICATIONS -> "";
          case DIRECTORY_OPERATION -> " USAGE directoryOperation";
          case DISTRIBUTED_OPERATION -> " USAGE distributedOperation";
          case DSA_OPERATION -> " USAGE dSAOperation";
        });
  }

  private static void appendRule(
      StringBuilder target,
      String keyword,
      @Nullable MatchingRule rule,
      @Nullable MatchingRule inherited) {
    if (rule != null && rule != inherited) {
      target.append(' ').append(keyword).append(' ').append(rule.name());
    }
  }

  public static String describe(ObjectClass objectClass) {
    StringBuilder target =
        begin(
            objectClass.oid(),
            objectClass.names(),
            objectClass.description(),
            objectClass.obsolete());
    List<String> superiors = new ArrayList<>();
    objectClass.superiors().forEach(superior -> superiors.add(superior.name()));
    appendList(target, "SUP", superiors);
    target.append(' ').append(objectClass.kind().name().toUpperCase(Locale.ROOT));
    appendList(target, "MUST", names(objectClass.must()));
    appendList(target, "MAY", names(objectClass.may()));
    return target.append(" )").toString();
  }

  public static String describe(DitContentRule rule) {
    StringBuilder target = begin(rule.oid(), rule.names(), rule.description(), rule.obsolete());
    Collection<String> auxiliaries = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    rule.auxiliaries().forEach(each -> auxiliaries.add(each.name()));
    appendList(target, "AUX", auxiliaries);
    appendList(target, "MUST", names(rule.must()));
    appendList(target, "MAY", names(rule.may()));
    appendList(target, "NOT", names(rule.not()));
    return target.append(" )").toString();
  }

  public static String describe(NameForm form) {
    StringBuilder target = begin(form.oid(), form.names(), form.description(), form.obsolete());
    target.append(" OC ").append(form.structuralClass().name());
    appendList(target, "MUST", names(form.must()));
    appendList(target, "MAY", names(form.may()));
    return target.append(" )").toString();
  }

  public static String describe(DitStructureRule rule) {
    StringBuilder target =
        begin(Integer.toString(rule.ruleId()), rule.names(), rule.description(), rule.obsolete());
    target.append(" FORM ").append(rule.form().name());
    if (!rule.superiorIds().isEmpty()) {
      String joined = join(" ", new TreeSet<>(rule.superiorIds()));
      target.append(" SUP ").append(rule.superiorIds().size() == 1 ? joined : "( " + joined + " )");
    }
    return target.append(" )").toString();
  }

  private static String join(String separator, Collection<Integer> numbers) {
    StringBuilder target = new StringBuilder();
    for (Integer number : numbers) {
      target.append(target.isEmpty() ? "" : separator).append(number);
    }
    return target.toString();
  }

  private static Collection<String> names(Collection<AttributeType> types) {
    Collection<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    types.forEach(type -> names.add(type.name()));
    return names;
  }

  public static String describe(MatchingRule rule) {
    return begin(rule.oid(), rule.names(), "", false)
        .append(" SYNTAX ")
        .append(rule.syntaxOid())
        .append(" )")
        .toString();
  }

  public static String describe(Syntax syntax) {
    StringBuilder target = begin(syntax.oid(), List.of(), syntax.description(), false);
    if (syntax.requiresBinaryTransfer()) {
      target.append(" X-BINARY-TRANSFER-REQUIRED 'TRUE'");
    }
    if (!syntax.humanReadable() && !UNMARKED_SYNTAXES.contains(syntax.builtInOid())) {
      target.append(" X-NOT-HUMAN-READABLE 'TRUE'");
    }
    return target.append(" )").toString();
  }

  private static StringBuilder begin(
      String oid, List<String> names, String description, boolean obsolete) {
    StringBuilder target = new StringBuilder(160).append("( ").append(oid);
    if (names.size() == 1) {
      target.append(" NAME '").append(names.getFirst()).append('\'');
    } else if (!names.isEmpty()) {
      target.append(" NAME (");
      names.forEach(name -> target.append(" '").append(name).append('\''));
      target.append(" )");
    }
    if (!description.isEmpty()) {
      String escaped = description.replace("\\", "\\5C").replace("'", "\\27");
      target.append(" DESC '").append(escaped).append('\'');
    }
    return target.append(obsolete ? " OBSOLETE" : "");
  }

  private static void appendList(
      StringBuilder target, String keyword, Collection<String> elements) {
    if (elements.isEmpty()) {
      return;
    }
    target.append(' ').append(keyword);
    String joined = String.join(" $ ", elements);
    target.append(elements.size() == 1 ? " " + joined : " ( " + joined + " )");
  }
}
