package org.nyala.core.rules;

import static org.nyala.core.entry.QuotedText.quoted;
import static org.nyala.core.rules.UpdateErrors.refusal;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.NamingValue;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.password.HashBounds;
import org.nyala.core.schema.AttributeType;
import org.nyala.core.schema.ClassSet;
import org.nyala.core.schema.DitStructureRule;
import org.nyala.core.schema.ObjectClass;
import org.nyala.core.schema.Schema;

/**
 * The rules that decide whether an entry is allowed (RFC 4512; RFC 4511, sections 4.6, 4.7 and
 * 4.9). Checks that do not depend on the store come first: {@link #newEntry} and {@link #present}
 * check the contents of a request and can run before the writer's turn. The rest checks entries as
 * they would be.
 *
 * <p>"Relaxed" is the mode that the relax rules control requests: attributes that only the server
 * writes may be given, obsolete definitions used, the structural class changed.
 *
 * <p>Immutable.
 */
public final class EntryRules {
  /** The object class of dynamic entries (RFC 2589, section 5). */
  public static final String DYNAMIC_OBJECT_OID = "1.3.6.1.4.1.1466.101.119.2";

  private static final int OWN_LOOKS = 64;

  private final Schema schema;
  private final AttributeRules attributes;
  private final NamingRules naming;
  private final @Nullable AttributeDescription objectClass;

  /**
   * Creates the rules of a schema.
   *
   * @param valuesPerAttribute the maximum number of values of an attribute of an entry
   */
  public EntryRules(Schema schema, int valuesPerAttribute) {
    this(schema, valuesPerAttribute, type -> false, HashBounds.DEFAULT, _ -> true);
  }

  /**
   * Creates the rules of a schema.
   *
   * @param valuesPerAttribute the maximum number of values of an attribute of an entry
   * @param computed the attributes whose values are computed rather than read from the store: no
   *     client may store values that would never be seen, even with relaxed rules
   * @param hashBounds the limits of the work that stored passwords may require
   * @param nameable the attributes that may be part of a name, unless rules are relaxed
   */
  public EntryRules(
      Schema schema,
      int valuesPerAttribute,
      Predicate<AttributeType> computed,
      HashBounds hashBounds,
      Predicate<AttributeType> nameable) {
    this.schema = schema;
    attributes = new AttributeRules(schema, valuesPerAttribute, computed, hashBounds);
    naming = new NamingRules(schema, nameable);
    AttributeType type = schema.attributeType("objectClass");
    objectClass = type == null ? null : AttributeDescription.of(type);
  }

  /**
   * Begins to read the entry in an Add request: every attribute known, every value valid and given
   * once. {@link #checkNew} checks the schema's rules for the entry as a whole. It is refused with
   * protocolError for an attribute without values; undefinedAttributeType, constraintViolation,
   * invalidAttributeSyntax, attributeOrValueExists, adminLimitExceeded.
   */
  public Presented<Entry> newEntry(
      Dn name, List<Request.AttributeValues> presented, boolean relaxed) {
    return new PresentedEntry(attributes, name, presented, relaxed);
  }

  /**
   * Begins to read the changes that a Modify presents: every attribute known, every value valid.
   * They are refused with protocolError for an unknown kind of change or the wrong number of
   * values; undefinedAttributeType, constraintViolation, invalidAttributeSyntax,
   * attributeOrValueExists, inappropriateMatching, adminLimitExceeded.
   */
  public Presented<List<RequestedChange>> present(List<Request.Change> changes, boolean relaxed) {
    return new PresentedChanges(attributes, changes, relaxed);
  }

  /**
   * Returns changes that the server itself makes, of a few short values.
   *
   * @throws LdapOperationException as for those that a Modify presents
   */
  public List<RequestedChange> ownChanges(List<Request.Change> changes)
      throws LdapOperationException {
    List<RequestedChange> read = present(changes, false).go(Pace.ofLooks(OWN_LOOKS));
    if (read == null) {
      throw new IllegalArgumentException("changes of " + changes.size() + " attributes are long");
    }
    return read;
  }

  /**
   * Checks an entry that is to be added, and adds to it the values of its RDN that it lacks.
   *
   * @return the set of its classes
   * @throws LdapOperationException namingViolation, objectClassViolation, constraintViolation,
   *     adminLimitExceeded
   */
  public ClassSet checkNew(Entry entry, boolean relaxed) throws LdapOperationException {
    ClassSet classes = soundClasses(entry, relaxed);
    List<NamingValue> rdn = naming.values(entry.dn());
    naming.checkTypes(rdn, relaxed);
    naming.complete(entry, rdn);
    checkAttributes(entry, Map.of(), classes);
    return classes;
  }

