package org.nyala.core.schema;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Every definition that the server knows, as one consistent snapshot (RFC 4512, section 4).
 * Changing the schema means building another snapshot.
 *
 * <p>Immutable, but for a bounded cache; thread-safe. Names are looked up without regard to case;
 * an unknown name costs no more than a known one.
 */
public final class Schema {
  private final Map<String, AttributeType> attributeTypes = new LinkedHashMap<>();
  private final Map<String, ObjectClass> objectClasses = new LinkedHashMap<>();
  private final Map<String, MatchingRule> matchingRules = new LinkedHashMap<>();
  private final Map<String, Syntax> syntaxes = new LinkedHashMap<>();
  private final Map<String, AttributeType> attributeNames = new LinkedHashMap<>();
  private final Map<String, ObjectClass> objectClassNames = new LinkedHashMap<>();
  private final Map<String, MatchingRule> matchingRuleNames = new LinkedHashMap<>();
  private final NameTable<AttributeType> attributeTable;
  private final NameTable<byte[]> identifierTable;
  private final SchemaRules rules;
  private final AttributeOptions attributeOptions;
  private final List<String> places;
  private final Map<String, String> origins;
  private final SecretTypes secretTypes;
  private final ClassSets classSets = new ClassSets(this);

  /** Links the given definitions; each must refer only to definitions that are given too. */
  public Schema(
      Collection<Syntax> syntaxes,
      Collection<MatchingRule> matchingRules,
      Collection<AttributeType> attributeTypes,
      Collection<ObjectClass> objectClasses,
      SchemaRules rules,
      SecretTypes secretTypes) {
    this(
        syntaxes,
        matchingRules,
        attributeTypes,
        objectClasses,
        rules,
        AttributeOptions.DEFAULT,
        secretTypes,
        List.of(),
        Map.of());
  }

  private Schema(
      Collection<Syntax> syntaxes,
      Collection<MatchingRule> matchingRules,
      Collection<AttributeType> attributeTypes,
      Collection<ObjectClass> objectClasses,
      SchemaRules rules,
      AttributeOptions attributeOptions,
      SecretTypes secretTypes,
      List<String> places,
      Map<String, String> origins) {
    this.secretTypes = secretTypes;
    this.rules = rules;
    this.attributeOptions = attributeOptions;
    this.places = List.copyOf(places);
    this.origins = Map.copyOf(origins);
    syntaxes.forEach(syntax -> this.syntaxes.put(syntax.oid(), syntax));
    for (MatchingRule rule : matchingRules) {
      register(this.matchingRules, matchingRuleNames, rule.oid(), rule.names(), rule);
    }
    for (AttributeType type : attributeTypes) {
      register(this.attributeTypes, attributeNames, type.oid(), type.names(), type);
    }
    for (ObjectClass objectClass : objectClasses) {
      register(
          this.objectClasses,
          objectClassNames,
          objectClass.oid(),
          objectClass.names(),
          objectClass);
    }
    attributeTable = new NameTable<>(attributeNames);
    identifierTable = new NameTable<>(identifiers());
  }

  /** Returns the same definitions with other tagging options. */
  public Schema withAttributeOptions(AttributeOptions other) {
    return with(other, places, origins);
  }

  /**
   * Returns the same definitions, read from other places.
   *
   * @param folders the folders of the files
   * @param from the file and line of attribute types and object classes, by object identifier
   */
  public Schema withPlaces(List<String> folders, Map<String, String> from) {
    return with(attributeOptions, folders, from);
  }

  private Schema with(AttributeOptions options, List<String> folders, Map<String, String> from) {
    return new Schema(
        syntaxes(),
        matchingRules(),
        attributeTypes(),
        objectClasses(),
        rules,
        options,
        secretTypes,
        folders,
        from);
  }

  /** The folders that the definitions were read from, for messages; empty if there are none. */
  public List<String> places() {
    return places;
  }

  /**
   * The file and line of the definitions that are in files, by object identifier, for messages;
   * empty if they are not known.
   */
  public Map<String, String> origins() {
    return origins;
  }

  /** The types whose values are secrets, in this schema or one that extends it. */
  public SecretTypes secretTypes() {
    return secretTypes;
  }

  /** The tagging options that attribute descriptions may have. */
  public AttributeOptions attributeOptions() {
    return attributeOptions;
  }