  /**
   * Checks an entry as it would be after modifications or another name.
   *
   * @return the set of its classes then
   * @throws LdapOperationException objectClassViolation, objectClassModsProhibited,
   *     notAllowedOnRDN, namingViolation, constraintViolation, adminLimitExceeded
   */
  public ClassSet check(AttributeModifications modifications, boolean relaxed)
      throws LdapOperationException {
    Entry after = modifications.entry();
    ClassSet classes = soundClasses(after, relaxed);
    checkObjectClassChange(classSet(modifications.before()), classes, relaxed);
    List<NamingValue> rdn = naming.values(after.dn());
    if (!after.dn().equals(modifications.before().dn())) {
      naming.checkTypes(rdn, relaxed);
    }
    for (NamingValue each : rdn) {
      if (modifications.hasLost(each)) {
        throw refusal(
            ResultCode.NOT_ALLOWED_ON_RDN,
            "the RDN has the value " + quoted(each.value()) + " of " + each.type());
      }
    }
    checkAttributes(after, modifications.apart(), classes);
    return classes;
  }

  /** Returns whether entries of these classes are dynamic. */
  public static boolean isDynamic(ClassSet classes) {
    return classes.has(DYNAMIC_OBJECT_OID);
  }

  /**
   * Checks that an entry keeps its kind: it keeps its structural class, unless the rules are
   * relaxed, and in any case stays dynamic or static (RFC 2589, section 3.1).
   *
   * @throws LdapOperationException objectClassModsProhibited for another structural class,
   *     objectClassViolation for an entry that becomes dynamic or static
   */
  public void checkObjectClassChange(ClassSet before, ClassSet after, boolean relaxed)
      throws LdapOperationException {
    ObjectClass was = before.structural();
    ObjectClass is = after.structural();
    if (!relaxed && was != null && is != null && !was.equals(is)) {
      throw refusal(
          ResultCode.OBJECT_CLASS_MODS_PROHIBITED,
          "the structural object class '" + was + "' cannot become '" + is + "'");
    }
    if (isDynamic(before) != isDynamic(after)) {
      throw refusal(
          ResultCode.OBJECT_CLASS_VIOLATION,
          isDynamic(after)
              ? "a static entry cannot become dynamic"
              : "a dynamic entry cannot become static");
    }
  }

  /**
   * Returns the DIT structure rule that governs an entry, null if none applies to its structural
   * class.
   *
   * @param classes the set of the entry's classes
   * @param parentRule the rule that governs the entry above; null if none does
   * @throws LdapOperationException namingViolation if there are rules and none fits
   */
  public @Nullable DitStructureRule governingRule(
      ClassSet classes, Dn name, @Nullable DitStructureRule parentRule)
      throws LdapOperationException {
    ObjectClass structural = classes.structural();
    return structural == null
        ? null
        : naming.governingRule(structural, naming.values(name), parentRule);
  }

  /** The values of an entry's RDN; none for the empty name. */
  public List<NamingValue> namingValues(Dn name) throws LdapOperationException {
    return naming.values(name);
  }

  /** Returns the set of an entry's classes, valid or not. */
  public ClassSet classSet(Entry entry) {
    List<byte[]> values = objectClass == null ? null : entry.values(objectClass);
    return schema.classSet(values == null ? List.of() : values);
  }

  private ClassSet soundClasses(Entry entry, boolean relaxed) throws LdapOperationException {
    if (objectClass == null || entry.values(objectClass) == null) {
      throw refusal(ResultCode.OBJECT_CLASS_VIOLATION, "the entry has no objectClass");
    }
    ClassSet classes = classSet(entry);
    if (!classes.violation().isEmpty()) {
      throw refusal(ResultCode.OBJECT_CLASS_VIOLATION, classes.violation());
    }
    if (!relaxed && !classes.obsoletion().isEmpty()) {
      throw refusal(ResultCode.OBJECT_CLASS_VIOLATION, classes.obsoletion());
    }
    return classes;
  }

  private void checkAttributes(
      Entry entry, Map<AttributeDescription, LargeValueLookup> apart, ClassSet classes)
      throws LdapOperationException {
    Set<AttributeType> present = new HashSet<>();
    for (AttributeDescription description : entry.descriptions()) {
      List<byte[]> values = entry.values(description);
      attributes.checkCount(description, values == null ? 0 : values.size());
      present.add(description.type());
    }
    for (Map.Entry<AttributeDescription, LargeValueLookup> large : apart.entrySet()) {
      attributes.checkCount(large.getKey(), large.getValue().count());
      present.add(large.getKey().type());
    }
    String missing = classes.missing(present::contains);
    if (missing != null) {
      throw refusal(ResultCode.OBJECT_CLASS_VIOLATION, missing);
    }
    for (AttributeType type : present) {
      String reason = classes.refusal(type);
      if (reason != null) {
        throw refusal(ResultCode.OBJECT_CLASS_VIOLATION, reason);
      }
    }
  }
}