  /* If one name stands for several things, the object class comes first. */
  private Map<String, byte[]> identifiers() {
    Map<String, byte[]> identifiers = new LinkedHashMap<>();
    matchingRuleNames.forEach((name, rule) -> identifiers.put(name, bytes(rule.oid())));
    attributeNames.forEach((name, type) -> identifiers.put(name, bytes(type.oid())));
    objectClassNames.forEach((name, each) -> identifiers.put(name, bytes(each.oid())));
    return identifiers;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static <T> void register(
      Map<String, T> byOid, Map<String, T> byName, String oid, Collection<String> names, T value) {
    byOid.put(oid, value);
    byName.put(oid, value);
    for (String name : names) {
      byName.put(name, value);
      byName.put(lowerCase(name), value);
    }
  }

  /** The attribute type of a name or object identifier without options, or null. */
  public @Nullable AttributeType attributeType(String name) {
    return find(attributeNames, name);
  }

  /** The attribute type of a name or object identifier without options, in UTF-8, or null. */
  public @Nullable AttributeType attributeType(byte[] source, int offset, int length) {
    return attributeTable.find(source, offset, length);
  }

  /** The numeric object identifier of a name or number that is known here, or null. */
  public byte @Nullable [] identifier(byte[] source, int offset, int length) {
    return identifierTable.find(source, offset, length);
  }

  /** The object class of a name or object identifier, or null. */
  public @Nullable ObjectClass objectClass(String name) {
    return find(objectClassNames, name);
  }

  /** A value of {@code objectClass} as the schema spells it; unchanged if the class is unknown. */
  public byte[] spelledClass(byte[] value) {
    ObjectClass known = objectClass(new String(value, StandardCharsets.UTF_8).strip());
    return known == null ? value : known.name().getBytes(StandardCharsets.UTF_8);
  }

  /** The matching rule of a name or object identifier, or null. */
  public @Nullable MatchingRule matchingRule(String name) {
    return find(matchingRuleNames, name);
  }

  /** The syntax of an object identifier, or null. */
  public @Nullable Syntax syntax(String oid) {
    return syntaxes.get(oid);
  }

  /**
   * Returns the combined meaning of the given values of {@code objectClass}; {@link
   * ClassSet#violation()} describes their faults.
   */
  public ClassSet classSet(List<byte[]> values) {
    return classSets.find(values);
  }

  /** The DIT content rule of entries with this structural class, or null. */
  public @Nullable DitContentRule contentRule(ObjectClass structural) {
    return rules.contentRule(structural);
  }

  /** The name form of a name or object identifier, or null. */
  public @Nullable NameForm nameForm(String name) {
    return rules.nameForm(name);
  }

  /** The DIT structure rule of a number, or null. */
  public @Nullable DitStructureRule structureRule(int ruleId) {
    return rules.structureRule(ruleId);
  }

  /**
   * The DIT structure rules in force whose name form is of this structural class; if there are
   * none, its entries may be anywhere and have any name.
   */
  public List<DitStructureRule> structureRules(ObjectClass structural) {
    return rules.structureRules(structural);
  }

  /**
   * The DIT structure rule that governs an entry (RFC 4512, section 4.1.7.1), or null when none of
   * {@link #structureRules(ObjectClass)} fits.
   *
   * @param structural the entry's most specific structural class
   * @param rdnTypes the attributes of its RDN
   * @param parentRule the rule that governs the entry above; null if none does
   */
  public @Nullable DitStructureRule governingRule(
      ObjectClass structural,
      Collection<AttributeType> rdnTypes,
      @Nullable DitStructureRule parentRule) {
    for (DitStructureRule rule : rules.structureRules(structural)) {
      if (rule.allowsBelow(parentRule) && rule.form().allows(rdnTypes)) {
        return rule;
      }
    }
    return null;
  }

  /** Every DIT content rule once, in the order of definition. */
  public Collection<DitContentRule> contentRules() {
    return rules.contentRules();
  }

  /** Every name form once, in the order of definition. */
  public Collection<NameForm> nameForms() {
    return rules.nameForms();
  }

  /** Every DIT structure rule once, in the order of definition. */
  public Collection<DitStructureRule> structureRules() {
    return rules.structureRules();
  }

  /** Every attribute type once, in the order of definition. */
  public Collection<AttributeType> attributeTypes() {
    return attributeTypes.values();
  }

  /** Every object class once, in the order of definition. */
  public Collection<ObjectClass> objectClasses() {
    return objectClasses.values();
  }

  /** Every matching rule once. */
  public Collection<MatchingRule> matchingRules() {
    return matchingRules.values();
  }

  /** Every syntax once. */
  public Collection<Syntax> syntaxes() {
    return syntaxes.values();
  }

  /* Finds a name in any case; one that is longer than all names is not read. */
  private <T> @Nullable T find(Map<String, T> byName, String name) {
    if (name.length() > identifierTable.longest()) {
      return null;
    }
    T value = byName.get(name);
    return value != null ? value : byName.get(lowerCase(name));
  }

  private static String lowerCase(String name) {
    return name.toLowerCase(Locale.ROOT);
  }
}
